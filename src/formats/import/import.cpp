// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "dataset/frame_reader.h"
#include "dataset/nyu_class_maps.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/link_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

constexpr std::array kImportRows = {
    option<&ImportOptions::colors>("colors",
                                   "Where colour images are, {} for a frame's name: 'rgb/{}.jpg'; in a recording of "
                                   "ROS their topic, guessed where none is named")
        .takes("PATTERN|TOPIC"),
    option<&ImportOptions::labels>("labels", "Where label images or arrays are: 'label/{}.png'").takes("PATTERN"),
    option<&ImportOptions::images>("images", "Folder of the images, if they are not next to the annotations")
        .takes("DIR"),
    option<&ImportOptions::depth>("depth",
                                  "Where depth images or arrays are, {} for the name of a frame or image: "
                                  "'depth/{}.png'; in a recording of ROS their topic, guessed where none is named")
        .takes("PATTERN|TOPIC"),
    option<&ImportOptions::classes>("classes",
                                    "List of the classes: CSV of number and name, JSON, or one name per line")
        .takes("FILE"),
    option<&ImportOptions::background>("background", "Class of pixels without annotation, which are void otherwise")
        .takes("NAME"),
    option<&ImportOptions::min_confidence>("min-confidence",
                                           "Depth of less confidence (0 low, 1 medium, 2 high) is unknown; 0 keeps all")
        .in(from_to(0, 2))
        .default_means("1"),
    option<&ImportOptions::depth_scale_to_mm>("depth-scale", "Millimetres per step of depth, such as 0.2")
        .in(above_to(0, 1e6))
        .default_means("as the format says, else 1"),
};

constexpr std::array kNyuRows = {
    option<&ImportNyuOptions::classes>("classes", "4 structural classes, 13 or 40").one_of(dataset::nyu_class_counts),
    option<&ImportNyuOptions::raw_depth>("raw-depth", "Depth as measured, with holes, instead of filled in"),
};

constexpr std::array kSplitRows = {
    option<&SplitOptions::test>("test", "Share of the frames to test on").in(from_below(0, 1)),
    option<&SplitOptions::val>("val", "Share of the frames for the split val").in(from_below(0, 1)),
    option<&SplitOptions::seed>("seed", "Random seed; the same seed gives the same splits"),
};

/// Rejects options that the format does not use, so that none is silently ignored.
void check_options_of(const ImportFormat& format, const ImportOptions& options) {
  FW_CHECK(!options.in.empty(), Usage,
           "the format " << std::string(format.name) << " reads " << std::string(format.reads) << "; name it");
  const ImportFormat& any_layout = find_import_format("folders");  // has the most options
  for (const Option<ImportOptions>& row : ImportOptions::table())
    FW_CHECK(to_text(row.get(options)).empty() || format.has(row.name), Usage,
             "the format " << std::string(format.name) << " has no " << named_option(std::string(row.name))
                           << "; leave it out" << (any_layout.has(row.name) ? ", or import folders" : ""));
  check_options(ImportOptions::table(), options);
  const bool is_of_pictures = format.has("depth") && !format.has("colors");
  require_option(options.depth.empty() || !is_of_pictures || options.depth.find("{}") != std::string::npos, "depth",
                 in_quotes(options.depth), "write {} where the names of images stand, such as 'depth/{}.png'");
}

