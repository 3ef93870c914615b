// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::records {

/// A line without its end.
struct TextLine {
  std::string_view text;
  std::size_t number;  ///< From 1.
};

/// Reads a text file or standard input ("-") in large pieces and cuts it into lines. Lines end with \n or \r\n, the
/// last one may lack it; a byte order mark is left out.
class LineSource {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

  /// @throws Error(kRuntime) when the file cannot be opened.
  explicit LineSource(const std::filesystem::path& path);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// The lines of the next piece, blank ones left out; empty at the end. They stay until the next call.
  /// @throws Error(kData) for a line that is too long or bytes that are no text, Error(kRuntime) when reading fails.
  const std::vector<TextLine>& next();

  const std::string& name() const { return name_; }  ///< For messages.
  std::size_t bytes_read() const { return bytes_read_; }
  std::size_t bytes_total() const { return bytes_total_; }  ///< 0 for a pipe.

 private:
  bool waits_next() const;
  bool fill();
  void cut();
  void check_text(std::size_t begin) const;

  std::string name_;
  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  ///< In the buffer: the line begun, what was searched, what was read.
  std::size_t line_number_ = 0, bytes_read_ = 0, bytes_total_ = 0;
  bool at_end_ = false;
  std::vector<TextLine> lines_;
};

}  // namespace fernwood::records
