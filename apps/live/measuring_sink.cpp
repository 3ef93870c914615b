// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <array>

#include "apps/live/live.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "shell/console.h"

namespace fernwood::apps {

namespace {

/// Number of frames after which memory use is stable.
constexpr std::size_t kEarly = 100;

}  // namespace

MeasuringSink::MeasuringSink(const std::filesystem::path& record_to, const forest::Forest& forest) {
  if (record_to.extension() == ".mcap") {
    mcap_recorder_ = std::make_unique<recordings::McapRecorder>(record_to, forest.classes.names());
    warn_each(mcap_recorder_->warnings());
  } else if (!record_to.empty()) {
    recorder_ = std::make_unique<recordings::FrameRecorder>(record_to);
  }
}

void MeasuringSink::captured(const recordings::CapturedFrame& frame) {
  if (recorder_) recorder_->add(frame);
  if (mcap_recorder_) mcap_recorder_->add(frame);
}

bool MeasuringSink::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  const image::LabelImage& labels = frame.prediction.labels;
  if (mcap_recorder_) mcap_recorder_->add_labels(frame.captured, labels, frame.prediction.probabilities);
  rows_ = labels.rows();
  cols_ = labels.cols();
  const std::array<std::uint64_t, 2> chain = {labels_checksum_,
                                              checksum(labels.data(), labels.size() * sizeof(*labels.data()))};
  labels_checksum_ = checksum(chain.data(), sizeof(chain));
  if (so_far.num_shown <= kEarly) early_memory_bytes_ = platform::resident_memory_bytes();
  return true;
}

void MeasuringSink::warn(const OptionSentence& sentence) { spdlog::warn(sentence.on_command_line()); }

void MeasuringSink::note(const std::string& sentence) { spdlog::info(sentence); }

void MeasuringSink::camera_lost(const std::string& why) { spdlog::warn(why); }

void MeasuringSink::camera_back() { spdlog::info("the camera is back"); }

void MeasuringSink::finish(report::LiveResult& result) {
  if (recorder_) {
    recorder_->finish();
    result.num_recorded = recorder_->num_written();
  }
  if (mcap_recorder_) {
    mcap_recorder_->finish();
    result.num_recorded = mcap_recorder_->num_written();
  }
  result.rows = rows_;
  result.cols = cols_;
  result.labels_checksum = labels_checksum_;
  result.early_memory_bytes = early_memory_bytes_;
  result.memory_bytes = platform::resident_memory_bytes();
}

}  // namespace fernwood::apps
