// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/file_source.h"

#include <algorithm>
#include <utility>

#include "dataset/camera_config.h"
#include "dataset/dataset_config.h"
#include "dataset/dataset_folder.h"
#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

void read_camera_of(Recording& recording) {
  const auto file = find_config_file(recording.folder);
  if (!file) return;
  const DatasetConfig config = read_dataset_config(*file);
  recording.camera = config.camera;
  recording.up = config.up;
}

FileSource::FileSource(Recording recording, const SourceOptions& options)
    : recording_(std::move(recording)), loop_(options.loop) {
  FW_CHECK(!recording_.frames.empty(), Data,
           recording_.folder.string() << ": the recording has no frame; name a folder that holds some");
  if (options.max_decoded == 0) return;
  recording_.frames.resize(std::min(options.max_decoded, recording_.frames.size()));
  for (const RecordedFrame& files : recording_.frames) decoded_.push_back(decode(files));
}

std::optional<CapturedFrame> FileSource::next() {
  if (next_ == recording_.frames.size() && loop_) next_ = 0;
  if (stopped_ || next_ == recording_.frames.size()) return std::nullopt;
  const std::size_t index = next_++;
  return decoded_.empty() ? decode(recording_.frames[index]) : decoded_[index];
}

CapturedFrame FileSource::decode(const RecordedFrame& files) const {
  auto frame = std::make_shared<image::Frame>();
  if (!files.color.empty()) frame->color = read_color(files.color);
  if (!files.depth.empty())
    frame->depth_mm = read_depth(files.depth, recording_.depth_scale_to_mm, recording_.depth_missing);
  if (!files.color.empty() && !files.depth.empty())
    check_same_size(files.depth, frame->depth_mm.cols(), frame->depth_mm.rows(), files.color, frame->color.cols(),
                    frame->color.rows());
  frame->camera = recording_.camera;
  frame->up = files.up.empty() ? recording_.up : read_up_file(files.up);
  return {std::move(frame), files.time_s, files.name};
}

}  // namespace fernwood::dataset
