// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/export_labels.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>

#include "dataset/dataset_folder.h"
#include "dataset/export/formats.h"
#include "dataset/files/image_file.h"
#include "dataset/files/link_file.h"
#include "dataset/files/zip_archive.h"
#include "dataset/ordered_loop.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/output_lock.h"
#include "fernwood/core/scratch_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/core/utf8.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

std::vector<std::uint8_t> mask_png(const ExportedFrame& frame, std::uint16_t label, std::uint8_t inside) {
  const ClassBox& box = frame.boxes[label];
  std::vector<std::uint8_t> rows;
  rows.reserve(box.width() * box.height());
  for (std::size_t y = box.top; y <= box.bottom; ++y)
    for (std::size_t x = box.left; x <= box.right; ++x) rows.push_back(frame.labels(y, x) == label ? inside : 0);
  return encode_png_rows({.is_png = true, .width = box.width(), .height = box.height(), .bits = 8, .num_channels = 1},
                         rows);
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
      {{"coco", "run lengths in JSON", json_problem, json_problem, coco_part, coco_whole},
       {"cvat", "XML", xml_problem, xml_problem, cvat_part, cvat_whole},
       {"label-studio", "JSON", json_problem, json_problem, studio_part, studio_whole},
       {"labelme", "JSON for each frame", json_problem, json_problem, nullptr, nullptr, nullptr, write_labelme_frame},
       {"supervisely", "a project", json_problem, json_problem, nullptr, nullptr, write_supervisely_lists,
        write_supervisely_frame},
       {"voc", "palettes and lists", voc_problem, voc_picture_problem, nullptr, nullptr, write_voc_lists,
        write_voc_frame},
       {"png", "a palette for each frame", line_problem, nullptr, nullptr, nullptr, write_class_names, write_png_frame},
       {"npy", "an array for each frame", line_problem, nullptr, nullptr, nullptr, write_class_names,
        write_npy_frame}}};
  return kFormats;
}

const ExportFormat& find_export_format(const std::string& name) {
  return export_formats()[find_name("format", name, label_formats())];
}

namespace {

std::string file_name_of(const FrameFiles& files, bool has_color) {
  const fs::path& file = has_color ? files.color : files.depth;
  return file.empty() ? files.name + (has_color ? "_colors.png" : "_depth.png") : file.filename().string();
}

/// Rejects names that could not be read back from the file, before the work starts.
void check_names(const Dataset& data, const image::ClassMap& classes, const ExportFormat& format) {
  const auto check = [&](const char* what, const std::string& name, NameProblem* problem_of) {
    const std::string problem = is_utf8(name) ? problem_of(name) : "is not UTF-8, which the file is; rename it";
    FW_CHECK(problem.empty(), Data, what << " \"" << printable(name) << "\" " << problem);
  };
  for (const image::ClassInfo& info : classes.classes) check("the class", info.name, format.class_problem);
  for (std::size_t i = 0; format.picture_problem != nullptr && i < data.size(); ++i)
    check("the picture", file_name_of(data.files(i), data.has_color()), format.picture_problem);
}

/// Calls `use` with the labels of each frame, on threads of the pool. @param has_pictures  Whether the image files may
/// be linked.
void for_each_frame(const Dataset& data, const LabelSource& source, bool has_pictures, ThreadPool& pool,
                    const ProgressCallback& progress,
                    const std::function<void(const ExportedFrame&, std::size_t index)>& use) {
  std::mutex mutex;
  std::size_t done = 0;
  for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    const FrameFiles& files = data.files(i);
    ExportedFrame frame = {files.name, file_name_of(files, data.has_color()), {}, source.labels(i), {}};
    if (has_pictures) frame.picture = data.has_color() ? files.color : files.depth;
    frame.boxes = class_boxes(frame.labels, source.classes.size());
    use(frame, i);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, data.size());
  });
}

/// Writes a format that consists of a folder.
void export_folder(const Dataset& data, const LabelSource& source, const ExportFormat& format, const fs::path& out,
                   bool has_pictures, ThreadPool& pool, const ProgressCallback& progress) {
  check_names(data, source.classes, format);
  make_folder(out);
  const OutputLock lock(out);
  std::vector<std::string> names(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) names[i] = data.files(i).name;
  if (format.write_lists != nullptr) format.write_lists(out, names, source.classes);
  for_each_frame(data, source, has_pictures, pool, progress,
                 [&](const ExportedFrame& frame, std::size_t) { format.write_frame(out, frame, source.classes); });
  sync_folder(out);
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

LabelSource truth_of(const Dataset& data, ThreadPool& pool) {
  const image::ClassMap classes = data.scan_truth(pool).classes;
  return {classes, [&data, classes](std::size_t frame) { return data.read_labels(frame, classes); }};
}

std::string export_text(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                        const ProgressCallback& progress) {
  const ExportFormat& row = find_export_format(format);
  FW_CHECK(row.is_one_file(), Usage, "the format " << format << " is a file for each frame; name a folder for them");
  check_names(data, source.classes, row);
  std::vector<std::string> parts(data.size());
  for_each_frame(data, source, true, pool, progress,
                 [&](const ExportedFrame& frame, std::size_t i) { parts[i] = row.part(frame, i, source.classes); });
  return row.whole(parts, source.classes);
}

void export_labels(const Dataset& data, const LabelSource& source, const std::string& format, const fs::path& out,
                   ThreadPool& pool, const ProgressCallback& progress) {
  const ExportFormat& row = find_export_format(format);
  if (!row.is_one_file()) return export_folder(data, source, row, out, true, pool, progress);
  check_writable(out, NamedBy::kUser);
  const std::string text = export_text(data, source, format, pool, progress);
  write_file_atomically(out, NamedBy::kUser, [&](std::ostream& stream) { stream << text; });
}

std::string export_archive(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                           const ProgressCallback& progress) {
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

}  // namespace fernwood::dataset
