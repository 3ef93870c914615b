// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fernwood {

/// A lock that prevents two runs from writing the same output: a model, a checkpoint, a page, a folder of labels. It is
/// held from before the work begins until the output is written; the system releases it when the process ends, for any
/// reason.
///
/// A folder is locked directly; a file is locked by `path`.lock beside it, which is removed with the lock. A file of
/// that name from another program (Cargo.lock) is never written to. If the file system does not support locks, or the
/// lock file cannot be created, nothing is locked; a later write reports the problem.
class OutputLock {
 public:
  OutputLock() = default;
  /// @throws Error(kRuntime) naming the run that holds the lock, or another program's file with the lock's name.
  explicit OutputLock(const std::filesystem::path& path);
  /// Returns nothing if another run holds the lock.
  /// @param holder  Receives the name of that run, if known: "process 12 on atlas".
  /// @throws Error(kRuntime) if another program's file has the lock's name.
  static std::optional<OutputLock> try_lock(const std::filesystem::path& path, std::string* holder = nullptr);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;

 private:
  std::filesystem::path file_;  // lock file to remove; empty: a folder, or nothing is locked
  int descriptor_ = -1;
};

}  // namespace fernwood