/// Finds the cameras that files beside the frames describe, where the format describes none. One camera of all frames
/// becomes that of the data set.
void settle_cameras_of(ImportPlan& plan, const std::string& place) {
  std::vector<dataset::FrameFiles> files;
  dataset::DatasetConfig found;
  if (!plan.config.camera_origin.empty()) found.camera = plan.config.camera;
  for (const ImportedFrame& frame : plan.frames) {
    files.push_back({std::to_string(files.size()), frame.color, frame.depth});
    if (frame.camera) found.frame_cameras.emplace(files.back().name, *frame.camera);
  }
  if (found.frame_cameras.empty())
    dataset::find_cameras(files, found);
  else
    dataset::settle_cameras(files.size(), found);
  if (found.camera) plan.config.camera = found.camera;
  if (!found.camera_origin.empty()) plan.config.camera_origin = found.camera_origin;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto own = found.frame_cameras.find(files[i].name);
    std::optional<image::Camera>& camera = plan.frames[i].camera;
    camera = own == found.frame_cameras.end() ? std::nullopt : std::optional(own->second);
    if (!camera && !plan.config.camera) continue;
    const std::string problem = image::problem_of(camera ? *camera : *plan.config.camera);
    FW_CHECK(problem.empty(), Data, place << ": the camera in its files: " << problem);
  }
}

}  // namespace

void ImportReport::add(const std::string& reason, std::size_t count) {
  const std::lock_guard lock(mutex_);
  counts_[reason] += count;
}

std::vector<std::string> ImportPlan::all_notes() const {
  std::vector<std::string> all = notes;
  for (const auto& [reason, count] : report->counts()) all.push_back(reason + " (" + std::to_string(count) + ")");
  return all;
}

const std::vector<ImportFormat>& import_formats() {
  const std::vector<std::string_view> annotations = {"images", "depth", "background"};
  static const std::vector<ImportFormat> kFormats = {
      {"2d3ds", "2D-3D-S: areas with rgb, depth and semantic", "a folder", "area_1", plan_2d3ds},
      {"7scenes", "7-Scenes: sequences of a Kinect", "a folder", "chess", plan_seven_scenes},
      {"ade20k", "ADE20K: all objects (_seg.png, JSON), or 150 classes", "a folder", "ADE20K_2021_17_01", plan_ade20k},
      {"bop", "BOP: scenes of known objects, by visible masks", "a folder", "lm/test", plan_bop, {"background"}},
      {"coco", "COCO: objects or stuff (polygons, run lengths), panoptic", "annotations.json",
       "annotations.json --images pictures", plan_coco, annotations},
      {"cvat", "CVAT XML 1.1 for images or for video", "annotations.xml", "annotations.xml --images pictures",
       plan_cvat, annotations},
      {"folders",
       "Any folders of files, found by patterns",
       "a folder",
       "data --colors 'rgb/{}.jpg' --depth 'depth/{}.png' --labels 'label/{}.png'",
       plan_folders,
       {"colors", "depth", "labels", "classes"}},
      {"hypersim", "Hypersim: scenes with HDF5 files of depth and labels", "a folder", "scenes", plan_hypersim},
      {"label-studio", "Label Studio's JSON", "export.json", "export.json --images pictures", plan_label_studio,
       annotations},
      {"labelme", "labelme's JSON file next to each image", "a folder or one file", "annotated", plan_labelme,
       annotations},
      {"record3d", "Record3D's export as EXR + JPG", "a folder", "EXR_RGBD", plan_record3d, {"min-confidence"}},
      {"rosbag",
       "ROS: MCAP, rosbag2, bags of ROS 1; --colors and --depth name topics",
       "a recording of ROS",
       "desk.mcap",
       plan_rosbag,
       {"colors", "depth"}},
      {"scannet", "ScanNet's exported frames, 40 classes", "a folder", "scans", plan_scannet},
      {"stray-scanner",
       "Stray Scanner: scans of an iPhone with lidar",
       "a folder",
       "scan",
       plan_stray_scanner,
       {"min-confidence"}},
      {"sunrgbd", "SUN RGB-D with seg.mat", "a folder", "SUNRGBD", plan_sunrgbd},
      {"supervisely", "A project of Supervisely", "a folder with meta.json", "project", plan_supervisely, annotations},
      {"tartanair", "TartanAir: sequences of version 1 or 2", "a folder", "tartanair", plan_tartanair},
      {"tum", "TUM RGB-D: a sequence with rgb.txt and depth.txt", "a folder", "rgbd_dataset_freiburg1_desk", plan_tum},
      {"voc",
       "PASCAL VOC: JPEGImages and SegmentationClass",
       "a folder",
       "VOCdevkit/VOC2012",
       plan_voc,
       {"classes", "depth"}},
  };
  return kFormats;
}

