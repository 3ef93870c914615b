// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// A predictor whose options may change between frames; changes apply from the next frame on.
class AdjustablePredictor : public Predictor {
 public:
  /// @param forest  Must outlive this. @throws Error as make_predictor() does.
  AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options);

  /// Changes one of label_options(); may be called from any thread. @throws Error(kUsage) for an unknown option or a
  /// malformed value, OptionError for a value out of range; the options are unchanged then.
  void set(const std::string& name, const std::string& value);
  /// Switches between labelling each frame independently and steady labels, which continue from their last state; may
  /// be called from any thread.
  void choose_single(bool single);

  Prediction predict(const image::FrameImages& frame, const PredictRequest& request = {}) override;
  Device device() const override { return current_->device(); }
  std::optional<PredictTimes> last_times() const override { return current_->last_times(); }
  std::optional<SteadyFrame> last_steady() const override { return current_->last_steady(); }
  std::string layout() const override { return current_->layout(); }

 private:
  void choose();

  const forest::Forest& forest_;
  std::mutex mutex_;  // protects the next two
  PredictOptions options_;
  bool has_changed_ = false;                              // by other means than choose_single()
  std::array<std::unique_ptr<Predictor>, 2> predictors_;  // [is steady], created at first use
  Predictor* current_ = nullptr;
};

}  // namespace fernwood::predict
