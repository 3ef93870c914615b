// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/export_labels.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "dataset/dataset_folder.h"
#include "dataset/label_runs.h"
#include "dataset/ordered_loop.h"
#include "dataset/zip_archive.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/scratch_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/core/utf8.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

/// A frame's labels, and what other tools call its picture.
struct FrameLabels {
  std::string file_name;
  image::LabelImage labels;
  std::vector<ClassBox> boxes;  ///< [class]
};

/// What a format makes of one frame, and of those of all frames in their order.
struct OneFile {
  /// What keeps a name out of it: the end of a sentence that begins with the name; empty where nothing does. All
  /// formats are UTF-8.
  std::string (*problem)(const std::string& name);
  std::string (*part)(const FrameLabels& frame, std::size_t index, const image::ClassMap& classes);
  std::string (*whole)(const std::vector<std::string>& parts, const image::ClassMap& classes);
};

std::string file_name_of(const FrameFiles& files, bool has_color) {
  const fs::path& file = has_color ? files.color : files.depth;
  return file.empty() ? files.name + (has_color ? "_colors.png" : "_depth.png") : file.filename().string();
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

std::string dump(const json& value) { return value.dump(); }

std::string json_problem(const std::string&) { return {}; }

// ---- COCO ----

/// "image, region, region …", for the whole has them in two lists: a line with the image, then a line a region.
std::string coco_part(const FrameLabels& frame, std::size_t index, const image::ClassMap& classes) {
  const std::size_t rows = frame.labels.rows(), cols = frame.labels.cols();
  std::string part = dump({{"id", index + 1}, {"file_name", frame.file_name}, {"width", cols}, {"height", rows}});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part +=
        "\n" + dump({{"id", index * classes.size() + c + 1},
                     {"image_id", index + 1},
                     {"category_id", c + 1},
                     {"area", box.area},
                     {"bbox", {box.left, box.top, box.width(), box.height()}},
                     {"iscrowd", 0},
                     {"segmentation",
                      {{"size", {rows, cols}}, {"counts", coco_counts(frame.labels, static_cast<std::uint16_t>(c))}}}});
  }
  return part;
}

std::string coco_whole(const std::vector<std::string>& parts, const image::ClassMap& classes) {
  std::vector<std::string> images, regions, categories;
  for (const std::string& part : parts) {
    const std::size_t end = part.find('\n');
    images.push_back(part.substr(0, end));
    if (end == std::string::npos) continue;
    std::string lines = part.substr(end + 1);
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 2) lines.replace(at, 1, ",\n");
    regions.push_back(std::move(lines));
  }
  for (std::size_t c = 0; c < classes.size(); ++c)
    categories.push_back(
        dump({{"id", c + 1},
              {"name", classes.classes[c].name},
              {"supercategory", ""},
              {"color", {classes.classes[c].color.r, classes.classes[c].color.g, classes.classes[c].color.b}}}));
  return "{\"images\": [\n" + joined(images, ",\n") + "\n],\n\"categories\": [\n" + joined(categories, ",\n") +
         "\n],\n\"annotations\": [\n" + joined(regions, ",\n") + "\n]}\n";
}

// ---- CVAT ----

/// Characters that XML 1.0 has no way to write (its production 2).
std::string xml_problem(const std::string& name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; };
  const auto control = std::ranges::find_if(name, is_control);
  const bool has_noncharacter =
      name.find("\xEF\xBF\xBE") != std::string::npos || name.find("\xEF\xBF\xBF") != std::string::npos;
  if (control == name.end() && !has_noncharacter) return {};
  const auto code = control != name.end() ? static_cast<unsigned>(static_cast<unsigned char>(*control)) : 0xFFFEu;
  return format_text("holds the character U+%04X", code) + (control == name.end() ? " or U+FFFF" : "") +
         ", which XML cannot; rename it, or take the format coco";
}

