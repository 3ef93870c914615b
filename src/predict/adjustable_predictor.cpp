// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/adjustable_predictor.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::predict {

AdjustablePredictor::AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options)
    : forest_(forest), options_(options), predictor_(make_predictor(forest, options)) {}

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
  options_ = changed;
  has_changed_ = true;
}

void AdjustablePredictor::choose_single(bool single) {
  const std::scoped_lock lock(mutex_);
  has_changed_ |= options_.steady == single;
  options_.steady = !single;
}

Prediction AdjustablePredictor::predict(const image::FrameImages& frame, const PredictRequest& request) {
  if (const auto options = changed()) {
    predictor_.reset();  // one at a time: a large forest is in memory once
    predictor_ = make_predictor(forest_, *options);
  }
  return predictor_->predict(frame, request);
}

std::optional<PredictOptions> AdjustablePredictor::changed() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(has_changed_, false) ? std::optional(options_) : std::nullopt;
}

}  // namespace fernwood::predict
