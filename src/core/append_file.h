// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/platform/file_system.h"

namespace fernwood {

/// File that receives the torn ends cut off `file`, one per line.
inline std::filesystem::path torn_path(const std::filesystem::path& file) { return file.string() + ".torn"; }

/// A file that only grows, such as a journal. Bytes for which append() has returned are on the disk under the file's
/// name, even if the machine stops at any moment.
class AppendFile {
 public:
  /// Takes over a file that is open for appending. Syncs its present contents: the process that wrote them may have
  /// been killed before it did.
  /// @param path  Name of the file, which need not be absolute. @throws as append().
  AppendFile(const std::filesystem::path& path, platform::OpenFile file);
  /// Creates a file. @throws Error(kUsage) if it is there already; as append().
  explicit AppendFile(const std::filesystem::path& path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// @throws Error(kResource) when the disk is full; Error(kRuntime) when writing fails, or when the file was removed,
  ///         moved or replaced since it was opened, or has another size than after the last append() or read(), where
  ///         the bytes would be lost. On failure none of the bytes stay in the file.
  void append(std::string_view bytes);

  /// The contents from `from_byte` on, of the open file, even if its name now belongs to another file.
  /// @throws Error(kRuntime) when the file cannot be read.
  std::string read(std::uint64_t from_byte = 0);
  std::uint64_t size_bytes() const;

  /// Cuts off an incomplete end and appends it to torn_path(). A machine that stopped leaves part of a line that was
  /// never acknowledged, but a damaged disk may have changed one that was. @throws as append().
  void cut_off(std::uint64_t size_bytes);

  /// Checks that the name still belongs to this file, for writers of files beside it: another folder may have taken the
  /// place of its folder. @throws Error(kRuntime) when the file was removed, moved or replaced.
  void check_named() const;

 private:
  std::filesystem::path path_;
  platform::OpenFile file_;
  std::uint64_t known_bytes_ = 0;  // its size as far as this object knows
  bool is_torn_ = false;           // by a failed write that could not be undone
};

}  // namespace fernwood
