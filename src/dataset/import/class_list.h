// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Lists of classes that people have beside index labels.

#include <filesystem>
#include <string_view>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// Classes with names, colours and numbers. Read are:
///  - tables of comma, semicolon or tab separated columns with a header, of which one is the number (number, id, index,
///  idx, value, label) and one the name (name, class,
///    label, title), and maybe three the colour (r, g, b);
///  - lines of "name:r,g,b" as CVAT's labelmap.txt has them, or of a number and a name; else of names, which are
///  numbered from 0;
///  - JSON: a list of names or of {"id", "name", "color"}, or an object of number and name, or of name and number.
/// @return  classes and class_indices of a DatasetConfig whose labels are numbers. @throws Error(kData) for another
/// text, numbers that come twice.
DatasetConfig read_class_list(const std::filesystem::path& path);
/// The same of a text. @param path  For messages, and whose extension tells JSON.
DatasetConfig parse_class_list(std::string_view text, const std::filesystem::path& path);

}  // namespace fernwood::dataset
