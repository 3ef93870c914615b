// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kSampledHeaders = 200, kSampledFrames = 5;

/// Colour and ground-truth files of some frames, evenly spread.
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
  const std::vector<FrameFiles> frames = files_of_all();
  if (auto warning = orientation_warning(folder_.string(), some_files(frames))) warnings.push_back(std::move(*warning));
  std::ranges::copy(transparency_notes(folder_, frames, config_), std::back_inserter(warnings));
  return warnings;
}

std::vector<std::string> Dataset::input_warnings() const {
  std::vector<std::string> warnings = file_warnings();
  if (!has_depth() || size() == 0) return warnings;
  DepthHistogram depths(depth_origin_, depth_step_mm({files(0)}, config_), config_.depth_missing);
  const std::size_t num_sampled = std::min(size(), kSampledFrames);
  for (std::size_t i = 0; i < num_sampled; ++i) {
    try {
      frames_->add_depths(numbers_[i * (size() - 1) / std::max<std::size_t>(1, num_sampled - 1)], depths);
    } catch (const Error&) {  // reported when the frame is read
    }
  }
  if (std::string note = depths.note(folder_.string()); !note.empty()) warnings.push_back(std::move(note));
  return warnings;
}

}  // namespace fernwood::dataset
