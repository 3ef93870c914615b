// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/import/video_pictures.h"

#include "fernwood/core/error.h"

namespace fernwood::dataset {

VideoPictures::VideoPictures(std::filesystem::path path)
    : path_(std::move(path)), source_(open_source("video:" + path_.string())) {}

Array2<image::Rgb> VideoPictures::picture(std::size_t index) {
  if (index < next_) {
    source_ = open_source("video:" + path_.string());
    next_ = 0;
  }
  std::optional<CapturedFrame> frame;
  for (; next_ <= index; ++next_) {
    frame = source_->next();
    FW_CHECK(frame, Data,
             path_.string() << ": ends after " << next_ << " pictures, and depth number " << index
                            << " is there; copy both again from where they were recorded");
  }
  return frame->frame->color;
}

}  // namespace fernwood::dataset
