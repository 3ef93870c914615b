// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "fernwood/dataset/dataset.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// What warnings.warn() was told of a data set.
struct SaidWarnings {
  bool about_input = false;  ///< See warn_about_input().
  std::set<std::string> sentences;
};

/// A data set as Python has it.
struct DatasetHandle {
  dataset::Dataset data;
  bool has_labels = true;
  std::optional<image::ClassMap> classes = std::nullopt;  ///< Once somebody asked.
  std::shared_ptr<SaidWarnings> said = std::make_shared<SaidWarnings>();
};

/// Says what is probably wrong with the frames, once for a data set. With the GIL.
void warn_about_input(const DatasetHandle& dataset);

/// Classes as Python has them: names with colours.
using ClassList = std::vector<std::pair<std::string, std::tuple<int, int, int>>>;
ClassList class_list(const std::vector<image::ClassInfo>& classes);

}  // namespace fernwood::python
