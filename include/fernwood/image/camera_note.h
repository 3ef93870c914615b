// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// The sentence for people that says which camera is assumed of frames; empty when none is, because no channel needs
/// one or the frames name theirs.
/// @param has_camera  Whether frames bring their camera.
/// @param place       Names the frames: a folder, a device.
std::string camera_note(const Preparation& preparation, bool has_camera, const std::string& place);

}  // namespace fernwood::image
