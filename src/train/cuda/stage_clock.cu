// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/stage_clock.h"

namespace fernwood::train {

void StageClock::mark(Stage stage, const cuda::Stream& stream) {
  if (used_ == marks_.size()) marks_.emplace_back();
  marks_[used_].event.record(stream);
  marks_[used_].stage = stage;
  ++used_;
}

void StageClock::start(const cuda::Stream& stream) { mark(nullptr, stream); }
void StageClock::end(Stage stage, const cuda::Stream& stream) { mark(stage, stream); }

StageSeconds StageClock::take() {
  StageSeconds seconds;
  for (std::size_t i = 1; i < used_; ++i)
    if (marks_[i].stage) seconds.*marks_[i].stage += marks_[i].event.seconds_since(marks_[i - 1].event);
  used_ = 0;
  return seconds;
}

}  // namespace fernwood::train
