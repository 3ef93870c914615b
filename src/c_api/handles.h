// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Handles of fernwood.h, and the conversion of exceptions to status codes and error messages.

#include <concepts>
#include <memory>

#include "fernwood.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/frame.h"

struct fernwood_forest {
  explicit fernwood_forest(fernwood::forest::Forest grown)
      : forest(std::make_shared<const fernwood::forest::Forest>(std::move(grown))) {}

  std::shared_ptr<const fernwood::forest::Forest> forest;  ///< Shared with predictors.
};

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
  FW_CHECK(pointer != nullptr, Usage, name << " is NULL; give a pointer");
  return *pointer;
}

/// Checks that the caller's count does not overflow the address space. @param bytes  Distance between elements.
/// @throws Error(kUsage) naming the argument if count * bytes exceeds PTRDIFF_MAX.
void check_extent(const char* name, std::size_t count, std::size_t bytes);

/// Splits "name=value" into names and values. @throws Error(kUsage) for a text without =.
OptionTexts option_texts(const char* const* options, std::size_t num_options);

/// Checks struct_size, rows and cols. @param place  Prefix of messages.
/// @throws Error(kUsage) if struct_size differs, or for a frame without pixels or with too many.
void check_size(const fernwood_frame& frame, const std::string& place);
/// Also checks that the frame has an image. @throws Error(kUsage) as check_size(), and for a frame without images.
void check_frame(const fernwood_frame& frame, const std::string& place);
/// The number in depth_type, which may differ from all values of fernwood_depth_type, since C allows any number.
int depth_type_of(const fernwood_frame& frame);
/// A view of the frame's images in the caller's memory. @throws Error(kUsage) as check_frame(), and for an invalid
/// stride, camera or direction.
image::FrameImages borrow(const fernwood_frame& frame, const std::string& place);

}  // namespace fernwood::c_api
