// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of `fernwood live`.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "apps/live/explanation.h"
#include "apps/live/picture.h"
#include "apps/live/window.h"
#include "fernwood/core/option_table.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/recordings/mcap_recorder.h"
#include "fernwood/report/description.h"

namespace fernwood::apps {

/// Receives labelled frames without showing them: counts, checksums and recording, which every run needs.
class MeasuringSink : public predict::LiveSink {
 public:
  /// @param record_to  Folder for the incoming frames, FILE.mcap for these and their labels, or empty.
  MeasuringSink(const std::filesystem::path& record_to, const forest::Forest& forest);
  predict::PredictRequest request() override { return {mcap_recorder_ != nullptr, false}; }
  void captured(const recordings::CapturedFrame& frame) override;
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  void warn(const OptionSentence& sentence) override;
  void note(const std::string& sentence) override;
  void camera_lost(const std::string& why) override;
  void camera_back() override;
  /// Shows the current state of a map, on its own thread.
  virtual void show_map(const map::VoxelMap& map, const map::RecordingReport& so_far) {
    static_cast<void>(map), static_cast<void>(so_far);
  }
  /// Called when everything is written; adds this sink's results.
  void finish(report::LiveResult& result);

 private:
  std::unique_ptr<recordings::FrameRecorder> recorder_;
  std::unique_ptr<recordings::McapRecorder> mcap_recorder_;
  std::uint64_t labels_checksum_ = 0;
  std::size_t rows_ = 0, cols_ = 0, early_memory_bytes_ = 0;
};

/// Receives whether to show the labels of each frame without temporal fusion.
using ChooseSingle = std::function<void(bool single)>;

/// Options of window and video. Field names are those of the command line.
struct LiveViewOptions {
  std::filesystem::path save = ".";  ///< Folder for frames saved by the user.
  std::string initial_keys;          ///< Keys pressed before the first frame.
  std::string at;                    ///< "X,Y", the pixel pointed at until the mouse moves; empty: none.

  static OptionTable<LiveViewOptions> table();
  void check() const;  ///< @throws OptionError for text that is not a pixel.
};

/// Outputs of a LiveView.
struct LiveViewOutputs {
  std::unique_ptr<Window> window;      ///< Or null.
  std::unique_ptr<VideoWriter> video;  ///< Receives an image of each frame; or null.
  ChooseSingle choose_single;          ///< Called on the key; empty if labels are not fused over time.
};

/// Shows labelled frames in a window, in a video, or both, and handles keys.
class LiveView : public MeasuringSink {
 public:
  /// @param forest  Must outlive this object.
  LiveView(const std::filesystem::path& record_to, const LiveViewOptions& options, LiveViewOutputs outputs,
           const forest::Forest& forest, const std::string& device);
  predict::PredictRequest request() override {
    return {wants_probabilities_ || MeasuringSink::request().probabilities, false};
  }
  bool wants_frame() override { return !choice_.paused || choice_.step; }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  bool idle() override;
  void camera_lost(const std::string& why) override;
  void camera_back() override;

 private:
  void press(int key);
  void follow_mouse();
  bool explain();
  Array2<image::Rgb> draw();
  void save(const Array2<image::Rgb>& picture);
  std::string status(const predict::LiveReport& so_far);

  const LiveViewOptions options_;
  const LiveViewOutputs outputs_;
  const forest::Forest& forest_;
  const std::size_t depth_;
  std::string device_, status_, trouble_;
  LiveChoice choice_;
  LiveExplainer explainer_;
  std::optional<LiveExplanation> explanation_;  // of the last explained pixel, as chosen
  std::optional<Place> mouse_;
  std::atomic<bool> wants_probabilities_ = false;
  predict::LiveFrame last_;
  predict::ShownRate rate_;
};

}  // namespace fernwood::apps
