// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// PASCAL VOC's folders: JPEGImages, SegmentationClass, and lists of names in ImageSets/Segmentation.

#include <algorithm>
#include <set>

#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/import/annotations.h"
#include "dataset/import/class_list.h"
#include "dataset/import/formats.h"
#include "dataset/import/name_pattern.h"
#include "dataset/index_labels.h"
#include "dataset/truth_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVocNames[] = {"background", "aeroplane", "bicycle",   "bird",   "boat",        "bottle",
                                     "bus",        "car",       "cat",       "chair",  "cow",         "diningtable",
                                     "dog",        "horse",     "motorbike", "person", "pottedplant", "sheep",
                                     "sofa",       "train",     "tvmonitor"};

/// The colour of a number in VOC's own colour map, black for 0.
image::Rgb voc_color(std::uint32_t number) { return number == 0 ? image::Rgb{} : index_color(number - 1); }

/// Classes with the colours of the label images.
DatasetConfig classes_of_voc(const fs::path& root, const ImportOptions& options) {
  DatasetConfig config;
  for (const fs::path& file : {options.classes, root / "labelmap.txt"}) {
    if (file.empty() || !fs::exists(file)) continue;
    config = read_class_list(file);
    // labelmap.txt may contain the colours, with black for the background; otherwise they are those of VOC's colour
    // map.
    for (std::uint32_t c = 0; image::ClassInfo & info : config.classes) info.color = voc_color(c++);
    std::size_t c = 0;
    TextInput lines(read_user_text(file));
    for (std::string line; std::getline(lines, line) && c < config.classes.size();) {
      int r = 0, g = 0, b = 0;
      const std::size_t colon = line.find(':');
      if (line.empty() || line[0] == '#') continue;
      if (colon == std::string::npos) break;
      if (std::sscanf(line.c_str() + colon, ":%d,%d,%d", &r, &g, &b) == 3)
        config.classes[c].color = {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                                   static_cast<std::uint8_t>(b)};
      ++c;
    }
    return config;
  }
  for (std::uint16_t number = 0; const char* name : kVocNames) {
    config.classes.push_back({name, voc_color(number)});
    config.class_indices.push_back(number++);
  }
  return config;
}

/// Splits by name, from lists such as ImageSets/Segmentation/train.txt.
std::map<std::string, std::string> splits_of(const fs::path& root) {
  std::map<std::string, std::string> splits;
  for (const char* split : {"train", "val", "test"}) {
    const fs::path list = root / "ImageSets" / "Segmentation" / (std::string(split) + ".txt");
    if (!fs::exists(list)) continue;
    TextInput words(read_user_text(list));
    for (std::string name; words >> name;) splits.emplace(name, split);
  }
  return splits;
}

}  // namespace

ImportPlan plan_voc(const ImportOptions& options) {
  const fs::path& root = options.in;
  FW_CHECK(fs::is_directory(root / "JPEGImages") && fs::is_directory(root / "SegmentationClass"), Data,
           root.string() << ": has no folders JPEGImages and SegmentationClass; name the folder that holds them, such "
                            "as VOCdevkit/VOC2012");
  const FilesByName labels = match_files(root, "SegmentationClass/{}.png", "SegmentationClass");
  FilesByName pictures;
  for (const char* pattern : {"JPEGImages/{}.jpg", "JPEGImages/{}.png", "JPEGImages/{}.jpeg"}) try {
      pictures.merge(match_files(root, pattern, "JPEGImages"));
    } catch (const Error&) {  // with another extension
    }
  DatasetConfig reading = classes_of_voc(root, options);
  const ImageHeader header = read_image_header(labels.begin()->second);
  reading.labels = header.is_palette || header.is_grey() ? LabelEncoding::kIndex : LabelEncoding::kColors;
  if (reading.labels == LabelEncoding::kColors) reading.ignored_colors = {voc_color(255)};
  ImportPlan plan;
  ClassNames names;
  for (const image::ClassInfo& info : reading.classes) names.add(info.name, info.color);
  plan.config.classes = names.classes();
  const image::ClassMap map = make_class_map(reading, {}, {});
  const auto shared = std::make_shared<const std::pair<DatasetConfig, image::ClassMap>>(std::move(reading), map);
  plan.keeps = shared;
  const std::map<std::string, std::string> splits = splits_of(root);
  std::size_t num_without = 0;
  for (const auto& [name, file] : labels) {
    const auto picture = pictures.find(name);
    if (picture == pictures.end()) {
      ++num_without;
      continue;
    }
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = name;
    frame.color = picture->second;
    if (const auto split = splits.find(name); split != splits.end()) frame.split = split->second;
    frame.labels = [path = file, shared](const FrameSize&) {
      return to_labels(path, read_truth(path, shared->first), shared->second, shared->first.labels);
    };
  }
  FW_CHECK(!plan.frames.empty(), Data,
           root.string() << ": no file of SegmentationClass has a picture in JPEGImages; unpack both");
  if (num_without > 0)
    plan.notes.push_back(std::to_string(num_without) +
                         " files of SegmentationClass have no picture in JPEGImages, and are left out");
  if (!splits.empty() &&
      std::ranges::any_of(plan.frames, [](const ImportedFrame& frame) { return frame.split.empty(); })) {
    std::erase_if(plan.frames, [](const ImportedFrame& frame) { return frame.split.empty(); });
    plan.notes.push_back("pictures in no list of ImageSets/Segmentation are left out");
  }
  attach_files(options, root, plan);
  settle_names(root, plan.frames);
  return plan;
}

}  // namespace fernwood::dataset
