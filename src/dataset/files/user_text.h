// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "fernwood/core/file.h"

namespace fernwood::dataset {

/// Reads a text file written by a user or another program, without the byte order mark that some editors insert, which
/// would become part of the first name or number.
inline std::string read_user_text(const std::filesystem::path& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text = read_text(path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace fernwood::dataset
