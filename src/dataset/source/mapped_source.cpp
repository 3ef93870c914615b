// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

namespace {

/// Gives the frames of another source maps.
class MappedSource final : public FrameSource {
 public:
  MappedSource(std::shared_ptr<FrameSource> source, std::size_t num_maps, FindMaps find_maps)
      : source_(std::move(source)), num_maps_(num_maps), find_maps_(std::move(find_maps)) {}

  std::optional<CapturedFrame> next() override {
    std::optional<CapturedFrame> captured = source_->next();
    if (!captured) return captured;
    auto frame = std::make_shared<image::Frame>(*captured->frame);
    frame->maps = find_maps_(*captured->frame);
    captured->frame = std::move(frame);
    return captured;
  }
  void stop() override { source_->stop(); }
  bool has_color() const override { return source_->has_color(); }
  bool has_depth() const override { return source_->has_depth(); }
  std::size_t num_maps() const override { return num_maps_; }
  bool has_camera() const override { return source_->has_camera(); }
  bool has_poses() const override { return source_->has_poses(); }
  bool is_live() const override { return source_->is_live(); }
  bool may_come_back() const override { return source_->may_come_back(); }
  std::string name() const override { return source_->name(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }

 private:
  std::shared_ptr<FrameSource> source_;
  std::size_t num_maps_;
  FindMaps find_maps_;
};

}  // namespace

std::shared_ptr<FrameSource> with_maps(std::shared_ptr<FrameSource> source, std::size_t num_maps, FindMaps find_maps) {
  return std::make_shared<MappedSource>(std::move(source), num_maps, std::move(find_maps));
}

}  // namespace fernwood::dataset
