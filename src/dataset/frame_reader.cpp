// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_reader.h"

#include "dataset/dataset_folder.h"
#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

image::Frame read_frame_files(const FramePaths& paths, const FrameReading& reading) {
  image::Frame frame;
  if (!paths.color.empty()) frame.color = read_color(paths.color);
  if (!paths.depth.empty()) frame.depth_mm = read_depth(paths.depth, reading.depth_scale_to_mm, reading.depth_missing);
  if (!paths.color.empty() && !paths.depth.empty())
    check_same_size(paths.depth, frame.depth_mm.cols(), frame.depth_mm.rows(), paths.color, frame.color.cols(),
                    frame.color.rows());
  if (!paths.maps.empty()) {
    frame.maps = read_maps(paths.maps);
    FW_CHECK(frame.maps.rows <= frame.rows() && frame.maps.cols <= frame.cols(), Data,
             paths.maps.string() << ": the maps are " << size_text(frame.maps.cols, frame.maps.rows)
                                 << " cells and the frame is " << size_text(frame.cols(), frame.rows())
                                 << " pixels; the array is [maps][rows][cols], as fine as the frame or coarser");
  }
  frame.camera = reading.camera;
  frame.up = paths.up.empty() ? reading.up : read_up_file(paths.up);
  return frame;
}

}  // namespace fernwood::dataset
