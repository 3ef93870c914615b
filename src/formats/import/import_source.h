// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "fernwood/recordings/frame_source.h"

namespace fernwood::formats {

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
  std::unique_ptr<recordings::FrameSource> source_;
  std::size_t next_ = 0;
};

/// Opens a data set of another program as a source of frames with poses. @param format  One of import_formats().
/// @throws as plan_import().
std::unique_ptr<recordings::FrameSource> open_import_source(const std::string& format,
                                                            const std::filesystem::path& place,
                                                            const recordings::SourceOptions& options);

/// Opens a video with a folder of depth images, which are assigned to its frames by the numbers in their names: from 0,
/// or from 1 if that is the first. A dataset.toml beside the video specifies the camera and how depth is read.
/// @throws Error(kData) for a folder without such images; as open_source().
std::unique_ptr<recordings::FrameSource> open_video_with_depth(const std::filesystem::path& video,
                                                               const std::filesystem::path& depth,
                                                               const recordings::SourceOptions& options);

/// The format of a recording, by the contents of its folder; empty if it is not a recording.
std::string recording_format_of(const std::filesystem::path& folder);

}  // namespace fernwood::formats