/// An attribute's value: a parser makes a blank of what parts words, unless it is a number.
std::string xml_text(const std::string& name) {
  std::string text;
  for (const char c : escape(name))
    text += c == '\t' || c == '\n' || c == '\r' ? "&#" + std::to_string(int{c}) + ";" : std::string(1, c);
  return text;
}

std::string cvat_part(const FrameLabels& frame, std::size_t index, const image::ClassMap& classes) {
  std::string part = "  <image id=\"" + std::to_string(index) + "\" name=\"" + xml_text(frame.file_name) +
                     "\" width=\"" + std::to_string(frame.labels.cols()) + "\" height=\"" +
                     std::to_string(frame.labels.rows()) + "\">\n";
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part += "    <mask label=\"" + xml_text(classes.classes[c].name) + "\" source=\"manual\" occluded=\"0\" rle=\"" +
            cvat_runs(frame.labels, static_cast<std::uint16_t>(c), box) + "\" left=\"" + std::to_string(box.left) +
            "\" top=\"" + std::to_string(box.top) + "\" width=\"" + std::to_string(box.width()) + "\" height=\"" +
            std::to_string(box.height()) + "\" z_order=\"0\">\n    </mask>\n";
  }
  return part + "  </image>\n";
}

std::string cvat_whole(const std::vector<std::string>& parts, const image::ClassMap& classes) {
  std::string labels;
  for (const image::ClassInfo& info : classes.classes)
    labels += "        <label>\n          <name>" + xml_text(info.name) + "</name>\n          <color>" +
              to_hex(info.color) +
              "</color>\n          <type>any</type>\n          <attributes></attributes>\n        </label>\n";
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n  <meta>\n    <task>\n  "
         "    "
         "<labels>\n" +
         labels + "      </labels>\n    </task>\n  </meta>\n" + joined(parts, "") + "</annotations>\n";
}

// ---- Label Studio ----

std::string studio_part(const FrameLabels& frame, std::size_t index, const image::ClassMap& classes) {
  json result = json::array();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (frame.boxes[c].area == 0) continue;
    result.push_back({{"id", std::to_string(index) + "-" + std::to_string(c)},
                      {"type", "brushlabels"},
                      {"from_name", "tag"},
                      {"to_name", "image"},
                      {"original_width", frame.labels.cols()},
                      {"original_height", frame.labels.rows()},
                      {"image_rotation", 0},
                      {"value",
                       {{"format", "rle"},
                        {"rle", brush_runs(frame.labels, static_cast<std::uint16_t>(c))},
                        {"brushlabels", {classes.classes[c].name}}}}});
  }
  json task = {{"data", {{"image", frame.file_name}}}};
  if (!result.empty()) task["annotations"] = {{{"result", std::move(result)}}};
  return dump(task);
}

std::string studio_whole(const std::vector<std::string>& parts, const image::ClassMap&) {
  return "[\n" + joined(parts, ",\n") + "\n]\n";
}

// ---- All ----

constexpr std::array<std::pair<const char*, OneFile>, 3> kOneFiles = {
    {{"coco", {json_problem, coco_part, coco_whole}},
     {"cvat", {xml_problem, cvat_part, cvat_whole}},
     {"label-studio", {json_problem, studio_part, studio_whole}}}};

const OneFile* find_one_file(const std::string& format) {
  const auto found = std::ranges::find(kOneFiles, format, [](const auto& one) { return std::string(one.first); });
  return found == kOneFiles.end() ? nullptr : &found->second;
}

void check_format(const std::string& format) { find_name("--format", format, label_formats()); }

/// What keeps a name out of classes.txt.
std::string line_problem(const std::string& name) {
  if (name.find_first_of("\n\r") == std::string::npos) return {};
  return "holds a line break, and classes.txt has a name a line; rename it, or take the format coco";
}

