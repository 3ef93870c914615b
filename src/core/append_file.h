// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string_view>

namespace fernwood {

/// A file that only grows, as a journal: what append() returned for is there, under the file's name, after the machine
/// stopped at any moment.
class AppendFile {
 public:
  /// Takes over a file that is open for appending, and closes it in the end. What stands in it is on the disk from now
  /// on: the process that wrote it may have been killed before it saw to that.
  /// @param path  Its name, which need not be absolute. @throws as append().
  AppendFile(const std::filesystem::path& path, int descriptor);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// @throws Error(kResource) when the disk is full; Error(kRuntime) when writing fails, and when the file was removed,
  ///         moved or replaced since it was opened: nobody would find the bytes. None of them stays then.
  void append(std::string_view bytes);

  int descriptor() const { return descriptor_; }

 private:
  void check_named() const;

  std::filesystem::path path_;
  int descriptor_;
  bool is_torn_ = false;  // by a write that failed, and could not be undone
};

}  // namespace fernwood
