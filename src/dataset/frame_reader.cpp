// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_reader.h"

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
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

Array2<std::uint16_t> depth_for_color(Array2<std::uint16_t> depth_mm, const FrameSize& size,
                                      const DatasetConfig& config, const std::filesystem::path& depth,
                                      const std::filesystem::path& color) {
  if (config.cameras)
    return image::aligner_for(*config.cameras, depth_mm.cols(), depth_mm.rows(), size.cols, size.rows)->align(depth_mm);
  if (depth_mm.rows() == size.rows && depth_mm.cols() == size.cols) return depth_mm;
  if (image::have_same_proportions(depth_mm.cols(), depth_mm.rows(), size.cols, size.rows))
    return image::scaled_depth(depth_mm, size.cols, size.rows);
  check_same_size(depth, depth_mm.cols(), depth_mm.rows(), color, size.cols, size.rows);
  return depth_mm;
}

std::vector<std::string> depth_notes(const std::filesystem::path& folder, const FrameFiles& files,
                                     const DatasetConfig& config) {
  std::vector<std::string> notes;
  if (files.depth.empty()) return notes;
  try {
    const ImageHeader depth = read_image_header(files.depth);
    // Images with other floats than these are rejected when they are read.
    const bool is_float = depth.numbers == NumberKind::kFloat &&
                          (depth.format == kArrayFormat || (depth.bits == 32 && depth.num_channels == 1));
    if ((depth.format == kArrayFormat || is_float) && !config.depth_scale_to_mm)
      notes.push_back(folder.string() + ": the depth of " + files.depth.filename().string() + " is taken for " +
                      (is_float ? "metres" : "millimetres") + "; write depth_scale = " + (is_float ? "1000" : "1") +
                      " into dataset.toml to say so, or the millimetres that 1 stands for");
    if (files.color.empty() || config.cameras) return notes;
    const ImageHeader color = read_image_header(files.color);
    const bool is_scaled = (depth.width != color.width || depth.height != color.height) &&
                           image::have_same_proportions(depth.width, depth.height, color.width, color.height);
    if (is_scaled)
      notes.push_back(folder.string() + ": depth is " + size_text(depth.width, depth.height) +
                      " pixels and colour is " + size_text(color.width, color.height) +
                      "; each pixel of colour is given the depth of the nearest, which is right if both show the same: "
                      "if they do not, give depth_camera in dataset.toml");
  } catch (const Error&) {  // reported when the frame is read
  }
  return notes;
}

image::Frame read_frame_files(const FrameFiles& files, const DatasetConfig& config) {
  image::Frame frame;
  if (!files.color.empty()) frame.color = read_color(files.color);
  if (!files.depth.empty()) frame.depth_mm = read_depth(files.depth, config.depth_scale_to_mm, config.depth_missing);
  if (!files.color.empty() && !files.depth.empty())
    frame.depth_mm = depth_for_color(std::move(frame.depth_mm), {frame.color.rows(), frame.color.cols()}, config,
                                     files.depth, files.color);
  if (!files.maps.empty()) {
    frame.maps = read_maps(files.maps);
    check_fits(files.maps, frame.maps, frame.rows(), frame.cols());
  }
  frame.camera = config.camera_of(files.name);
  frame.up = files.up.empty() ? config.up : read_up_file(files.up);
  return frame;
}

}  // namespace fernwood::dataset
