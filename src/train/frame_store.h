// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"
#include "train/kept_frames.h"

namespace fernwood::train {

/// A frame as training on the CPU needs it.
struct LoadedFrame {
  image::PreparedFrame prepared;
  image::LabelImage labels;

  std::size_t size_bytes() const { return prepared.size_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// The frames of a data set, prepared.
class FrameStore : public KeptFrames<LoadedFrame> {
 public:
  FrameStore(const dataset::Dataset& dataset, const image::ClassMap& classes, const image::Preparation& preparation,
             std::size_t budget_bytes)
      : KeptFrames(dataset.size(), budget_bytes, [this, &dataset, &classes, preparation](std::uint32_t index) {
          LoadedFrame loaded;
          loaded.labels = dataset.read_labels(index, classes);
          loaded.prepared = image::PreparedFrame(dataset.read_frame(index), preparation);
          if (!context_.empty()) loaded.prepared.set_context(context_[index]);
          return loaded;
        }) {}
  FrameStore(const FrameStore&) = delete;  // loading asks for its own context
  FrameStore& operator=(const FrameStore&) = delete;

  /// The context channels of all frames from now on. @param maps  [frame]
  void set_context(std::vector<image::ContextMaps> maps, ThreadPool& pool) {
    context_ = std::move(maps);
    update_kept(pool, [&](std::uint32_t index, LoadedFrame& frame) { frame.prepared.set_context(context_[index]); });
  }

 private:
  std::vector<image::ContextMaps> context_;  // [frame], or empty
};

}  // namespace fernwood::train
