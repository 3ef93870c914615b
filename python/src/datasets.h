// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "fernwood/dataset/dataset.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// Warnings already given for a data set, by any thread that uses it.
class SaidWarnings {
 public:
  /// Whether a sentence is new; records it.
  bool is_new(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    return sentences_.insert(sentence).second;
  }

  bool about_input = false;  ///< See warn_about_input(); accessed with the GIL.

 private:
  std::mutex mutex_;
  std::set<std::string> sentences_;
};

/// A data set in Python.
struct DatasetHandle {
  dataset::Dataset data;
  bool has_labels = true;
  std::shared_ptr<const image::ClassMap> classes = nullptr;  ///< Set by the first request.
  std::shared_ptr<SaidWarnings> said = std::make_shared<SaidWarnings>();
};

/// Warns about probable mistakes in the frames, once per data set. Requires the GIL.
void warn_about_input(const DatasetHandle& dataset);

/// The folder of a data set; empty for arrays, which no file can replace.
std::filesystem::path folder_on_disk(const DatasetHandle& dataset);

/// Classes in Python's form: names with colours.
using ClassList = std::vector<std::pair<std::string, std::tuple<int, int, int>>>;
ClassList class_list(const std::vector<image::ClassInfo>& classes);

}  // namespace fernwood::python
