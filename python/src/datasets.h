// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "fernwood/dataset/dataset.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// What warnings.warn() was told of a data set, by whatever threads work on it.
class SaidWarnings {
 public:
  /// Whether a sentence is new; from now on it is not.
  bool is_new(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    return sentences_.insert(sentence).second;
  }

  bool about_input = false;  ///< See warn_about_input(); looked at with the GIL.

 private:
  std::mutex mutex_;
  std::set<std::string> sentences_;
};

/// A data set as Python has it.
struct DatasetHandle {
  dataset::Dataset data;
  bool has_labels = true;
  std::shared_ptr<const image::ClassMap> classes = nullptr;  ///< Once somebody asked.
  std::shared_ptr<SaidWarnings> said = std::make_shared<SaidWarnings>();
};

/// Says what is probably wrong with the frames, once for a data set. With the GIL.
void warn_about_input(const DatasetHandle& dataset);

/// Classes as Python has them: names with colours.
using ClassList = std::vector<std::pair<std::string, std::tuple<int, int, int>>>;
ClassList class_list(const std::vector<image::ClassInfo>& classes);

}  // namespace fernwood::python
