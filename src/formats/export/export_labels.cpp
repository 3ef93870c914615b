// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/export_labels.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "core/platform/file_system.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/folder_in_progress.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/export/formats.h"
#include "formats/link_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

std::vector<std::uint8_t> mask_png(const ExportedFrame& frame, std::uint16_t region, std::uint8_t inside) {
  const RegionBox& box = frame.boxes[region];
  std::vector<std::uint8_t> rows;
  rows.reserve(box.width() * box.height());
  for (std::size_t y = box.top; y <= box.bottom; ++y)
    for (std::size_t x = box.left; x <= box.right; ++x) rows.push_back(frame.regions(y, x) == region ? inside : 0);
  return dataset::encode_png_rows(
      {.is_png = true, .width = box.width(), .height = box.height(), .bits = 8, .num_channels = 1}, rows);
}

void link_picture(const ExportedFrame& frame, const fs::path& to) {
  std::error_code unreadable;
  if (frame.picture.empty() || fs::equivalent(frame.picture, to, unreadable)) return;
  fs::remove(to,
             unreadable);  // of a previous export, whose other files are replaced, too; linking reports errors
  link_or_copy(frame.picture, to);
}

std::string json_problem(const std::string&) { return {}; }

std::span<const ExportFormat> export_formats() {
  static constexpr std::array<ExportFormat, 8> kFormats = {
      {{"coco", "run lengths in JSON", json_problem, json_problem, coco_part, coco_whole, nullptr, nullptr, nullptr,
        nullptr, true},
       {"cvat", "XML", xml_problem, xml_problem, cvat_part, cvat_whole, nullptr, nullptr, nullptr, nullptr, true},
       {"label-studio", "JSON", json_problem, json_problem, studio_part, studio_whole, nullptr, nullptr, nullptr,
        nullptr, true},
       {"labelme", "JSON for each frame", json_problem, json_problem, nullptr, nullptr, nullptr, nullptr, nullptr,
        write_labelme_frame, true},
       {"supervisely", "a project", json_problem, json_problem, nullptr, nullptr, "meta.json", supervisely_classes,
        write_supervisely_lists, write_supervisely_frame, true},
       {"voc", "palettes and lists", voc_problem, voc_picture_problem, nullptr, nullptr, "labelmap.txt", voc_classes,
        write_voc_lists, write_voc_frame},
       {"png", "a palette for each frame", line_problem, nullptr, nullptr, nullptr, "classes.txt", class_names, nullptr,
        write_png_frame},
       {"npy", "an array for each frame", line_problem, nullptr, nullptr, nullptr, "classes.txt", class_names, nullptr,
        write_npy_frame}}};
  return kFormats;
}

const ExportFormat& find_export_format(const std::string& name) {
  return export_formats()[find_name("format", name, label_formats())];
}

namespace {

/// The name of a frame's image in other tools. Images of several recordings have equal file names, so it includes the
/// folder of the recording.
std::string image_name_of(const dataset::Dataset& data, std::size_t frame) {
  const dataset::FrameFiles& files = data.files(frame);
  const fs::path& file = data.has_color() ? files.color : files.depth;
  return file.empty() ? files.name + (data.has_color() ? "_colors.png" : "_depth.png")
                      : file.lexically_relative(data.folder()).generic_string();
}

/// Rejects names that could not be read back from the file, before the work starts. A frame must not replace the labels
/// of another, nor files outside the output folder: names of frames in memory are the user's, and may be those of other
/// folders.
void check_names(const dataset::Dataset& data, const image::ClassMap& classes, const ExportFormat& format) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::string& name = data.files(i).name;
    const bool is_file_name =
        !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
    FW_CHECK(
        format.is_one_file() || is_file_name, Data,
        "the name of the frame \"" << name << "\" is not a file name, and its labels are written under it; rename it");
    FW_CHECK(names.insert(name).second, Data,
             "two frames are named \"" << name << "\", and labels are exported by name; rename one of them");
  }
  const auto check = [&](const char* what, const std::string& name, NameProblem* problem_of) {
    const std::string problem = is_utf8(name) ? problem_of(name) : "is not UTF-8, which the file is; rename it";
    FW_CHECK(problem.empty(), Data, what << " \"" << name << "\" " << problem);
  };
  for (const image::ClassInfo& info : classes.classes) check("the class", info.name, format.class_problem);
  for (std::size_t i = 0; format.picture_problem != nullptr && i < data.size(); ++i)
    check("the image", image_name_of(data, i), format.picture_problem);
}

/// Divides things into their objects, in the order of classes and of the objects' numbers. Other classes are one region
/// each, in the order of classes. @param instances  Empty: all classes are one region each.
void find_regions(const image::InstanceImage& instances, const image::ClassMap& classes, ExportedFrame& frame) {
  frame.regions = frame.labels;
  if (instances.empty()) {
    for (std::size_t c = 0; c < classes.size(); ++c) frame.region_labels.push_back(static_cast<std::uint16_t>(c));
  } else {
    std::vector<bool> are_things;
    for (const image::ClassInfo& info : classes.classes) are_things.push_back(info.is_thing());
    const auto key_at = [&](std::size_t i) {
      const std::uint16_t label = frame.labels.data()[i];
      return std::pair(label, are_things[label] ? instances.data()[i] : image::kNoInstance);
    };
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> numbers;  // [label, instance]
    for (std::size_t i = 0; i < frame.labels.size(); ++i)
      if (frame.labels.data()[i] != image::kVoid) numbers.try_emplace(key_at(i));
    FW_CHECK(numbers.size() < kMaxRegions, Data,
             "the frame " << frame.name << " has " << numbers.size() << " objects; at most 65535 can be exported");
    for (auto& [key, number] : numbers) {
      number = static_cast<std::uint16_t>(frame.region_labels.size());
      frame.region_labels.push_back(key.first);
    }
    for (std::size_t i = 0; i < frame.labels.size(); ++i)
      if (frame.labels.data()[i] != image::kVoid) frame.regions.data()[i] = numbers.at(key_at(i));
  }
  frame.boxes = region_boxes(frame.regions, frame.region_labels.size());
}

