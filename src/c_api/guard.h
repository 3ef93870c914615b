// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The conversion of exceptions to status codes and error messages, and checks of arguments; of every C interface.

#include <concepts>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood_status.h"

namespace fernwood::c_api {

/// Stores the exception being handled as this thread's last error. @return  Its status code.
fernwood_status note_failure() noexcept;

/// The sentence with options in the form of the C interface: "device=cpu".
std::string in_c(const OptionSentence& sentence);

/// Runs the body of a C function with default floating-point settings, and converts exceptions to status codes.
template <std::invocable Work>
fernwood_status guarded(const Work& work) noexcept {
  try {
    const DefaultFloats floats;
    work();
    return FERNWOOD_OK;
  } catch (...) {
    return note_failure();
  }
}

/// @throws Error(kUsage) for a null pointer, naming the argument.
template <typename T>
T& required(T* pointer, const char* name) {
  FW_CHECK(pointer != nullptr, Usage, name << " is NULL; pass a pointer");
  return *pointer;
}

/// Checks that the caller's count does not overflow the address space. @param bytes  Distance between elements.
/// @throws Error(kUsage) naming the argument if count * bytes exceeds PTRDIFF_MAX.
void check_extent(const char* name, std::size_t count, std::size_t bytes);

/// Splits "name=value" into names and values. @throws Error(kUsage) for a text without =.
OptionTexts option_texts(const char* const* options, std::size_t num_options);

}  // namespace fernwood::c_api
