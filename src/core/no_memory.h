// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <new>
#include <system_error>

namespace fernwood {

/// The file functions of the standard library report exhausted memory by an error code; here it becomes std::bad_alloc,
/// as elsewhere.
inline void throw_if_no_memory(const std::error_code& failure) {
  if (failure == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace fernwood
