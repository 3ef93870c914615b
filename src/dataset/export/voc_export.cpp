// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// PASCAL VOC: SegmentationClass with palette files, labelmap.txt with the colours, a list in ImageSets.

#include <array>

#include "dataset/dataset_folder.h"
#include "dataset/export/formats.h"
#include "dataset/index_labels.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Colour 255 of VOC's colour map: void.
constexpr image::Rgb kVocVoidColor = index_color(254);

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
  for (const image::ClassInfo& info : classes.classes) text += info.name + ":" + to_option(info.color) + "::\n";
  return text;
}

void write_voc_lists(const fs::path& out, const std::vector<std::string>& frame_names) {
  for (const char* folder : {"JPEGImages", "SegmentationClass", "ImageSets/Segmentation"})
    make_folder_within(out, folder);
  write_file_atomically(out / "ImageSets" / "Segmentation" / "trainval.txt", NamedBy::kFernwood,
                        [&](std::ostream& stream) {
                          for (const std::string& name : frame_names) stream << name << "\n";
                        });
}

void write_voc_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  link_picture(frame, out / "JPEGImages" / (frame.name + fs::path(frame.file_name).extension().string()));
  write_labels(out / "SegmentationClass" / (frame.name + ".png"), frame.labels, classes, kVocVoidColor);
}

}  // namespace fernwood::dataset
