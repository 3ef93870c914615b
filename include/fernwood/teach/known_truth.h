// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Import of existing classes and ground truth into a project; ground truth is drawn as regions.

#include <vector>

#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// Adds the classes whose names the project does not have. @return  [class] Its number in the project.
/// @throws Error(kUsage) if the project already has the colour of a new class, cannot have its name, or would have more
/// than kMaxTaughtClasses.
std::vector<std::uint16_t> take_classes(Project& project, const std::vector<image::ClassInfo>& classes);

/// Draws a label image: a region for each class that has a pixel, which can be undone like any stroke. Regions that an
/// earlier call drew, undone or not, are skipped, so that an interrupted import continues.
/// @param numbers  [label] From take_classes(). @throws Error(kUsage) if the size differs from the frame's.
void draw_truth(Project& project, std::size_t frame, const image::LabelImage& labels,
                const std::vector<std::uint16_t>& numbers);

/// Whether draw_truth() has drawn a region on a frame. @param num_classes  Number of classes of the data.
bool has_drawn_truth(const Project& project, std::size_t frame, std::size_t num_classes);

}  // namespace fernwood::teach
