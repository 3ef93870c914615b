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

/// A durable, append-only list of texts: a text for which append() has returned survives a crash at any moment. A line
/// consists of a checksum of the text and of the line before, a space and the text, so that lost, damaged or exchanged
/// lines are detected. Only one process can have it open.
class Journal {
 public:
  /// Opens or creates the file. An incomplete last line is cut off and saved, see AppendFile::cut_off().
  /// @param title   The first line: kind and version of the journal.
  /// @param replay  Called with each text in order, and its line number, from 2.
  /// @throws Error(kData) for another kind of file or a damaged line, Error(kUsage) when another process has it open,
  ///         Error(kRuntime) when it cannot be read or written, and exceptions of `replay`.
  Journal(const std::filesystem::path& path, const std::string& title,
          const std::function<void(const std::string& text, std::size_t line)>& replay);

  /// @param text  Without a line feed. @throws Error(kResource) when the disk is full, Error(kRuntime) when writing
  ///        fails, and when the file was removed or replaced; none of the text is stored then.
  void append(const std::string& text);

  /// To be called before files beside the journal are written, see AppendFile::check_named().
  void check_named() const { file_->check_named(); }

  /// Number of bytes of an incomplete last line that were cut off.
  std::size_t torn_bytes() const { return torn_bytes_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// Checksum of the last line, which depends on all lines before it.
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
