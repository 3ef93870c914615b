// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/source/aligned_source.h"

#include <utility>

#include "dataset/source/wrapped_source.h"
#include "fernwood/image/align_depth.h"

namespace fernwood::dataset {

namespace {

class AlignedSource final : public WrappedSource {
 public:
  AlignedSource(std::unique_ptr<FrameSource> source, const image::CameraPair& cameras)
      : WrappedSource(std::move(source)), cameras_(cameras) {}

 private:
  void change(image::Frame& frame) const override {
    frame.depth_mm = image::aligner_for(cameras_, frame.depth_mm.cols(), frame.depth_mm.rows(), frame.color.cols(),
                                        frame.color.rows())
                         ->align(frame.depth_mm);
  }

  image::CameraPair cameras_;
};

}  // namespace

std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source) {
  const std::optional<image::CameraPair> cameras = source->depth_cameras();
  if (!cameras) return source;
  return std::make_unique<AlignedSource>(std::move(source), *cameras);
}

}  // namespace fernwood::dataset