bool ImportFormat::has(std::string_view option) const {
  return option == "depth-scale" || std::ranges::find(own_options, option) != own_options.end();
}

const ImportFormat& find_import_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  return import_formats()[find_name("format", name, names)];
}

ImportPlan plan_import(const std::string& format, const ImportOptions& options) {
  const ImportFormat& row = find_import_format(format);
  check_options_of(row, options);
  if (!fs::exists(options.in))
    throw FileError(ErrorKind::kData, options.in, ENOENT,
                    "does not exist; the format " + format + " reads " + std::string(row.reads));
  if (!options.images.empty() && !fs::is_directory(options.images))
    throw FileError(ErrorKind::kData, options.images, ENOENT, "is not a folder; name that of the images");
  ImportPlan plan = row.plan(options);
  FW_CHECK(!plan.frames.empty(), Data,
           options.in.string() << " holds no frames; the format " << format << " reads " << row.reads);
  const std::string place = options.in.string();
  settle_cameras_of(plan, place);
  const dataset::FrameFiles first{{}, plan.frames.front().color, plan.frames.front().depth};
  // Formats that are read as recordings have these among their warnings, with the name of the recording.
  for (const std::string& warning : dataset::camera_warnings(plan.config, options.in, first))
    if (std::ranges::none_of(plan.notes,
                             [&](const auto& note) { return note.ends_with(warning.substr(place.size())); }))
      plan.notes.push_back(warning);
  std::set<std::string> kinds;  // of files that only a plug-in reads, which may be missing
  for (const ImportedFrame& frame : plan.frames)
    for (const fs::path& file : {frame.color, frame.depth})
      if (const std::string kind = dataset::lower_case(file.extension().string());
          dataset::is_fallback_extension(kind) && kinds.insert(kind).second)
        dataset::read_image_header(file);
  if (options.depth_scale_to_mm) plan.config.depth_scale_to_mm = options.depth_scale_to_mm;
  const fs::path folder = !options.images.empty()        ? options.images
                          : fs::is_directory(options.in) ? options.in
                                                         : full_path(options.in).parent_path();
  std::vector<fs::path> files;
  for (const ImportedFrame& frame : plan.frames)
    files.insert(files.end(), {frame.color, frame.depth, frame.truth_file, frame.up_file, frame.maps_file});
  if (std::string links = links_out_of(folder, files); !links.empty()) plan.notes.push_back(std::move(links));
  return plan;
}

std::string camera_text(const ImportPlan& plan) {
  std::vector<std::optional<image::Camera>> cameras;
  for (const ImportedFrame& frame : plan.frames) cameras.push_back(frame.camera ? frame.camera : plan.config.camera);
  return dataset::describe_cameras(cameras, plan.config.camera_origin);
}

fs::path folder_to_open(const ImportPlan& plan, const fs::path& out) {
  std::set<std::string> splits;
  for (const ImportedFrame& frame : plan.frames) splits.insert(frame.split);
  if (splits.contains("train")) return out / "train";
  return splits.empty() || splits.contains("") ? out : out / *splits.begin();
}

void join_splits(std::vector<ImportedFrame>& frames) {
  for (ImportedFrame& frame : frames) {
    if (!frame.split.empty()) frame.name = frame.split + "_" + frame.name;
    frame.split.clear();
  }
  settle_names({}, frames);  // "train_a" may be a frame without a split
}

OptionTable<ImportOptions> ImportOptions::table() { return kImportRows; }
OptionTable<ImportNyuOptions> ImportNyuOptions::table() { return kNyuRows; }
OptionTable<SplitOptions> SplitOptions::table() { return kSplitRows; }

}  // namespace fernwood::formats
