// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Data sets and forests in Python, and the warnings about them.

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "python/common/src/long_work.h"
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

/// A forest in Python. Predictors share the forest, which is immutable.
struct ForestHandle {
  std::shared_ptr<const forest::Forest> forest;
};

/// Warnings on their way from the thread of a task to warnings.warn() in Python's thread.
class PendingWarnings {
 public:
  /// @param said  Earlier warnings, which are not repeated; new ones are added.
  explicit PendingWarnings(std::shared_ptr<SaidWarnings> said) : said_(std::move(said)) {}

  void put(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    if (said_->is_new(sentence)) pending_.push_back(sentence);
  }
  /// Requires the GIL. @throws nb::python_error where warnings are errors.
  void say() {
    std::vector<std::string> sentences;
    {
      const std::lock_guard lock(mutex_);
      sentences.swap(pending_);
    }
    warn(sentences);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<SaidWarnings> said_;
  std::vector<std::string> pending_;
};

/// teller() that also gives the pending warnings.
inline std::function<void()> teller(ProgressSlot<ProgressWords>& slot, const nb::object& tell,
                                    PendingWarnings& warnings) {
  return [&warnings, tell_progress = teller(slot, tell)] {
    warnings.say();
    if (tell_progress) tell_progress();
  };
}

}  // namespace fernwood::python
