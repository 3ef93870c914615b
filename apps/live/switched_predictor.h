// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

/// Steady labels, or those of each frame alone: whichever is chosen, from the next frame on.
class SwitchedPredictor : public predict::Predictor {
 public:
  /// @param forest  Must outlive this. @param options  Steady. @throws Error as predict::make_predictor() does.
  SwitchedPredictor(const forest::Forest& forest, const predict::PredictOptions& options)
      : forest_(forest), options_(options), steady_(predict::make_predictor(forest, options)) {
    options_.steady = false;
  }

  /// From any thread.
  void choose_single(bool single) { is_single_ = single; }
  predict::Prediction predict(const image::FrameImages& frame, const predict::PredictRequest& request) override {
    const bool single = is_single_;
    // Made when it is asked for: it seldom is, and takes memory.
    if (single && !single_) single_ = predict::make_predictor(forest_, options_);
    current_ = single ? single_.get() : steady_.get();
    return current_->predict(frame, request);
  }
  Device device() const override { return steady_->device(); }
  std::optional<predict::PredictTimes> last_times() const override { return current_->last_times(); }
  std::optional<predict::SteadyFrame> last_steady() const override { return current_->last_steady(); }
  std::string layout() const override { return steady_->layout(); }

 private:
  const forest::Forest& forest_;
  predict::PredictOptions options_;  // of the single labels
  std::unique_ptr<predict::Predictor> steady_, single_;
  predict::Predictor* current_ = steady_.get();
  std::atomic<bool> is_single_ = false;
};

}  // namespace fernwood::apps
