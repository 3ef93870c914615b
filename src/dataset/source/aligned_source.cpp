// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/source/aligned_source.h"

#include <utility>

#include "fernwood/image/align_depth.h"

namespace fernwood::dataset {

namespace {

class AlignedSource final : public FrameSource {
 public:
  AlignedSource(std::unique_ptr<FrameSource> source, const image::CameraPair& cameras)
      : source_(std::move(source)), cameras_(cameras) {}

  std::optional<CapturedFrame> next() override {
    std::optional<CapturedFrame> captured = source_->next();
    if (!captured) return captured;
    auto frame = std::make_shared<image::Frame>(*captured->frame);
    frame->depth_mm = image::aligner_for(cameras_, frame->depth_mm.cols(), frame->depth_mm.rows(), frame->color.cols(),
                                         frame->color.rows())
                          ->align(frame->depth_mm);
    captured->frame = std::move(frame);
    return captured;
  }
  void stop() override { source_->stop(); }
  bool has_color() const override { return source_->has_color(); }
  bool has_depth() const override { return source_->has_depth(); }
  std::size_t num_maps() const override { return source_->num_maps(); }
  bool has_camera() const override { return source_->has_camera(); }
  bool has_poses() const override { return source_->has_poses(); }
  bool is_live() const override { return source_->is_live(); }
  bool may_come_back() const override { return source_->may_come_back(); }
  std::string name() const override { return source_->name(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }

 private:
  std::unique_ptr<FrameSource> source_;
  image::CameraPair cameras_;
};

}  // namespace

std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source) {
  const std::optional<image::CameraPair> cameras = source->depth_cameras();
  if (!cameras) return source;
  return std::make_unique<AlignedSource>(std::move(source), *cameras);
}

}  // namespace fernwood::dataset
