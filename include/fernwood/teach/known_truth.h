// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What is known before a teacher draws: classes of a data set or a model, and truth, which are drawn as regions.

#include <vector>

#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// Adds those classes that the project has not, by their names. @return  [class] its number in the project.
/// @throws Error(kUsage) where the project has the colour of a new class already, or a name that it cannot have.
std::vector<std::uint16_t> take_classes(Project& project, const std::vector<image::ClassInfo>& classes);

/// Draws a label image: a region for each class that has a pixel, which can be taken back like any stroke.
/// Regions that were drawn so before, taken back or not, are left out: what a run that was killed had begun goes on.
/// @param numbers  [label] As take_classes() returns them. @throws Error(kUsage) for another size than the frame's.
void draw_truth(Project& project, std::size_t frame, const image::LabelImage& labels,
                const std::vector<std::uint16_t>& numbers);

/// Whether a frame has had a region of draw_truth(). @param num_classes  Of the data.
bool has_drawn_truth(const Project& project, std::size_t frame, std::size_t num_classes);

}  // namespace fernwood::teach
