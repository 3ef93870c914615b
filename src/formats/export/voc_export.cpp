// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// PASCAL VOC: SegmentationClass with palette files, labelmap.txt with the colours, a list in ImageSets.

#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "formats/export/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

/// Colour 255 of VOC's colour map: void.
constexpr image::Rgb kVocVoidColor = dataset::index_color(254);

fs::path label_file(const fs::path& out, const std::string& frame) {
  return out / "SegmentationClass" / (frame + ".png");
}

}  // namespace

std::string voc_problem(const std::string& name) {
  if (name.find_first_of(":\n\r") == std::string::npos && !name.starts_with('#')) return {};
  return "holds a colon or a line break or begins with #, which labelmap.txt cannot; rename it, or take the format "
         "coco";
}

std::string voc_picture_problem(const std::string& name) {
  if (name.find_first_of(" \t\n\r") == std::string::npos) return {};
  return "holds a blank, and the lists of ImageSets part names by blanks; rename it, or take the format coco";
}

std::string voc_classes(const image::ClassMap& classes) {
  std::string text = "# label:color_rgb:parts:actions\n";
  for (const image::ClassInfo& info : classes.classes)
    text += info.name + ":" + dataset::to_option(info.color) + "::\n";
  return text;
}

void write_voc_lists(const fs::path& out, const std::vector<std::string>& frame_names) {
  for (const char* folder : {"JPEGImages", "SegmentationClass", "ImageSets/Segmentation"})
    make_folder_within(out, folder);
  const fs::path list = out / "ImageSets" / "Segmentation" / "trainval.txt";
  std::vector<std::string> names;  // first, of an earlier export, the frames whose labels are still there
  // A link is not from an earlier export.
  TextInput words(fs::is_regular_file(fs::symlink_status(list)) ? dataset::read_user_text(list) : "");
  std::error_code missing;
  for (std::string name; words >> name;)
    if (fs::exists(label_file(out, name), missing)) names.push_back(name);
  std::set<std::string> listed(names.begin(), names.end());
  for (const std::string& name : frame_names)
    if (listed.insert(name).second) names.push_back(name);
  write_file_atomically(list, NamedBy::kFernwood, names.empty() ? "" : join(names, "\n") + "\n");
}

void write_voc_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  link_picture(frame, out / "JPEGImages" / (frame.name + fs::path(frame.file_name).extension().string()));
  dataset::write_labels(label_file(out, frame.name), frame.labels, classes, kVocVoidColor);
}

// A file of class numbers for each frame, beside classes.txt with a name a line.

std::string line_problem(const std::string& name) {
  if (name.find_first_of("\n\r") == std::string::npos) return {};
  return "holds a line break, and classes.txt has a name a line; rename it, or take the format coco";
}

std::string class_names(const image::ClassMap& classes) {
  std::string text;
  for (const image::ClassInfo& info : classes.classes) text += info.name + "\n";
  return text;
}

void write_png_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  dataset::write_labels(out / (frame.name + ".png"), frame.labels, classes);
}

void write_npy_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap&) {
  dataset::write_npy(out / (frame.name + ".npy"), frame.labels);
}

}  // namespace fernwood::formats
