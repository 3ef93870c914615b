// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "dataset/image_metadata.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kSampledHeaders = 200;

/// Colour and truth of frames, evenly spread.
std::vector<std::filesystem::path> some_files(const std::vector<FrameFiles>& frames) {
  const std::size_t num_sampled = std::min(frames.size(), kSampledHeaders);
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < num_sampled; ++i) {
    const FrameFiles& frame = frames[i * frames.size() / num_sampled];
    files.insert(files.end(), {frame.color, frame.truth});
  }
  return files;
}

}  // namespace

std::vector<std::string> Dataset::file_warnings() const {
  std::vector<std::string> warnings = folder_warnings_;
  if (supply_) return warnings;
  if (auto warning = orientation_warning(folder_.string(), some_files(frames_)))
    warnings.push_back(std::move(*warning));
  return warnings;
}

std::vector<std::string> Dataset::input_warnings() const { return file_warnings(); }

}  // namespace fernwood::dataset
