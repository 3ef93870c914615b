// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fernwood {

/// Keeps two runs from writing one output: a model, a checkpoint, a page, a folder of labels. Held from before the work
/// begins until the output is written; the system ends it with the process, however that ends.
///
/// A folder is locked itself, a file by `path`.lock beside it, which is removed with the lock; nothing is written to a
/// file of that name which something else has made (Cargo.lock). Where the file system
/// has no locks or no file can be made, nothing is locked: writing will say what is wrong.
class OutputLock {
 public:
  OutputLock() = default;
  /// @throws Error(kRuntime) naming the run that holds it, or the file that is in the way.
  explicit OutputLock(const std::filesystem::path& path);
  /// Empty where another run holds it, which `holder` then names ("process 12 on atlas"). @throws for a file
  /// that is in the way.
  static std::optional<OutputLock> try_lock(const std::filesystem::path& path, std::string* holder = nullptr);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;

 private:
  std::filesystem::path file_;  // to be removed; empty: a folder, or nothing is locked
  int descriptor_ = -1;
};

}  // namespace fernwood
