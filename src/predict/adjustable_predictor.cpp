// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::predict {

AdjustablePredictor::AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options)
    : forest_(forest), options_(options) {
  choose();
}

void AdjustablePredictor::set(const std::string& name, const std::string& value) {
  const std::vector<std::string> names = label_options();
  const std::vector<std::string_view> views(names.begin(), names.end());
  FW_CHECK(std::ranges::find(names, name) != names.end(), Usage,
           "\"" << name << "\" cannot change while frames come" << did_you_mean(name, views)
                << "; these can: " << join(names));
  const std::scoped_lock lock(mutex_);
  PredictOptions changed = options_;
  set_options({{name, value}}, changed);
  changed.check();
  has_changed_ |= name != "steady";
  options_ = changed;
}

void AdjustablePredictor::choose_single(bool single) {
  const std::scoped_lock lock(mutex_);
  options_.steady = !single;
}

Prediction AdjustablePredictor::predict(const image::FrameImages& frame, const PredictRequest& request) {
  choose();
  return current_->predict(frame, request);
}

void AdjustablePredictor::choose() {
  std::unique_lock lock(mutex_);
  const PredictOptions options = options_;
  const bool begins_anew = std::exchange(has_changed_, false);
  lock.unlock();
  if (begins_anew) predictors_ = {};  // before others are created, so that a large forest is not in memory twice
  std::unique_ptr<Predictor>& chosen = predictors_[options.steady ? 1 : 0];
  if (!chosen) chosen = make_predictor(forest_, options);
  current_ = chosen.get();
}

}  // namespace fernwood::predict
