// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <fstream>

#include "dataset/test_files.h"
#include "fernwood/formats/import.h"
#include "formats/import/annotations.h"
#include "formats/label_runs.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

namespace {

namespace fs = std::filesystem;

struct AnnotationKind {
  const char* format;
  const char* file;
};
constexpr std::array<AnnotationKind, 5> kKinds = {{{"coco", "x.json"},
                                                   {"cvat", "x.xml"},
                                                   {"label-studio", "x.json"},
                                                   {"labelme", "x.json"},
                                                   {"supervisely", "ann/a.png.json"}}};
constexpr std::size_t kPictureRows = 3, kPictureCols = 5;

/// A folder with the image a.png, to which all inputs refer.
const fs::path& picture_folder() {
  static const fs::path kFolder = [] {
    fs::path folder = scratch_folder() / "annotations";
    for (const char* below : {"img", "ann"}) fs::create_directories(folder / below);
    for (const char* file : {"a.png", "img/a.png"})
      dataset::write_png(folder / file, Array2<image::Rgb>(kPictureRows, kPictureCols, {1, 2, 3}));
    std::ofstream(folder / "meta.json") << R"({"classes": [{"title": "wall", "color": "#102030"}]})";
    return folder;
  }();
  return kFolder;
}

Bytes seed(std::uint8_t kind, const std::string& text) {
  Bytes bytes = {kind};
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

}  // namespace

int fuzz_annotations(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % (kKinds.size() + 1) == kKinds.size()) {
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    for (const char* name : {"c.json", "c.csv"})
      reads([&] {
        const dataset::DatasetConfig config = formats::parse_class_list(text, name).config;
        law(config.classes.size() == config.class_indices.size() && !config.classes.empty(), "a list without classes");
      });
    return 0;
  }
  const AnnotationKind& kind = kKinds[data[0] % (kKinds.size() + 1)];
  const fs::path file = picture_folder() / kind.file;
  write_bytes(file, data + 1, size - 1);
  reads([&] {
    const bool is_project = std::string_view(kind.format) == "supervisely";
    const formats::ImportPlan plan = formats::plan_import(kind.format, {.in = is_project ? picture_folder() : file});
    for (const formats::ImportedFrame& frame : plan.frames) {
      if (!frame.truth) continue;
      reads([&] {
        const formats::ImportedTruth truth = frame.truth({kPictureRows, kPictureCols});
        law(truth.instances.empty() || truth.instances.size() == truth.labels.size(), "instances of another size");
        for (const std::uint16_t label : truth.labels)
          law(label == image::kVoid || label < plan.config.classes.size(), "a label that is not a class");
      });
    }
  });
  fs::remove(file);
  return 0;
}

std::vector<Bytes> annotation_seeds() {
  image::LabelImage labels(kPictureRows, kPictureCols);
  labels(1, 2) = labels(1, 3) = labels(2, 2) = 1;
  std::string brush;
  for (const std::uint8_t byte : formats::brush_runs(labels, 1))
    brush += (brush.empty() ? "" : ",") + std::to_string(byte);
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 5, "height": 3}], "categories": [{"id": 3, "name": "wall", "color": [1, 2, 3]}], "annotations": [
      {"id": 5, "image_id": 1, "category_id": 3, "segmentation": [[0, 0, 4.5, 0, 4, 2.5]]},
      {"id": 6, "image_id": 1, "category_id": 3, "segmentation": {"size": [3, 5], "counts": ")" +
      formats::coco_counts(labels, 1) + R"("}},
      {"id": 7, "image_id": 1, "category_id": 3, "segmentation": {"size": [3, 5], "counts": [3, 2, 10]}},
      {"id": 8, "image_id": 1, "category_id": 3, "bbox": [1, 1, 2, 2]}]})";
  const std::string cvat =
      R"(<?xml version="1.0"?><annotations><meta><task><original_size><width>5</width></original_size><labels><label><name>wall</name><color>#102030</color></label></labels></task></meta>
      <image id="0" name="a.png" width="5" height="3"><polygon label="wall" points="0,0;4,0;4,2" z_order="-2"/><box label="b" xtl="1" ytl="1" xbr="3" ybr="2" rotation="30"/>
      <ellipse label="e" cx="2" cy="1" rx="2" ry="1"/><mask label="m" rle="1, 2, 3" left="1" top="0" width="2" height="3"/></image>
      <track id="0" label="t"><box frame="0" outside="0" xtl="1" ytl="1" xbr="3" ybr="2"/></track></annotations>)";
  const std::string studio =
      R"([{"data": {"image": "/data/upload/1a2b3c4d-a.png"}, "annotations": [{"was_cancelled": false, "result": [
      {"id": "p", "original_width": 5, "original_height": 3, "value": {"points": [[0, 0], [80, 0], [80, 90]], "polygonlabels": ["wall"]}},
      {"id": "r", "original_width": 5, "original_height": 3, "value": {"x": 10, "y": 10, "width": 50, "height": 50, "rotation": 20, "rectanglelabels": ["box"]}},
      {"id": "e", "original_width": 5, "original_height": 3, "value": {"x": 50, "y": 50, "radiusX": 30, "radiusY": 20, "ellipselabels": ["ball"]}},
      {"id": "b", "original_width": 5, "original_height": 3, "value": {"format": "rle", "rle": [)" +
      brush + R"(], "brushlabels": ["dog"]}}]}]}])";
  const std::string labelme =
      R"({"version": "5", "imagePath": "a.png", "imageData": null, "imageHeight": 3, "imageWidth": 5, "shapes": [{"label": "wall", "points": [[0, 0], [4, 0], [4, 2]]},
      {"label": "__ignore__", "shape_type": "circle", "points": [[2, 1], [3, 1]]}, {"label": "m", "shape_type": "mask", "points": [[1, 1]], "mask": "iVBORw0KGgo="}]})";
  const std::string supervisely =
      R"({"size": {"width": 5, "height": 3}, "objects": [{"classTitle": "wall", "geometryType": "polygon", "points": {"exterior": [[0, 0], [4, 0], [4, 2]], "interior": [[[1, 1], [2, 1], [2, 2]]]}},
      {"classTitle": "b", "bitmap": {"data": "eJwBAAD//wAAAAE=", "origin": [1, 1]}}]})";
  return {seed(0, coco),
          seed(1, cvat),
          seed(2, studio),
          seed(3, labelme),
          seed(4, supervisely),
          seed(5, "id,name,r,g,b\n1,wall,1,2,3\n4,night stand,3,2,1\n"),
          seed(5, "car:10,20,30::\n"),
          seed(5, R"({"1": "wall", "floor": 2})"),
          seed(5, R"([{"id": 1, "name": "wall"}, "x"])")};
}

}  // namespace fernwood::fuzz
