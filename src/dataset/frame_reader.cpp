// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_reader.h"

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/index_labels.h"
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
           path.string() << " has " << num_maps << " maps, the first frame has " << num_of_first
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
                      "if they do not, use depth_camera in dataset.toml");
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

namespace {

template <typename T>
void check_fits_frame(const std::filesystem::path& path, const Array2<T>& truth, const FrameFiles& files) {
  const std::filesystem::path& partner = files.color.empty() ? files.depth : files.color;
  const FrameSize size = size_of_picture(partner);
  check_same_size(path, truth.cols(), truth.rows(), partner, size.cols, size.rows);
}

}  // namespace

Array2<image::Rgb> read_truth_of(const std::filesystem::path& folder, const FrameFiles& files,
                                 const DatasetConfig& config) {
  FW_CHECK(!files.truth.empty(), Data,
           (folder / files.name).string()
               << ": the frame has no ground truth (" << files.name << "_ground_truth.png is missing); add the file");
  Array2<image::Rgb> truth = read_truth(files.truth, config);
  check_fits_frame(files.truth, truth, files);
  return truth;
}

namespace {

class FolderFrames final : public DatasetFrames {
 public:
  FolderFrames(std::filesystem::path folder, std::shared_ptr<const std::vector<FrameFiles>> files, DatasetConfig config)
      : folder_(std::move(folder)), files_(std::move(files)), config_(std::move(config)) {}

  image::Frame read_frame(std::size_t number, const image::FrameContent& content) const override {
    const FrameFiles& files = (*files_)[number];
    image::Frame frame = read_frame_files(files, config_);
    check_as_many(files.maps, frame.maps.num_maps, content.num_maps);
    return frame;
  }
  image::LabelImage read_labels(std::size_t number, const image::ClassMap& classes,
                                const ColorLookup& lookup) const override {
    const FrameFiles& files = (*files_)[number];
    return to_labels(files.truth, read_truth_of(folder_, files, config_), lookup, classes, config_.labels);
  }
  bool has_instances(std::size_t number) const override { return !(*files_)[number].instances.empty(); }
  image::InstanceImage read_instances(std::size_t number) const override {
    const FrameFiles& files = (*files_)[number];
    image::InstanceImage instances = dataset::read_instances(files.instances);
    check_fits_frame(files.instances, instances, files);
    return instances;
  }
  FrameSize size(std::size_t number) const override {
    const FrameFiles& files = (*files_)[number];
    return size_of_picture(files.color.empty() ? files.depth : files.color);
  }
  void add_depths(std::size_t number, DepthHistogram& depths) const override {
    const Array2<std::uint16_t> raw = read_stored_depth((*files_)[number].depth, config_.depth_scale_to_mm).steps;
    image::FrameImages frame;
    frame.rows = raw.rows();
    frame.cols = raw.cols();
    frame.depth_mm = raw.data();
    depths.add_some(frame);
  }

 private:
  std::filesystem::path folder_;
  std::shared_ptr<const std::vector<FrameFiles>> files_;
  DatasetConfig config_;
};

}  // namespace

std::shared_ptr<const DatasetFrames> frames_in_files(std::filesystem::path folder,
                                                     std::shared_ptr<const std::vector<FrameFiles>> files,
                                                     DatasetConfig config) {
  return std::make_shared<FolderFrames>(std::move(folder), std::move(files), std::move(config));
}

}  // namespace fernwood::dataset
