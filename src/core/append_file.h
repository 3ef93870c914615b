// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fernwood {

/// Where ends that were cut off a file are kept, a line each.
inline std::filesystem::path torn_path(const std::filesystem::path& file) { return file.string() + ".torn"; }

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

  /// What stands in it from there on, in the file that is open, whatever has its name now.
  /// @throws Error(kRuntime) when it cannot be read.
  std::string read(std::uint64_t from_byte = 0) const;
  std::uint64_t size_bytes() const;

  /// Cuts off an end that is not whole, and keeps it in torn_path(): a machine that stopped leaves part of a line that
  /// nobody was told to be there, but a damaged disk may have changed one that was. @throws as append().
  void cut_off(std::uint64_t size_bytes);

  int descriptor() const { return descriptor_; }

 private:
  void check_named() const;

  std::filesystem::path path_;
  int descriptor_;
  bool is_torn_ = false;  // by a write that failed, and could not be undone
};

}  // namespace fernwood
