// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"

namespace fernwood::apps {

/// Passes labelled frames to another sink, and then offers them to a map.
class MappingSink : public predict::ForwardingSink {
 public:
  /// Both must outlive this object.
  MappingSink(predict::LiveSink& inner, map::LiveMap& map) : ForwardingSink(inner), map_(map) {}

  predict::PredictRequest request() override {
    predict::PredictRequest request = inner_.request();
    request.probabilities |= map_.wants_frame();
    return request;
  }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override {
    const bool goes_on = inner_.show(frame, so_far);
    map_.offer(frame);
    return goes_on;
  }

 private:
  map::LiveMap& map_;
};

}  // namespace fernwood::apps
