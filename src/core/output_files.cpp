// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"

namespace fernwood {

namespace fs = std::filesystem;

fs::path place_of(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // the same limit as the system's
  std::error_code ignored;
  fs::path place = fs::absolute(path, ignored);
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(place, ignored)); ++i)
    place = place.parent_path() / fs::read_symlink(place, ignored);
  return fs::weakly_canonical(place, ignored);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;  // a missing file is not another file
  return fs::equivalent(a, b, ignored) || place_of(a) == place_of(b);
}

bool is_in_folder(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) && is_same_file(place_of(file).parent_path(), folder);
}

namespace {

/// Whether a file may be an earlier output: a page, a map, a model.
bool looks_written(const fs::path& file) {
  constexpr std::array<std::string_view, 6> kEndings = {"", ".html", ".htm", ".ply", ".onnx", ".svg"};
  constexpr std::string_view kBegin = "FERNWOOD";  // of model files
  if (std::ranges::find(kEndings, file.extension().string()) != kEndings.end()) return true;
  std::array<char, kBegin.size()> begin{};
  InputFile(file).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == kBegin;
}

}  // namespace

bool is_kept_in(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !fs::exists(file, ignored)) return false;
  const fs::path place = place_of(file), above = place_of(folder);
  return std::ranges::mismatch(above, place).in1 == above.end() && !looks_written(place);
}

void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs,
                           InputRule is_read) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    for (std::size_t j = 0; j < i; ++j)
      FW_CHECK(
          outputs[j].second.empty() || !is_same_file(path, outputs[j].second), Usage,
          outputs[j].first << " and " << option << " name the same file, " << path.string() << "; give each its own");
    for (const auto& [other_option, other] : inputs) {
      const bool is_same = !other.empty() && is_same_file(path, other);
      FW_CHECK(other.empty() || !(is_same || is_read(path, other)), Usage,
               option << " names " << (is_same ? "the" : "a") << " file of " << other_option << ", " << path.string()
                      << ", which it would replace; name another");
    }
  }
}

}  // namespace fernwood
