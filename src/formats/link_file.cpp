// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/link_file.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "core/platform/file_system.h"
#include "fernwood/core/file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  const fs::path real = fs::canonical(from, failure);
  fs::create_hard_link(failure ? from : real, to, failure);
  if (!failure) return sync_path(to);  // the file may have been written a moment ago
  if (failure == std::errc::file_exists) fail_writing(to, EEXIST);
  const std::vector<std::uint8_t> bytes = read_file(from);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file_atomically(to, NamedBy::kFernwood, text, Durability::kProcess);
}

std::string links_out_of(const fs::path& folder, const std::vector<fs::path>& files) {
  const auto is_within = [](const fs::path& file, const fs::path& whole) {
    return std::ranges::mismatch(whole, file).in1 == whole.end();
  };
  std::error_code failure;
  const fs::path real = fs::canonical(folder, failure);
  if (failure) return "";  // of frames in memory
  const fs::path named = full_path(folder);
  std::size_t count = 0;
  std::string first;
  for (const fs::path& file : files) {
    const fs::path target = fs::canonical(file, failure);
    if (failure || is_within(target, real) || !is_within(full_path(file), named)) continue;
    if (count++ == 0) first = file.string() + " to " + target.string();
  }
  if (count == 0) return "";
  return folder.string() + ": the links of " + std::to_string(count) + " of its files lead out of it, as " + first +
         ", and what they lead to becomes part of the output; remove links that are not yours";
}

}  // namespace fernwood::formats
