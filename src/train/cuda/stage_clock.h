// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "core/cuda/runtime.h"
#include "fernwood/train/train.h"

namespace fernwood::train {

/// Measures the stages in a stream by events between them, without waiting for the stream.
class StageClock {
 public:
  using Stage = double StageSeconds::*;
  /// Work enqueued from here on belongs to the stage whose end is marked next.
  void start(const cuda::Stream& stream);
  void end(Stage stage, const cuda::Stream& stream);
  /// Sums of the finished stages; the stream must have completed them.
  StageSeconds take();

 private:
  struct Mark {
    cuda::Event event;
    Stage stage;  // null: start() only
  };
  void mark(Stage stage, const cuda::Stream& stream);

  std::vector<Mark> marks_;  // reused
  std::size_t used_ = 0;
};

}  // namespace fernwood::train
