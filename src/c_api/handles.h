// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Handles of fernwood.h, and its frames.

#include <memory>

#include "c_api/guard.h"
#include "fernwood.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/frame.h"

struct fernwood_forest {
  explicit fernwood_forest(fernwood::forest::Forest grown)
      : forest(std::make_shared<const fernwood::forest::Forest>(std::move(grown))) {}

  std::shared_ptr<const fernwood::forest::Forest> forest;  ///< Shared with predictors.
};

namespace fernwood::c_api {

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
