// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/source/wrapped_source.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
