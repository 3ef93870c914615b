// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/append_file.h"

namespace fernwood::teach {

/// Texts that are appended to a file and stay: one that append() returned for is there after the machine stopped at any
/// moment. A line is a checksum of the text and of the line before, a space and the text, so that a lost, damaged or
/// exchanged line is noticed. One process has it at a time.
class Journal {
 public:
  /// Opens the file, or makes it. A last line that is not whole is cut off and kept, see AppendFile::cut_off().
  /// @param title   The first line: what kind of journal this is, of which version.
  /// @param replay  Called with each text in order, and its line, from 2.
  /// @throws Error(kData) for another kind of file or a damaged line, Error(kUsage) when another process has it,
  ///         Error(kRuntime) when it cannot be read or written, and what `replay` throws.
  Journal(const std::filesystem::path& path, const std::string& title,
          const std::function<void(const std::string& text, std::size_t line)>& replay);

  /// @param text  Without a line feed. @throws Error(kResource) when the disk is full, Error(kRuntime) when writing
  ///        fails, and when the file was removed or replaced; nothing of the text stays then.
  void append(const std::string& text);

  /// Bytes of a last line that were cut off.
  std::size_t torn_bytes() const { return torn_bytes_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// Of the last line, which stands for all before it.
  std::uint64_t last_checksum() const { return last_checksum_; }

 private:
  int take() const;
  void write(const std::string& bytes);

  std::filesystem::path path_;
  std::optional<AppendFile> file_;
  std::uint64_t size_bytes_ = 0, last_checksum_ = 0;
  std::size_t torn_bytes_ = 0;
};

}  // namespace fernwood::teach
