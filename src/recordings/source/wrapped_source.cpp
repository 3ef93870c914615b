// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/image/align_depth.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::recordings {

/// A source that modifies the frames of another one.
class WrappedSource : public FrameSource {
 public:
  explicit WrappedSource(std::shared_ptr<FrameSource> source) : source_(std::move(source)) {}

  std::optional<CapturedFrame> next() override {
    std::optional<CapturedFrame> captured = source_->next();
    if (!captured) return captured;
    auto frame = std::make_shared<image::Frame>(*captured->frame);
    change(*frame);
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

 protected:
  virtual void change(image::Frame& frame) const = 0;

 private:
  std::shared_ptr<FrameSource> source_;
};

namespace {

/// Adds feature maps to the frames of another source.
class MappedSource final : public WrappedSource {
 public:
  MappedSource(std::shared_ptr<FrameSource> source, std::size_t num_maps, FindMaps find_maps)
      : WrappedSource(std::move(source)), num_maps_(num_maps), find_maps_(std::move(find_maps)) {}

  std::size_t num_maps() const override { return num_maps_; }

 private:
  void change(image::Frame& frame) const override { frame.maps = find_maps_(frame); }

  std::size_t num_maps_;
  FindMaps find_maps_;
};

}  // namespace

std::shared_ptr<FrameSource> with_maps(std::shared_ptr<FrameSource> source, std::size_t num_maps, FindMaps find_maps) {
  return std::make_shared<MappedSource>(std::move(source), num_maps, std::move(find_maps));
}

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

}  // namespace fernwood::recordings
