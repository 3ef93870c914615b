// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// Pictures of a video, one after another, to which depth images belong by their numbers.
class VideoPictures {
 public:
  /// @throws as open_source().
  explicit VideoPictures(std::filesystem::path path);

  /// @param index  Above that of the call before, or the video begins again. @throws Error(kData) where it ends before.
  Array2<image::Rgb> picture(std::size_t index);

 private:
  std::filesystem::path path_;
  std::unique_ptr<FrameSource> source_;
  std::size_t next_ = 0;
};

}  // namespace fernwood::dataset
