// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/explainer.h"

#include <algorithm>

#include "fernwood/core/progress.h"
#include "fernwood/predict/prepare_for.h"

namespace fernwood::apps {

namespace {

constexpr double kLeastPeriodS = 0.25;
constexpr double kMostShare = 0.05;  // of one core's time

}  // namespace

bool LiveExplainer::update(const std::shared_ptr<const image::Frame>& frame, bool at_once) {
  if (!pixel_ || !frame) return false;
  const bool is_prepared = explanation_ && explanation_->frame == frame;
  if (is_prepared && *pixel_ == Place{explanation_->why.x, explanation_->why.y}) return false;
  const double begin = seconds_now();
  if (!at_once && begin < next_at_) return false;
  if (!is_prepared) prepared_ = predict::prepare_for(forest_, *frame);
  explanation_ = {fernwood::evaluate::explain(forest_, prepared_, pixel_->x, pixel_->y), frame};
  const double end = seconds_now();
  next_at_ = begin + std::max(kLeastPeriodS, (end - begin) / kMostShare);
  return true;
}

}  // namespace fernwood::apps
