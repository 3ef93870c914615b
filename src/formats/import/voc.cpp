// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// PASCAL VOC's folders: JPEGImages, SegmentationClass, and lists of names in ImageSets/Segmentation.

#include <algorithm>

#include "dataset/files/image_file.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVocNames[] = {"background", "aeroplane", "bicycle",   "bird",   "boat",        "bottle",
                                     "bus",        "car",       "cat",       "chair",  "cow",         "diningtable",
                                     "dog",        "horse",     "motorbike", "person", "pottedplant", "sheep",
                                     "sofa",       "train",     "tvmonitor"};

/// The colour of a number in VOC's own colour map, black for 0.
image::Rgb voc_color(std::uint32_t number) { return number == 0 ? image::Rgb{} : dataset::index_color(number - 1); }

/// Classes with the colours of the label images. @param notes  The assumption about their names is added.
dataset::DatasetConfig classes_of_voc(const fs::path& root, const ImportOptions& options,
                                      std::vector<std::string>& notes) {
  fs::path list = options.classes;
  for (const char* usual : {"labelmap.txt", "class_names.txt"})  // of CVAT and of labelme2voc
    if (list.empty() && fs::exists(root / usual)) list = root / usual;
  if (!list.empty()) {
    ListedClasses listed = read_class_list(list);
    // The list may contain the colours, with black for the background; otherwise they are those of VOC's colour map.
    for (std::size_t c = 0; c < listed.config.classes.size(); ++c)
      listed.config.classes[c].color = listed.given_colors[c].value_or(voc_color(listed.config.class_indices[c]));
    return std::move(listed.config);
  }
  notes.push_back(
      "no list says how the classes are called, so the numbers have the names of PASCAL VOC's 20 classes; where that "
      "is "
      "wrong, pass a list of classes, or put it next to JPEGImages as class_names.txt");
  dataset::DatasetConfig config;
  for (std::uint16_t number = 0; const char* name : kVocNames) {
    config.classes.push_back({name, voc_color(number)});
    config.class_indices.push_back(number++);
  }
  return config;
}

/// How truth files are read, and their classes.
using TruthReading = std::shared_ptr<const std::pair<dataset::DatasetConfig, image::ClassMap>>;

/// Adds a frame for each label file that has a picture.
void add_voc_frames(const fs::path& root, const dataset::FilesByName& labels, const TruthReading& reading,
                    ImportPlan& plan) {
  const dataset::FilesByName pictures =
      files_if_any(root, {"JPEGImages/{}.jpg", "JPEGImages/{}.png", "JPEGImages/{}.jpeg"});
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
    frame.truth = [path = file, reading](const dataset::FrameSize&) {
      return dataset::to_labels(path, dataset::read_truth(path, reading->first), dataset::ColorLookup(reading->second),
                                reading->second, reading->first.labels);
    };
  }
  FW_CHECK(!plan.frames.empty(), Data,
           root.string() << ": no file of SegmentationClass has an image in JPEGImages; unpack both");
  if (num_without > 0)
    plan.report->add("left out: files of SegmentationClass without an image in JPEGImages", num_without);
}

/// Sets the splits of frames, and leaves out those in no list if there are lists.
void set_splits(const fs::path& root, ImportPlan& plan) {
  std::vector<std::string> names;
  for (const ImportedFrame& frame : plan.frames) names.push_back(frame.name);
  const auto splits = splits_in(root / "ImageSets" / "Segmentation",
                                {{"train.txt", "train"}, {"val.txt", "val"}, {"test.txt", "test"}}, names);
  if (splits.empty()) return;
  for (ImportedFrame& frame : plan.frames)
    if (const auto split = splits.find(frame.name); split != splits.end()) frame.split = split->second;
  if (const auto count = std::erase_if(plan.frames, [](const ImportedFrame& frame) { return frame.split.empty(); }))
    plan.report->add("left out: images in no list of ImageSets/Segmentation", count);
  FW_CHECK(!plan.frames.empty(), Data,
           root.string() << ": the lists of ImageSets/Segmentation name none of its images; correct or remove them");
}

}  // namespace

ImportPlan plan_voc(const ImportOptions& options) {
  const fs::path& root = options.in;
  FW_CHECK(fs::is_directory(root / "JPEGImages") && fs::is_directory(root / "SegmentationClass"), Data,
           root.string() << " has no folders JPEGImages and SegmentationClass; name the folder that holds them, such "
                            "as VOCdevkit/VOC2012");
  const dataset::FilesByName labels = dataset::match_files(root, "SegmentationClass/{}.png", "SegmentationClass");
  ImportPlan plan;
  dataset::DatasetConfig reading = classes_of_voc(root, options, plan.notes);
  const dataset::ImageHeader header = dataset::read_image_header(labels.begin()->second);
  reading.labels =
      header.is_palette || header.is_grey() ? dataset::LabelEncoding::kIndex : dataset::LabelEncoding::kColors;
  if (reading.labels == dataset::LabelEncoding::kColors) reading.ignored_colors = {voc_color(255)};
  ClassNames names;
  for (const image::ClassInfo& info : reading.classes) names.add(info.name, info.color);
  plan.config.classes = names.classes();
  if (reading.labels == dataset::LabelEncoding::kIndex) {
    reading.classes = names.classes();  // numbers tell classes apart, also those of one colour
    plan.notes.insert(plan.notes.end(), names.notes().begin(), names.notes().end());
  }
  const std::string problem = dataset::same_color_problem(reading.classes);
  FW_CHECK(
      problem.empty(), Data,
      root.string() << ": " << problem << ", and the label images have colours; give each class of the list its own");
  std::ranges::copy(dataset::transparency_notes(root, as_truth(labels), reading), std::back_inserter(plan.notes));
  const image::ClassMap map = dataset::make_class_map(reading, {}, {});
  const auto shared =
      std::make_shared<const std::pair<dataset::DatasetConfig, image::ClassMap>>(std::move(reading), map);
  plan.keeps = shared;
  add_voc_frames(root, labels, shared, plan);
  set_splits(root, plan);
  attach_files(options, root, plan);
  settle_names(root, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