/// Refuses names that would not come back from the file, before the work. @param are_files  Whether it names pictures.
void check_names(const Dataset& data, const image::ClassMap& classes, bool are_files,
                 std::string (*problem_of)(const std::string& name)) {
  const auto check = [&](const char* what, const std::string& name) {
    const std::string problem = is_utf8(name) ? problem_of(name) : "is not UTF-8, which the file is; rename it";
    FW_CHECK(problem.empty(), Data, what << " \"" << printable(name) << "\" " << problem);
  };
  for (const image::ClassInfo& info : classes.classes) check("the class", info.name);
  for (std::size_t i = 0; are_files && i < data.size(); ++i)
    check("the picture", file_name_of(data.files(i), data.has_color()));
}

/// Calls `use` with the labels of each frame, on threads of the pool.
void for_each_frame(const Dataset& data, const LabelSource& source, ThreadPool& pool, const ProgressCallback& progress,
                    const std::function<void(const FrameLabels&, std::size_t index)>& use) {
  std::mutex mutex;
  std::size_t done = 0;
  for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    FrameLabels frame = {file_name_of(data.files(i), data.has_color()), source.labels(i), {}};
    frame.boxes = class_boxes(frame.labels, source.classes.size());
    use(frame, i);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, data.size());
  });
}

}  // namespace

const std::vector<std::string>& label_formats() {
  static const std::vector<std::string> kFormats = {"coco", "cvat", "label-studio", "png", "npy"};
  return kFormats;
}

bool is_one_file(const std::string& format) { return find_one_file(format) != nullptr; }

LabelSource truth_of(const Dataset& data, ThreadPool& pool) {
  const image::ClassMap classes = data.scan_truth(pool).classes;
  return {classes, [&data, classes](std::size_t frame) { return data.read_labels(frame, classes); }};
}

std::string export_text(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                        const ProgressCallback& progress) {
  check_format(format);
  const OneFile* one_file = find_one_file(format);
  FW_CHECK(one_file != nullptr, Usage, "the format " << format << " is a file for each frame; name a folder for them");
  check_names(data, source.classes, true, one_file->problem);
  std::vector<std::string> parts(data.size());
  for_each_frame(data, source, pool, progress,
                 [&](const FrameLabels& frame, std::size_t i) { parts[i] = one_file->part(frame, i, source.classes); });
  return one_file->whole(parts, source.classes);
}

void export_labels(const Dataset& data, const LabelSource& source, const std::string& format, const fs::path& out,
                   ThreadPool& pool, const ProgressCallback& progress) {
  check_format(format);
  if (is_one_file(format)) {
    check_writable(out);
    const std::string text = export_text(data, source, format, pool, progress);
    return write_file_atomically(out, [&](std::ostream& stream) { stream << text; });
  }
  const image::ClassMap& classes = source.classes;
  check_names(data, classes, false, line_problem);
  make_folder(out);
  const auto write_names = [&](std::ostream& stream) {
    for (const image::ClassInfo& info : classes.classes) stream << info.name << "\n";  // a line each
  };
  write_file_atomically(out / "classes.txt", write_names, Durability::kPowerFailure, NamedBy::kFernwood);
  for_each_frame(data, source, pool, progress, [&](const FrameLabels& frame, std::size_t i) {
    const fs::path path = out / (data.files(i).name + "." + format);
    if (format == "png")
      write_labels(path, frame.labels, classes);
    else
      write_npy(path, frame.labels);
  });
  sync_folder(out);
}

std::string export_archive(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                           const ProgressCallback& progress) {
  check_format(format);
  FW_CHECK(!is_one_file(format), Usage, "the format " << format << " is one file for all frames; ask for its text");
  const ScratchFolder folder;
  export_labels(data, source, format, folder.path(), pool, progress);
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    files.emplace_back(entry.path().filename().string(), read_text(entry.path()));
  std::ranges::sort(files);
  return zip_archive(files);
}

}  // namespace fernwood::dataset