/// Calls `use` with the labels of each frame, on threads of the pool. @param has_pictures  Whether the image files may
/// be linked.
void for_each_frame(const dataset::Dataset& data, const LabelSource& source, const ExportFormat& format,
                    bool has_pictures, ThreadPool& pool, const ProgressCallback& progress,
                    const std::function<void(const ExportedFrame&, std::size_t index)>& use) {
  std::mutex mutex;
  std::size_t done = 0;
  dataset::for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    const dataset::FrameFiles& files = data.files(i);
    ExportedFrame frame = {files.name, image_name_of(data, i), {}, source.labels(i)};
    image::InstanceImage instances = source.instances ? source.instances(i) : image::InstanceImage();
    if (has_pictures) frame.picture = data.has_color() ? files.color : files.depth;
    if (format.is_of_shown_pictures && !files.color.empty())
      for (Array2<std::uint16_t>* image : {&frame.labels, &instances})
        *image = dataset::turned_labels(*image, dataset::read_orientation(files.color));
    find_regions(instances, source.classes, frame);
    use(frame, i);
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, data.size());
  });
}

/// Writes the list of classes, unless that of an earlier export has other classes, whose labels would mix with these.
void write_class_list(const fs::path& out, const ExportFormat& format, const image::ClassMap& classes) {
  const fs::path path = out / format.class_file;
  const std::string text = format.class_list(classes);
  // A link is not from an earlier export, and is replaced.
  FW_CHECK(!fs::is_regular_file(fs::symlink_status(path)) || read_text(path) == text, Usage,
           path.string() << " lists other classes than those to be written (" << dataset::to_string(classes.classes)
                         << "), and labels of both would mix; choose a new folder, or remove this one");
  write_file_atomically(path, NamedBy::kFernwood, text);
}

void export_folder(const dataset::Dataset& data, const LabelSource& source, const ExportFormat& format,
                   const fs::path& out, bool has_pictures, ThreadPool& pool, const ProgressCallback& progress) {
  check_names(data, source.classes, format);
  make_folder(out);
  const OutputLock lock(out);
  if (format.class_file != nullptr) write_class_list(out, format, source.classes);
  if (format.write_lists != nullptr) format.write_lists(out, data.names());
  for_each_frame(data, source, format, has_pictures, pool, progress,
                 [&](const ExportedFrame& frame, std::size_t) { format.write_frame(out, frame, source.classes); });
  sync_folders(out);
}

}  // namespace

const std::vector<std::string>& label_formats() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
    return names;
  }();
  return kNames;
}

std::string label_formats_text() {
  return join(export_formats(), ", ", [](const ExportFormat& format) {
    return std::string(format.name) + " (" + std::string(format.summary) + ")";
  });
}

bool is_one_file(const std::string& format) { return find_export_format(format).is_one_file(); }

std::vector<std::string> linked_pictures(const dataset::Dataset& data) {
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < data.size(); ++i)
    files.push_back(data.has_color() ? data.files(i).color : data.files(i).depth);
  const std::string links = links_out_of(data.folder(), files);
  return links.empty() ? std::vector<std::string>{} : std::vector{links};
}

LabelSource truth_of(const dataset::Dataset& data, ThreadPool& pool) {
  const image::ClassMap classes = data.scan_truth(pool).classes;
  return {classes, [&data, classes](std::size_t frame) { return data.read_labels(frame, classes); },
          [&data](std::size_t frame) {
            return data.has_instances(frame) ? data.read_instances(frame) : image::InstanceImage();
          }};
}

std::string export_text(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                        ThreadPool& pool, const ProgressCallback& progress) {
  const ExportFormat& row = find_export_format(format);
  FW_CHECK(row.is_one_file(), Usage, "the format " << format << " is a file for each frame; name a folder for them");
  check_names(data, source.classes, row);
  std::vector<std::string> parts(data.size());
  for_each_frame(data, source, row, true, pool, progress,
                 [&](const ExportedFrame& frame, std::size_t i) { parts[i] = row.part(frame, i, source.classes); });
  return row.whole(parts, source.classes);
}

void export_labels(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                   const fs::path& out, ThreadPool& pool, const ProgressCallback& progress) {
  const ExportFormat& row = find_export_format(format);
  if (!row.is_one_file()) return export_folder(data, source, row, out, true, pool, progress);
  check_writable(out, NamedBy::kUser);
  write_file_atomically(out, NamedBy::kUser, export_text(data, source, format, pool, progress));
}

std::string export_archive(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                           ThreadPool& pool, const ProgressCallback& progress) {
  const ExportFormat& row = find_export_format(format);
  FW_CHECK(!row.is_one_file(), Usage, "the format " << format << " is one file for all frames; ask for its text");
  const ScratchFolder folder;
  export_folder(data, source, row, folder.path(), false, pool, progress);
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file())
      files.emplace_back(entry.path().lexically_relative(folder.path()).generic_string(), read_text(entry.path()));
  std::ranges::sort(files);
  return zip_archive(files);
}

}  // namespace fernwood::formats
