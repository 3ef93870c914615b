// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
