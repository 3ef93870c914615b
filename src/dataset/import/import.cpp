// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/import.h"

#include <algorithm>
#include <cerrno>

#include "dataset/import/formats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Refuses what the format has no use for, so that nothing is ignored.
void check_options(const ImportFormat& format, const ImportOptions& options) {
  const bool is_folders = format.name == "folders";
  const auto refuse = [&](bool is_given, const char* option) {
    FW_CHECK(!is_given, Usage,
             "the format " << std::string(format.name) << " has no " << option << "; leave it out, or import folders");
  };
  FW_CHECK(!options.in.empty(), Usage,
           "the format " << std::string(format.name) << " reads " << std::string(format.reads) << "; name it");
  if (!is_folders) {
    refuse(!options.colors.empty(), "--colors");
    refuse(!options.labels.empty(), "--labels");
  }
  const bool is_voc = format.name == "voc";
  refuse(!options.classes.empty() && !is_folders && !is_voc, "--classes");
  refuse(!options.images.empty() && !format.is_annotation, "--images");
  refuse(!options.depth.empty() && !format.is_annotation && !is_folders && !is_voc, "--depth");
  refuse(!options.background.empty() && !format.is_annotation && format.name != "bop", "--background");
  FW_CHECK(
      options.depth.empty() || is_folders || options.depth.find("{}") != std::string::npos, Usage,
      "--depth is \"" << options.depth << "\"; write {} where the names of pictures stand, such as 'depth/{}.png'");
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> kFormats = {
      {"2d3ds", "2D-3D-S: areas with rgb, depth and semantic", "a folder", plan_2d3ds},
      {"7scenes", "7-Scenes: sequences of a Kinect", "a folder", plan_seven_scenes},
      {"bop", "BOP: scenes of known objects, by visible masks", "a folder", plan_bop},
      {"coco", "COCO: objects or stuff (polygons, run lengths), panoptic", "annotations.json", plan_coco, true},
      {"cvat", "CVAT XML 1.1 for images or for video", "annotations.xml", plan_cvat, true},
      {"folders", "Any folders of files, found by patterns", "a folder", plan_folders},
      {"label-studio", "Label Studio's JSON", "export.json", plan_label_studio, true},
      {"labelme", "labelme's JSON file beside each picture", "a folder or one file", plan_labelme, true},
      {"scannet", "ScanNet's exported frames, 40 classes", "a folder", plan_scannet},
      {"sunrgbd", "SUN RGB-D with seg.mat", "a folder", plan_sunrgbd},
      {"supervisely", "A project of Supervisely", "a folder with meta.json", plan_supervisely, true},
      {"tum", "TUM RGB-D: a sequence with rgb.txt and depth.txt", "a folder", plan_tum},
      {"voc", "PASCAL VOC: JPEGImages and SegmentationClass", "a folder", plan_voc},
  };
  return kFormats;
}

const ImportFormat& find_import_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  return import_formats()[find_name("format", name, names)];
}

ImportPlan plan_import(const std::string& format, const ImportOptions& options) {
  const ImportFormat& row = find_import_format(format);
  check_options(row, options);
  if (!fs::exists(options.in))
    throw FileError(ErrorKind::kData, options.in, ENOENT,
                    "does not exist; the format " + format + " reads " + std::string(row.reads));
  ImportPlan plan = row.plan(options);
  if (options.depth_scale_to_mm) plan.config.depth_scale_to_mm = options.depth_scale_to_mm;
  return plan;
}

}  // namespace fernwood::dataset
