// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the functions of fernwood.h share: handles, and the way from exceptions to codes and sentences.

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

  std::shared_ptr<const fernwood::forest::Forest> forest;  ///< Predictors share it.
};

namespace fernwood::c_api {

/// Notes the exception that is being handled as this thread's last error.
fernwood_status note_failure() noexcept;

/// With options as they are given here: "device=cpu".
std::string in_c(const OptionSentence& sentence);

/// Runs what a function does. No exception leaves it.
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

/// Checks a count of a caller before it is multiplied. @param bytes  From one to the next.
/// @throws Error(kUsage) naming the argument where so many are more than memory has.
void check_extent(const char* name, std::size_t count, std::size_t bytes);

/// The names and values of "name=value". @throws Error(kUsage) for a text without =.
OptionTexts option_texts(const char* const* options, std::size_t num_options);

/// @param place  For messages. @throws Error(kUsage) for a frame without pixels, with too many, or of another version.
void check_size(const fernwood_frame& frame, const std::string& place);
/// @throws Error(kUsage) for a frame without pixels or images, or of another version.
void check_frame(const fernwood_frame& frame, const std::string& place);
/// What a caller has written there, which may be no fernwood_depth_type: C allows any number.
int depth_type_of(const fernwood_frame& frame);
/// A frame as the library takes it, where it lies. @throws Error(kUsage), also for a stride, a camera or a direction
/// that is none.
image::FrameImages borrow(const fernwood_frame& frame, const std::string& place);

}  // namespace fernwood::c_api
