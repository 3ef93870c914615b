// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// SUN RGB-D: a folder for each frame, with seg.mat.

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "fernwood/core/error.h"
#include "formats/import/formats.h"
#include "formats/import/mat_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

/// Depth is stored with its lowest three bits rotated to the top.
Array2<std::uint16_t> read_rotated_depth(const fs::path& file) {
  Array2<std::uint16_t> depth = dataset::read_stored_depth(file, {}).steps;
  for (std::uint16_t& value : depth) {
    value = static_cast<std::uint16_t>(value >> 3 | value << 13);
    if (value > image::kMaxDepthMm) value = 0;
  }
  return depth;
}

struct SunLabels {
  std::vector<std::uint16_t> numbers;  // [col][row], 0 is void
  std::vector<std::string> names;      // of 1, 2 ...
};

SunLabels read_seg(const fs::path& file) {
  const MatFile mat(file);
  SunLabels labels;
  labels.names = mat.read_strings("names");
  const auto take = [&](auto number) {
    const MatArray<decltype(number)> array(mat, "seglabel", 2);
    std::vector<decltype(number)> column;
    for (std::size_t i = 0; i < array.num_slices(); ++i) {
      array.read_slice(i, column);
      for (const auto value : column) {
        const auto number = static_cast<double>(value);  // may be negative or NaN, where the file has such
        labels.numbers.push_back(number > 0 && number <= 65535 ? static_cast<std::uint16_t>(value) : std::uint16_t{0});
      }
    }
  };
  try {
    take(std::uint16_t{});
  } catch (const Error&) {
    labels.numbers.clear();
    try {
      take(std::uint8_t{});
    } catch (const Error&) {
      labels.numbers.clear();
      take(double{});
    }
  }
  return labels;
}

image::LabelImage sun_labels(const fs::path& file, const dataset::FrameSize& size, const ClassNames& classes) {
  const SunLabels seg = read_seg(file);
  FW_CHECK(seg.numbers.size() == size.rows * size.cols, Data,
           file.string() << " has " << seg.numbers.size() << " labels, the image has " << size.rows * size.cols
                         << " pixels; unpack both again");
  image::LabelImage labels(size.rows, size.cols, image::kVoid);
  for (std::size_t i = 0; i < seg.numbers.size(); ++i) {
    const std::uint16_t number = seg.numbers[i];
    if (number == 0 || number > seg.names.size()) continue;
    const auto label = classes.find(seg.names[number - 1u]);
    if (label) labels(i % size.rows, i / size.rows) = *label;
  }
  return labels;
}

}  // namespace

ImportPlan plan_sunrgbd(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  std::vector<std::pair<std::size_t, fs::path>> with_labels;
  const std::vector<fs::path> folders = folders_with(options.in, "image");
  for (const fs::path& folder : folders) {
    const dataset::FilesByName colors = files_if_any(folder, {"image/{}.jpg", "image/{}.png"});
    dataset::FilesByName depths = files_if_any(folder, {"depth_bfx/{}.png"});
    if (depths.empty()) depths = files_if_any(folder, {"depth/{}.png"});
    if (colors.empty() || depths.empty()) continue;
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = folder_name(folder);
    frame.color = colors.begin()->second;
    const fs::path depth = depths.begin()->second;
    frame.depth = depth;
    frame.read_depth_mm = [depth] { return read_rotated_depth(depth); };
    if (const fs::path seg = folder / "seg.mat"; fs::exists(seg)) with_labels.emplace_back(plan.frames.size() - 1, seg);
    if (const fs::path intrinsics = folder / "intrinsics.txt"; fs::exists(intrinsics)) {
      frame.camera =
          dataset::camera_of_matrix(dataset::numbers_of_file(intrinsics, 9), 3, dataset::size_of_picture(frame.color));
      plan.config.camera_origin = intrinsics.string();
    }
  }
  check_found(plan, options.in,
              "folders with image/, depth_bfx/ (or depth/), intrinsics.txt and seg.mat, as kv1/NYUdata/NYU0001");
  for (const auto& [frame, seg] : with_labels)
    for (const std::string& name : read_seg(seg).names)
      if (!name.empty()) names.add(name);
  plan.config.classes = names.classes();
  for (const auto& [frame, seg] : with_labels)
    plan.frames[frame].truth = [seg = seg, names](const dataset::FrameSize& size) {
      return sun_labels(seg, size, names);
    };
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
