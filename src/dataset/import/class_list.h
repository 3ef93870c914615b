// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Lists of classes that accompany index labels.

#include <filesystem>
#include <string_view>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// Reads classes with names, colours and numbers from one of these formats:
///  - tables of comma, semicolon or tab separated columns with a header: one column is the number (number, id, index,
///    idx, value, label), one the name (name, class, label, title), and optionally three the colour (r, g, b);
///  - lines of "name:r,g,b" as in CVAT's labelmap.txt, or of a number and a name; else of names, which are numbered
///    from 0;
///  - JSON: a list of names or of {"id", "name", "color"}, or an object of number and name, or of name and number.
/// @return  classes and class_indices of a DatasetConfig whose labels are numbers. @throws Error(kData) for another
/// text, and for duplicate numbers.
DatasetConfig read_class_list(const std::filesystem::path& path);
/// As read_class_list(), from a text. @param path  For messages; its extension indicates JSON.
DatasetConfig parse_class_list(std::string_view text, const std::filesystem::path& path);

}  // namespace fernwood::dataset
