// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The formats of export_labels(): a row of kExportFormats and a source file for each.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/image/labels.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

/// Greater than the number of regions of a frame.
inline constexpr std::size_t kMaxRegions = 65536;

/// The labels of a frame, and the name of its image in other tools.
struct ExportedFrame {
  std::string name;               ///< Of the frame.
  std::string file_name;          ///< Of its image, relative to the folder of the data set; unique.
  std::filesystem::path picture;  ///< Its path; empty: without image, or it must not be linked or named by its path.
  image::LabelImage labels = {};
  image::LabelImage regions = {};                 ///< Number of the region of each pixel, or kVoid.
  std::vector<std::uint16_t> region_labels = {};  ///< [region] Its class.
  std::vector<RegionBox> boxes = {};              ///< [region] Of area 0 for a class that does not occur.
};

/// The reason why a format cannot store a name, to continue a sentence that begins with the name; empty if it can.
using NameProblem = std::string(const std::string& name);

/// An export format: the text for each frame and for the whole file, or functions that write a folder.
struct ExportFormat {
  std::string_view name;
  std::string_view summary;      ///< Description for help texts.
  NameProblem* class_problem;    ///< All formats use UTF-8.
  NameProblem* picture_problem;  ///< Null if the format does not name images.
  /// For a format that is one file: the text of a frame.
  std::string (*part)(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) = nullptr;
  std::string (*whole)(const std::vector<std::string>& parts, const image::ClassMap& classes) = nullptr;
  /// For a format that is a folder: its file of classes, if any, other files and folders made before the frames, if
  /// any, and the files of each frame.
  const char* class_file = nullptr;
  std::string (*class_list)(const image::ClassMap& classes) = nullptr;
  void (*write_lists)(const std::filesystem::path& out, const std::vector<std::string>& frame_names) = nullptr;
  void (*write_frame)(const std::filesystem::path& out, const ExportedFrame& frame,
                      const image::ClassMap& classes) = nullptr;

  /// Whether annotations are of pictures as viewers show them, turned by their EXIF orientation.
  bool is_of_shown_pictures = false;

  bool is_one_file() const { return part != nullptr; }
};
/// In the order of help texts.
std::span<const ExportFormat> export_formats();
/// @throws Error(kUsage) for an unknown name, suggesting the nearest one.
const ExportFormat& find_export_format(const std::string& name);

// Formats of one file.
std::string coco_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string coco_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);
std::string cvat_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string cvat_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);
std::string studio_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string studio_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);

// Formats of a folder.
void write_labelme_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
std::string supervisely_classes(const image::ClassMap& classes);
void write_supervisely_lists(const std::filesystem::path& out, const std::vector<std::string>& frame_names);
void write_supervisely_frame(const std::filesystem::path& out, const ExportedFrame& frame,
                             const image::ClassMap& classes);
std::string voc_classes(const image::ClassMap& classes);
void write_voc_lists(const std::filesystem::path& out, const std::vector<std::string>& frame_names);
void write_voc_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
std::string class_names(const image::ClassMap& classes);
void write_png_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
void write_npy_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);

NameProblem json_problem;  ///< Always empty: JSON can store every name.
NameProblem xml_problem;   ///< Characters that XML 1.0 cannot represent (its production 2).
NameProblem voc_problem;   ///< Characters that labelmap.txt cannot represent.
NameProblem voc_picture_problem;
NameProblem line_problem;  ///< Characters that classes.txt cannot represent.

/// The mask of a region within its box as a grey PNG file: `inside` in the region, else 0.
std::vector<std::uint8_t> mask_png(const ExportedFrame& frame, std::uint16_t region, std::uint8_t inside);
/// Links the image beside the labels under a name of its own, or copies it to another file system; does nothing without
/// an image.
void link_picture(const ExportedFrame& frame, const std::filesystem::path& to);

/// A ZIP archive (APPNOTE 6.3) of stored, not compressed files; equal files give equal bytes.
/// @param files  Names and contents. @throws Error(kResource) for 65535 or more files, or 4 GiB, which need another
/// layout.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace fernwood::formats
