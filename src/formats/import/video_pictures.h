// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// Images of a video in sequence, to which depth images are assigned by number.
class VideoPictures {
 public:
  /// @throws as open_source().
  explicit VideoPictures(std::filesystem::path path);

  /// @param index  A smaller one than in the previous call restarts the video. @throws Error(kData) if the video ends
  /// before.
  Array2<image::Rgb> picture(std::size_t index);
  std::vector<std::string> warnings() const { return source_->warnings(); }

 private:
  std::filesystem::path path_;
  std::unique_ptr<FrameSource> source_;
  std::size_t next_ = 0;
};

}  // namespace fernwood::dataset
