// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_label_stream.h"

#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::predict {

CpuLabelStream::CpuLabelStream(const forest::Forest& forest, int threads, Isa isa, const Smoothing& smoothing,
                               int capacity)
    : predictor_(forest, threads, isa, smoothing), capacity_(capacity) {}

void CpuLabelStream::push(const image::Frame& frame) {
  check_push(*this);
  labels_.push_back(predictor_.predict(frame, {}).labels);
}

image::LabelImage CpuLabelStream::pop() {
  check_pop(*this);
  image::LabelImage labels = std::move(labels_.front());
  labels_.pop_front();
  return labels;
}

void check_push(const LabelStream& stream) {
  FW_CHECK(!stream.is_full(), Usage,
           "the label stream is full with " << stream.capacity() << " frames; pop labels before the next push");
}

void check_pop(const LabelStream& stream) {
  FW_CHECK(stream.num_in_flight() > 0, Usage, "the label stream is empty; push a frame before the next pop");
}

}  // namespace fernwood::predict
