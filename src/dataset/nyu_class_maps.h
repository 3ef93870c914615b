// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// One of the mappings of the 894 labels of NYU Depth v2 to classes; see datasets/README.md for the sources.
struct NyuClasses {
  std::vector<image::ClassInfo> classes;
  std::string_view toml;                                          ///< The same mapping as a dataset.toml.
  std::unordered_map<std::string, std::uint16_t> class_of_label;  ///< By the label's name, such as "coffee table".
};

/// The available numbers of classes: "4", "13", "40".
std::vector<std::string> nyu_class_counts();
/// @throws OptionError for another number.
NyuClasses nyu_classes(int num_classes);

/// The names of labels 1 ... 894.
std::vector<std::string> nyu_label_names();

// The files of datasets/nyu, compiled in, so that an installed program needs no search path.
extern const std::string_view kNyuLabelsCsv, kNyuClasses4Toml, kNyuClasses13Toml, kNyuClasses40Toml;

}  // namespace fernwood::dataset
