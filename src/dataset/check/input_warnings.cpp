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
  if (supply_) return warnings;
  if (auto warning = orientation_warning(folder_.string(), some_files(frames_)))
    warnings.push_back(std::move(*warning));
  std::ranges::copy(transparency_notes(folder_, frames_, config_), std::back_inserter(warnings));
  return warnings;
}

void Dataset::add_depths(std::size_t index, DepthHistogram& depths) const {
  if (!supply_) {
    const Array2<std::uint16_t> raw = read_stored_depth(frames_[index].depth, config_.depth_scale_to_mm).steps;
    image::FrameImages frame;
    frame.rows = raw.rows();
    frame.cols = raw.cols();
    frame.depth_mm = raw.data();
    depths.add_some(frame);
  } else if (supply_->add_depths) {
    supply_->add_depths(supplied_[index], depths);
  } else {
    depths.add_some(supply_->frame(supplied_[index]));
  }
}

std::vector<std::string> Dataset::input_warnings() const {
  std::vector<std::string> warnings = file_warnings();
  if (!has_depth_ || frames_.empty()) return warnings;
  DepthHistogram depths(supply_ ? supply_->depth_origin : DepthOrigin::kFolder,
                        supply_ ? 1 : depth_step_mm(frames_, config_), config_.depth_missing);
  const std::size_t num_sampled = std::min(frames_.size(), kSampledFrames);
  for (std::size_t i = 0; i < num_sampled; ++i) {
    try {
      add_depths(i * (frames_.size() - 1) / std::max<std::size_t>(1, num_sampled - 1), depths);
    } catch (const Error&) {  // reported when the frame is read
    }
  }
  if (std::string note = depths.note(folder_.string()); !note.empty()) warnings.push_back(std::move(note));
  return warnings;
}

}  // namespace fernwood::dataset
