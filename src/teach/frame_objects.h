// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>

#include "fernwood/objects/objects.h"
#include "fernwood/teach/project.h"
#include "fernwood/web/web_server.h"

namespace fernwood::teach {

/// A function for any thread, like Project::labels_reader(), that finds the objects of a frame in labels of it, indices
/// of live classes, parted by its cuts. Uses the calling thread only.
std::function<objects::FrameObjects(const image::LabelImage& labels)> objects_finder(const Project& project,
                                                                                     std::size_t frame);

/// The objects in labels of a frame for a page: report::objects_json(), and "text", report::objects_text(); "middles":
/// [[x, y] ...], a pixel of each object; "outlines": [x, y, x, y ...], lines between pixels, from corner to corner;
/// "cuts": [begin, count ...], runs of pixels.
/// @throws Error(kUsage) for a frame without depth.
web::WebAnswer objects_answer(const Project& project, std::size_t frame, std::function<image::LabelImage()> labels);

}  // namespace fernwood::teach
