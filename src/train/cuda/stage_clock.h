// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "core/cuda/runtime.h"
#include "fernwood/train/train.h"

namespace fernwood::train {

/// Times of the stages in a stream, from events between them: nothing waits for a clock.
class StageClock {
 public:
  using Stage = double StageSeconds::*;
  /// What follows in the stream belongs to the stage whose end is marked next.
  void start(const cuda::Stream& stream);
  void end(Stage stage, const cuda::Stream& stream);
  /// Adds up the stages ended; the stream must have passed them.
  StageSeconds take();

 private:
  struct Mark {
    cuda::Event event;
    Stage stage;  // null: start() only
  };
  void mark(Stage stage, const cuda::Stream& stream);

  std::vector<Mark> marks_;  // used again and again
  std::size_t used_ = 0;
};

}  // namespace fernwood::train
