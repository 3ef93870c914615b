// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Lists of classes that accompany index labels.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

struct ListedClasses {
  DatasetConfig config;  ///< Its classes and class_indices; labels are numbers.
  /// [class] As listed, for labels that are colours; empty: the list gives none.
  std::vector<std::optional<image::Rgb>> given_colors;
  std::vector<std::string> notes;  ///< Sentences for the user, about classes that the list gives the same colour.
};

/// Reads classes with names, colours and numbers from one of these formats:
///  - tables of comma, semicolon or tab separated columns with a header: one column is the number (number, id, index,
///    idx, value, label), one the name (name, class, label, title), and optionally three the colour (r, g, b);
///  - lines of "name:r,g,b" as in CVAT's labelmap.txt, or of a number and a name; else of names, which are numbered
///    from 0;
///  - JSON: a list of names or of {"id", "name", "color"}, or an object of number and name, or of name and number.
/// The number 255 is not a class if its name says that, such as "unlabelled". Since labels are numbers, colours are for
/// display, and a class with the colour of an earlier one gets another.
/// @throws Error(kData) for another text, and for duplicate numbers.
ListedClasses read_class_list(const std::filesystem::path& path);
/// As read_class_list(), from a text. @param path  For messages; its extension indicates JSON.
ListedClasses parse_class_list(std::string_view text, const std::filesystem::path& path);

}  // namespace fernwood::dataset
