// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::teach {

inline constexpr std::string_view kStrokesTitle = "fernwood strokes 1";

/// Adds checksums to the lines of a journal, whose contents need not be valid.
/// @param lines  Each ends with a line feed; text after the last line feed is ignored.
inline std::string signed_journal(std::string_view lines, std::string_view title = kStrokesTitle) {
  std::string journal = std::string(title) + "\n";
  std::uint64_t sum = checksum(title.data(), title.size());
  for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string both = to_hex(sum) + std::string(lines.substr(begin, end - begin));
    sum = checksum(both.data(), both.size());
    journal += to_hex(sum) + " " + both.substr(16) + "\n";
  }
  return journal;
}

}  // namespace fernwood::teach
