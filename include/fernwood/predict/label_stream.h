// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>

#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// Labels the frames of a video in order, several of them in flight: a GPU uploads one while it labels another and
/// downloads the labels of a third. To be used from one thread at a time:
///
///     while (camera.read(&frame)) {
///       if (stream->is_full()) show(stream->pop());
///       stream->push(frame);
///     }
///     while (stream->num_in_flight() > 0) show(stream->pop());
class LabelStream {
 public:
  virtual ~LabelStream() = default;
  /// Most frames in flight.
  virtual int capacity() const = 0;
  virtual int num_in_flight() const = 0;
  bool is_full() const { return num_in_flight() == capacity(); }

  /// Begins with a frame, which may go afterwards.
  /// @throws Error(kUsage) when the stream is full, Error(kData) when the frame lacks a channel's source.
  virtual void push(const image::Frame& frame) = 0;
  /// Labels of the frame that was pushed first of those in flight, as a Predictor gives them; waits for them.
  /// @throws Error(kUsage) when none is in flight.
  virtual image::LabelImage pop() = 0;
  /// Of the frame popped last; nothing on the CPU. Work of other frames that ran beside it is included.
  virtual std::optional<PredictTimes> last_times() const { return std::nullopt; }
};

/// @param frames_in_flight  At least 1; 3 keep a GPU busy.
/// @throws Error as make_predictor() does.
std::unique_ptr<LabelStream> make_label_stream(const forest::Forest& forest, const PredictOptions& options = {},
                                               int frames_in_flight = 3);

}  // namespace fernwood::predict
