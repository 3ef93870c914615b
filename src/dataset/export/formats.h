// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The formats of export_labels(): a row each of kExportFormats, a file each for what they write.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/label_runs.h"
#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// A frame's labels, and what other tools call its picture.
struct ExportedFrame {
  std::string name;               ///< Of the frame.
  std::string file_name;          ///< Of its picture, without folder.
  std::filesystem::path picture;  ///< The file; empty: there is none, or it is not to be linked or named by its path.
  image::LabelImage labels;
  std::vector<ClassBox> boxes;  ///< [class]
};

/// What keeps a name out of a format: the end of a sentence that begins with the name; empty where nothing does.
using NameProblem = std::string(const std::string& name);

/// What a format makes of one frame, and of those of all frames in their order; or what it writes into a folder.
struct ExportFormat {
  std::string_view name;
  std::string_view summary;      ///< For help: what it is.
  NameProblem* class_problem;    ///< All formats are UTF-8.
  NameProblem* picture_problem;  ///< Null where no picture is named.
  /// Of a format that is one file: the text.
  std::string (*part)(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) = nullptr;
  std::string (*whole)(const std::vector<std::string>& parts, const image::ClassMap& classes) = nullptr;
  /// Of a format that is a folder: what is there once, before the frames, and what each has.
  void (*write_lists)(const std::filesystem::path& out, const std::vector<std::string>& frame_names,
                      const image::ClassMap& classes) = nullptr;
  void (*write_frame)(const std::filesystem::path& out, const ExportedFrame& frame,
                      const image::ClassMap& classes) = nullptr;

  bool is_one_file() const { return part != nullptr; }
};
/// In the order in which help has them.
std::span<const ExportFormat> export_formats();
/// @throws Error(kUsage) for another name, with the nearest one.
const ExportFormat& find_export_format(const std::string& name);

// One file.
std::string coco_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string coco_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);
std::string cvat_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string cvat_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);
std::string studio_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes);
std::string studio_whole(const std::vector<std::string>& parts, const image::ClassMap& classes);

// Folders.
void write_labelme_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
void write_supervisely_lists(const std::filesystem::path& out, const std::vector<std::string>& frame_names,
                             const image::ClassMap& classes);
void write_supervisely_frame(const std::filesystem::path& out, const ExportedFrame& frame,
                             const image::ClassMap& classes);
void write_voc_lists(const std::filesystem::path& out, const std::vector<std::string>& frame_names,
                     const image::ClassMap& classes);
void write_voc_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
void write_class_names(const std::filesystem::path& out, const std::vector<std::string>& frame_names,
                       const image::ClassMap& classes);
void write_png_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);
void write_npy_frame(const std::filesystem::path& out, const ExportedFrame& frame, const image::ClassMap& classes);

NameProblem json_problem;  ///< Nothing: JSON can hold every name.
NameProblem xml_problem;   ///< Characters that XML 1.0 has no way to write (its production 2).
NameProblem voc_problem;   ///< What labelmap.txt cannot hold.
NameProblem voc_picture_problem;
NameProblem line_problem;  ///< What keeps a name out of classes.txt.

/// The class of a frame as a grey PNG file of its box, `inside` where it is and else 0.
std::vector<std::uint8_t> mask_png(const ExportedFrame& frame, std::uint16_t label, std::uint8_t inside);
/// The picture beside the labels, under a name of its own: a link, on another file system a copy; nothing without one.
void link_picture(const ExportedFrame& frame, const std::filesystem::path& to);

}  // namespace fernwood::dataset
