// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood {

/// White columns between two pictures.
inline constexpr std::size_t kPanelGap = 8;

/// Pictures in a row on white, with a gap between them.
Array2<Rgb> side_by_side(const std::vector<Array2<Rgb>>& pictures);

/// One picture for people: colour, depth, truth and labels side by side, as far as they are there.
/// @param truth  Ground-truth file, or empty.
Array2<Rgb> make_panel(const Frame& frame, const std::filesystem::path& truth, const LabelImage& labels,
                       const ClassMap& classes);

}  // namespace fernwood
