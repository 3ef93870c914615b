// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_reader.h"

#include "dataset/dataset_folder.h"
#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

void check_fits(const std::filesystem::path& path, const image::SuppliedMaps& maps, std::size_t rows,
                std::size_t cols) {
  FW_CHECK(maps.rows <= rows && maps.cols <= cols, Data,
           path.string() << ": the maps are " << size_text(maps.cols, maps.rows) << " cells and the frame is "
                         << size_text(cols, rows)
                         << " pixels; the array is [maps][rows][cols], as fine as the frame or coarser");
}

void check_as_many(const std::filesystem::path& path, std::size_t num_maps, std::size_t num_of_first) {
  FW_CHECK(num_maps == num_of_first, Data,
           path.string() << ": has " << num_maps << " maps, the first frame has " << num_of_first
                         << "; give all frames the same maps");
}

image::Frame read_frame_files(const FramePaths& paths, const FrameReading& reading) {
  image::Frame frame;
  if (!paths.color.empty()) frame.color = read_color(paths.color);
  if (!paths.depth.empty()) frame.depth_mm = read_depth(paths.depth, reading.depth_scale_to_mm, reading.depth_missing);
  if (!paths.color.empty() && !paths.depth.empty())
    check_same_size(paths.depth, frame.depth_mm.cols(), frame.depth_mm.rows(), paths.color, frame.color.cols(),
                    frame.color.rows());
  if (!paths.maps.empty()) {
    frame.maps = read_maps(paths.maps);
    check_fits(paths.maps, frame.maps, frame.rows(), frame.cols());
  }
  frame.camera = reading.camera;
  frame.up = paths.up.empty() ? reading.up : read_up_file(paths.up);
  return frame;
}

}  // namespace fernwood::dataset
