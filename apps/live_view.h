// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "live.h"
#include "live_picture.h"
#include "window.h"

namespace fernwood {

struct LiveViewOptions {
  std::unique_ptr<Window> window;      ///< Or null.
  std::unique_ptr<VideoWriter> video;  ///< Gets every picture; or null.
  std::filesystem::path save_to;       ///< Folder for frames that the user saves.
  std::string keys;                    ///< Pressed before the first frame.
};

/// Shows labelled frames in a window, in a video, or both, and does what the keys say.
class LiveView : public MeasuringSink {
 public:
  LiveView(const std::filesystem::path& record_to, LiveViewOptions options, const ClassMap& classes,
           const std::string& device);
  PredictRequest request() override { return {wants_probabilities_, false}; }
  bool wants_frame() override { return !choice_.paused || choice_.step; }
  bool show(const LiveFrame& frame, const LiveReport& so_far) override;
  bool idle() override;

 private:
  void press(int key);
  void draw();
  void save(const Array2<Rgb>& picture);
  std::string status(const LiveReport& so_far);

  LiveViewOptions options_;
  ClassMap classes_;
  std::string device_, status_;
  LiveChoice choice_;
  std::atomic<bool> wants_probabilities_ = false;
  LiveFrame last_;
  double last_shown_at_ = 0, period_s_ = 0;
};

}  // namespace fernwood
