// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Lists of classes that accompany index labels.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/name_pattern.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::formats {

struct ListedClasses {
  dataset::DatasetConfig config;  ///< Its classes and class_indices; labels are numbers.
  /// [class] As listed, for labels that are colours; empty: the list gives none.
  std::vector<std::optional<image::Rgb>> given_colors;
  std::vector<std::string> notes;  ///< Sentences for the user, about classes that the list gives the same colour.
};

/// Reads classes with names, colours and numbers, of which a list may leave out numbers (classes are then numbered from
/// 0) and colours:
///  - tables of comma, semicolon or tab separated columns, which the first line names: number (id, index, value),
///    name (class, label, title), and r, g, b or color;
///  - lines of a name with a number or a colour (three numbers), or both, on either side of it, all of one form; CVAT's
///    labelmap.txt;
///  - JSON: a list of names or of {"id", "name", "color"}, or an object of numbers or colours and names.
/// The number 255 is not a class if its name says that, such as "unlabelled". A class with the colour of an earlier one
/// gets another for display.
/// @throws Error(kData) for another text, lines of several forms, and duplicate numbers.
ListedClasses read_class_list(const std::filesystem::path& path);
/// As read_class_list(), from a text. @param path  For messages; its extension indicates JSON.
ListedClasses parse_class_list(std::string_view text, const std::filesystem::path& path);

/// Label images, as the truth of frames.
std::vector<dataset::FrameFiles> as_truth(const dataset::FilesByName& labels);

/// "#rrggbb", or three numbers from 0 to 255 (and alpha) in any brackets; empty for another text.
std::optional<image::Rgb> color_of_text(std::string_view text);

}  // namespace fernwood::formats
