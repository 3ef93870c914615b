// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <new>
#include <system_error>

namespace fernwood {

/// The file functions of the standard library tell of memory that ran out by a code; here it is what it is elsewhere.
inline void throw_if_no_memory(const std::error_code& failure) {
  if (failure == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace fernwood
