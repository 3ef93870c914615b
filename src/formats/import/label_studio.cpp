// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Label Studio: a JSON list of tasks, each with a picture and annotations in per cent or as packed brushes.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/json_text.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

using nlohmann::json;

namespace {

constexpr const char* kLabelKinds[] = {"brushlabels",   "polygonlabels", "rectanglelabels", "ellipselabels",
                                       "bitmasklabels", "labels",        "choices"};

struct TaskPicture {
  std::string key, file;  ///< "image" and "/data/local-files/?d=rooms/a.png", "s3://bucket/a.png" ...
};

/// The pictures of a task, that of the key "image" first. Other texts of a task are not pictures.
std::vector<TaskPicture> pictures_of_task(const json& task) {
  std::vector<TaskPicture> pictures;
  for (const auto& [key, value] : member(task, "data").items())
    for (const json& item : value.is_array() ? value : json::array({value})) {
      if (!item.is_string()) continue;
      const std::string file = item.get<std::string>();
      const std::size_t at = file.find("?d=");
      pictures.push_back({key, at == std::string::npos ? file : file.substr(at + 3)});
    }
  std::stable_partition(pictures.begin(), pictures.end(),
                        [](const auto& it) { return it.key == "image" || it.key == "img"; });
  const auto is_text = [](const TaskPicture& it) {
    const std::filesystem::path name = it.file.substr(0, it.file.find('?'));
    return !dataset::naming_of(dataset::FrameRole::kColor).has(dataset::lower_case(name.extension().string()));
  };
  if (!std::ranges::all_of(pictures, is_text)) std::erase_if(pictures, is_text);
  return pictures;
}

/// Whether a result is of a picture after the first one of its task. Its "to_name" is that of a tag, such as "img2" for
/// the key "image2".
bool is_of_second(const json& result, const std::vector<TaskPicture>& pictures) {
  if (size_at(result, "item_index") > 0) return true;
  const std::string tag = text_at(result, "to_name");
  const auto number_of_name = [](const std::string& name) {
    return name.substr(name.find_last_not_of("0123456789") + 1);
  };
  return std::ranges::any_of(pictures, [&](const TaskPicture& it) {
    return it.key != pictures[0].key &&
           (tag.ends_with(it.key) || (!number_of_name(tag).empty() && number_of_name(tag) == number_of_name(it.key)));
  });
}

/// The valid annotation: not cancelled, and of several the last.
const json* annotation_of(const json& task) {
  const json* last = nullptr;
  for (const char* key : {"annotations", "completions"})
    for (const json& annotation : member(task, key))
      if (!(member(annotation, "was_cancelled").is_boolean() && member(annotation, "was_cancelled").get<bool>()))
        last = &annotation;
  return last;
}

std::string label_of(const json& value) {
  for (const char* kind : kLabelKinds)
    if (const json& labels = member(value, kind); labels.is_array() && !labels.empty() && labels[0].is_string())
      return labels[0].get<std::string>();
  return "";
}

double number_at(const json& value, const char* key) { return number_of(member(value, key)).value_or(0); }

std::vector<std::uint8_t> brush_bytes(const json& value, const std::string& what) {
  std::vector<std::uint8_t> bytes;
  for (const json& byte : member(value, "rle")) {
    const double number = number_of(byte).value_or(-1);
    FW_CHECK(number >= 0 && number <= 255 && number == std::floor(number), Data,
             what << ": a brush's run lengths hold " << json_text(byte).substr(0, 20)
                  << ", which is not a byte; export it again");
    bytes.push_back(static_cast<std::uint8_t>(number));
  }
  return bytes;
}

/// Pixels with an opacity of at least one half are inside, because brushes have smoothed borders.
Mask brush_mask(const std::vector<std::uint8_t>& bytes, std::size_t width, std::size_t height,
                const std::string& what) {
  FW_CHECK(width > 0 && height > 0 && width <= kMaxMaskArea && height <= kMaxMaskArea / width, Data,
           what << ": a brush is for an image of " << dataset::size_text(width, height)
                << " pixels; export with original_width and original_height");
  const auto opacity = parse_brush_runs(bytes, width * height);
  FW_CHECK(opacity.has_value(), Data,
           what << ": a brush's run lengths are damaged or not for " << dataset::size_text(width, height)
                << " pixels; export it again");
  constexpr std::uint8_t kHalf = 128;
  return {
      run_lengths(opacity->size(), [&](std::size_t i) { return (*opacity)[i] >= kHalf; }), false, 0, 0, width, height};
}

void add_region(const json& value, std::size_t width, std::size_t height, const std::string& what, Shape* shape) {
  const double aspect =
      static_cast<double>(std::max<std::size_t>(width, 1)) / static_cast<double>(std::max<std::size_t>(height, 1));
  if (member(value, "rle").is_array()) {
    shape->masks = {
        [bytes = brush_bytes(value, what), width, height, what] { return brush_mask(bytes, width, height, what); }};
  } else if (member(value, "points").is_array()) {
    shape->outlines = {polygon_of(member(value, "points"), what)};
  } else if (number_of(member(value, "width")) && number_of(member(value, "height"))) {
    FW_CHECK(number_at(value, "rotation") == 0 || (width > 0 && height > 0), Data,
             what << ": a turned box has no original_width and original_height; export it again");
    const Point corner = {number_at(value, "x"), number_at(value, "y")};
    shape->outlines = {box_outline(corner, number_at(value, "width"), number_at(value, "height"),
                                   number_at(value, "rotation"), aspect)};
  } else if (number_of(member(value, "radiusX"))) {
    shape->outlines = {ellipse_outline({number_at(value, "x"), number_at(value, "y")}, number_at(value, "radiusX"),
                                       number_at(value, "radiusY"), number_at(value, "rotation"), aspect)};
  }
}

AnnotatedPicture read_task(const json& task, const std::string& file, ClassNames* names, ImportReport& report) {
  const std::vector<TaskPicture> pictures = pictures_of_task(task);
  AnnotatedPicture picture{pictures.empty() ? "" : pictures[0].file};
  if (pictures.size() > 1) report.add("left out: second images of a task", pictures.size() - 1);
  const json* annotation = annotation_of(task);
  if (annotation == nullptr) return picture;
  struct Parts {
    std::string label, kind;
    Shape shape;
  };
  std::vector<Parts> regions;
  std::map<std::string, std::size_t>
      place_of;  // [id] a region may occur twice, once with its label and once with its pixels
  for (const json& result : member(*annotation, "result")) {
    if (is_of_second(result, pictures)) {
      report.add("left out: annotations of second images of a task");
      continue;
    }
    const std::string id = text_at(result, "id"), what = file + ": " + picture.file + ", region " + id;
    const auto [place, is_new] =
        place_of.try_emplace(id.empty() ? std::to_string(regions.size()) + "#" : id, regions.size());
    if (is_new) regions.emplace_back().shape.in_percent = true;
    Parts& parts = regions[place->second];
    const std::size_t width = size_at(result, "original_width"), height = size_at(result, "original_height");
    if (width > 0) picture.width = width;
    if (height > 0) picture.height = height;
    FW_CHECK(number_at(result, "image_rotation") == 0, Data,
             what << ": the image was turned by " << number_at(result, "image_rotation")
                  << " degrees for annotation; turn it back there, and export again");
    const json& value = member(result, "value");
    parts.kind = text_at(result, "type");
    if (const std::string label = label_of(value); !label.empty()) parts.label = label;
    add_region(value, width, height, what, &parts.shape);
  }
  for (Parts& parts : regions) {
    const bool has_area = !parts.shape.outlines.empty() || !parts.shape.masks.empty();
    if (!has_area) report.add(without_area(parts.kind));
    if (has_area && parts.label.empty()) report.add("left out: regions without a label");
    if (!has_area || parts.label.empty()) continue;
    parts.shape.label = names->add(parts.label);
    picture.shapes.push_back(std::move(parts.shape));
  }
  return picture;
}

}  // namespace

ImportPlan plan_label_studio(const ImportOptions& options) {
  const json root = read_json(options.in);
  const std::string file = options.in.string();
  FW_CHECK(
      root.is_array() && !root.empty() && member(root[0], "data").is_object(), Data,
      file << " is not an export of Label Studio, which is a list of tasks with \"data\" and \"annotations\" (JSON, "
              "not JSON-MIN); is it of another format?");
  ClassNames names;
  const auto report = std::make_shared<ImportReport>();
  std::vector<AnnotatedPicture> pictures;
  for (const json& task : root) pictures.push_back(read_task(task, file, &names, *report));
  return plan_of(options, options.in, std::move(pictures), names, report);
}

}  // namespace fernwood::formats
