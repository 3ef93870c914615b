// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/description.h"

#include <system_error>

#include "dataset/frame_file_names.h"
#include "fernwood/core/file.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::report {

namespace fs = std::filesystem;

namespace {

/// Whether a folder, or one in it, has a frame named as in a data set.
bool has_named_frames(const fs::path& folder) {
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (dataset::parse_frame_file_name(entry->path().filename().string())) return true;
  return false;
}

/// Whether an existing file belongs to a folder of frames, or is the dataset.toml above it, which is read with them.
bool is_of_frames(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !fs::exists(file, ignored)) return false;
  const fs::path place = place_of(file), above = place_of(folder);
  if (place == above.parent_path() / "dataset.toml") return true;
  // A data set has images, arrays, and lists of frames or classes; in the folders of other programs any file may be
  // read.
  const std::string extension = dataset::lower_case(place.extension().string());
  const bool is_of_dataset = dataset::is_pixel_extension(extension) || extension == ".txt" || extension == ".toml";
  return is_kept_in(file, folder) && (is_of_dataset || !has_named_frames(above));
}

}  // namespace

bool is_read_with(const fs::path& file, const fs::path& input) {
  return is_of_frames(file, input) || is_same_file(file, training_json_path(input));
}

}  // namespace fernwood::report
