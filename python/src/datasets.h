// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>

#include "fernwood/dataset/dataset.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// A data set as Python has it.
struct DatasetHandle {
  dataset::Dataset data;
  bool has_labels = true;
  std::optional<image::ClassMap> classes = std::nullopt;  ///< Once somebody asked.
};

/// Classes as Python has them: names with colours.
using ClassList = std::vector<std::pair<std::string, std::tuple<int, int, int>>>;
ClassList class_list(const std::vector<image::ClassInfo>& classes);

}  // namespace fernwood::python
