// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// A predictor whose options may change while it labels, from the next frame on.
class AdjustablePredictor : public Predictor {
 public:
  /// @param forest  Must outlive this. @throws Error as make_predictor() does.
  AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options);

  /// Changes one of label_options(), from any thread. @throws Error(kUsage) for another name or a text that is no
  /// value, OptionError out of its range; nothing is changed then.
  void set(const std::string& name, const std::string& value);
  /// Labels of each frame alone, or steady ones; from any thread.
  void choose_single(bool single);

  Prediction predict(const image::FrameImages& frame, const PredictRequest& request = {}) override;
  Device device() const override { return predictor_->device(); }
  std::optional<PredictTimes> last_times() const override { return predictor_->last_times(); }
  std::optional<SteadyFrame> last_steady() const override { return predictor_->last_steady(); }
  std::string layout() const override { return predictor_->layout(); }

 private:
  std::optional<PredictOptions> changed();

  const forest::Forest& forest_;
  std::mutex mutex_;  // of the next two
  PredictOptions options_;
  bool has_changed_ = false;
  std::unique_ptr<Predictor> predictor_;
};

}  // namespace fernwood::predict
