// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/output_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;  // what is not there is no other file
  return fs::equivalent(a, b, ignored) || fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

namespace {

/// Whether a file that is there is of those that a folder of frames consists of.
bool is_of_frames(const fs::path& file, const fs::path& folder) {
  constexpr std::array<std::string_view, 9> kEndings = {".png",  ".jpg", ".jpeg", ".npy", ".exr",
                                                        ".tiff", ".tif", ".toml", ".txt"};
  std::error_code ignored;
  const fs::path place = fs::weakly_canonical(file, ignored), above = fs::weakly_canonical(folder, ignored);
  return fs::is_directory(folder, ignored) && fs::exists(file, ignored) &&
         std::ranges::find(kEndings, place.extension().string()) != kEndings.end() &&
         std::ranges::mismatch(above, place).in1 == above.end();
}

}  // namespace

void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    for (std::size_t j = 0; j < i; ++j)
      FW_CHECK(
          outputs[j].second.empty() || !is_same_file(path, outputs[j].second), Usage,
          outputs[j].first << " and " << option << " name the same file, " << path.string() << "; give each its own");
    for (const auto& [other_option, other] : inputs) {
      const bool is_same = !other.empty() && is_same_file(path, other);
      FW_CHECK(other.empty() || !(is_same || is_of_frames(path, other)), Usage,
               option << " names " << (is_same ? "the" : "a") << " file of " << other_option << ", " << path.string()
                      << ", which it would replace; name another");
    }
  }
}

void check_output_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
  refuse_replaced_files(outputs, inputs);
  for (const auto& [option, path] : outputs)
    if (!path.empty()) check_writable(path, NamedBy::kUser);
}

fs::path path_of_source(const std::string& source) {
  std::error_code ignored;
  if (fs::exists(source, ignored)) return source;
  const std::string place = source.substr(source.find(':') + 1);  // all of it where there is none
  return place.substr(0, place.find('?'));
}

}  // namespace fernwood::apps
