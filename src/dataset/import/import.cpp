// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/import.h"

#include <algorithm>
#include <cerrno>

#include "dataset/import/formats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Refuses what the format has no use for, so that nothing is ignored.
void check_options(const ImportFormat& format, const ImportOptions& options) {
  FW_CHECK(!options.in.empty(), Usage,
           "the format " << std::string(format.name) << " reads " << std::string(format.reads) << "; name it");
  const auto check = [&](bool is_given, ImportChoice choice, const char* option) {
    FW_CHECK(!is_given || format.has(choice), Usage,
             "the format " << std::string(format.name) << " has no " << option << "; leave it out, or import folders");
  };
  check(!options.colors.empty(), kChoosesColors, "--colors");
  check(!options.labels.empty(), kChoosesLabels, "--labels");
  check(!options.classes.empty(), kChoosesClasses, "--classes");
  check(!options.images.empty(), kChoosesImages, "--images");
  check(!options.depth.empty(), kChoosesDepth, "--depth");
  check(!options.background.empty(), kChoosesBackground, "--background");
  check(options.min_confidence.has_value(), kChoosesConfidence, "--min-confidence");
  require_option(options.min_confidence.value_or(0) >= 0 && options.min_confidence.value_or(0) <= 2, "min-confidence",
                 options.min_confidence.value_or(0), "give 0 (low), 1 (medium) or 2 (high)");
  require_option(options.depth_scale_to_mm.value_or(1) > 0, "depth-scale", options.depth_scale_to_mm.value_or(1),
                 "give the millimetres per step, such as 0.2");
  const bool is_of_pictures = format.has(kChoosesDepth) && !format.has(kChoosesColors);
  require_option(options.depth.empty() || !is_of_pictures || options.depth.find("{}") != std::string::npos, "depth",
                 in_quotes(options.depth), "write {} where the names of pictures stand, such as 'depth/{}.png'");
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  constexpr unsigned kAnnotations = kChoosesImages | kChoosesDepth | kChoosesBackground;
  static const std::vector<ImportFormat> kFormats = {
      {"2d3ds", "2D-3D-S: areas with rgb, depth and semantic", "a folder", "area_1", plan_2d3ds},
      {"7scenes", "7-Scenes: sequences of a Kinect", "a folder", "chess", plan_seven_scenes},
      {"ade20k", "ADE20K: all objects (_seg.png, JSON), or 150 classes", "a folder", "ADE20K_2021_17_01", plan_ade20k},
      {"bop", "BOP: scenes of known objects, by visible masks", "a folder", "lm/test", plan_bop, kChoosesBackground},
      {"coco", "COCO: objects or stuff (polygons, run lengths), panoptic", "annotations.json",
       "annotations.json --images pictures", plan_coco, kAnnotations},
      {"cvat", "CVAT XML 1.1 for images or for video", "annotations.xml", "annotations.xml --images pictures",
       plan_cvat, kAnnotations},
      {"folders", "Any folders of files, found by patterns", "a folder",
       "data --colors 'rgb/{}.jpg' --depth 'depth/{}.png' --labels 'label/{}.png'", plan_folders,
       kChoosesColors | kChoosesDepth | kChoosesLabels | kChoosesClasses},
      {"hypersim", "Hypersim: scenes with HDF5 files of depth and labels", "a folder", "scenes", plan_hypersim},
      {"label-studio", "Label Studio's JSON", "export.json", "export.json --images pictures", plan_label_studio,
       kAnnotations},
      {"labelme", "labelme's JSON file beside each picture", "a folder or one file", "annotated", plan_labelme,
       kAnnotations},
      {"record3d", "Record3D's export as EXR + JPG", "a folder", "EXR_RGBD", plan_record3d, kChoosesConfidence},
      {"rosbag", "ROS: MCAP, rosbag2, bags of ROS 1; --colors and --depth name topics", "a recording of ROS",
       "desk.mcap", plan_rosbag, kChoosesColors | kChoosesDepth},
      {"scannet", "ScanNet's exported frames, 40 classes", "a folder", "scans", plan_scannet},
      {"stray-scanner", "Stray Scanner: scans of an iPhone with lidar", "a folder", "scan", plan_stray_scanner,
       kChoosesConfidence},
      {"sunrgbd", "SUN RGB-D with seg.mat", "a folder", "SUNRGBD", plan_sunrgbd},
      {"supervisely", "A project of Supervisely", "a folder with meta.json", "project", plan_supervisely, kAnnotations},
      {"tartanair", "TartanAir: sequences of version 1 or 2", "a folder", "tartanair", plan_tartanair},
      {"tum", "TUM RGB-D: a sequence with rgb.txt and depth.txt", "a folder", "rgbd_dataset_freiburg1_desk", plan_tum},
      {"voc", "PASCAL VOC: JPEGImages and SegmentationClass", "a folder", "VOCdevkit/VOC2012", plan_voc,
       kChoosesClasses | kChoosesDepth},
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
