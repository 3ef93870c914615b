// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// CVAT XML 1.1: pictures with shapes, or tracks of a video.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <pugixml.hpp>

#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

namespace {

struct PlacedShape {
  int z_order = 0;
  Shape shape;
};

[[noreturn]] void fail_attribute(const std::string& what, const char* name, std::string_view value) {
  throw Error(ErrorKind::kData, what + ": " + name + " is \"" + std::string(value.substr(0, 40)) +
                                    "\", a number was expected; export the file again");
}

double number_in(std::string_view text, const char* name, const std::string& what) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kMost = 1e9;
  if (failure != std::errc() || end != text.data() + text.size() || !(std::abs(value) <= kMost))
    fail_attribute(what, name, text);
  return value;
}

double number(const pugi::xml_node& node, const char* name, const std::string& what) {
  return number_in(node.attribute(name).value(), name, what);
}

double number_or_0(const pugi::xml_node& node, const char* name, const std::string& what) {
  return node.attribute(name) ? number(node, name, what) : 0;
}

std::size_t pixels_in(std::string_view text, const char* name, const std::string& what) {
  const double value = number_in(text, name, what);
  if (!(value >= 0 && value <= static_cast<double>(kMaxMaskArea))) fail_attribute(what, name, text);
  return static_cast<std::size_t>(value);
}

std::size_t pixels(const pugi::xml_node& node, const char* name, const std::string& what) {
  return pixels_in(node.attribute(name).value(), name, what);
}

/// Parses "1.5,2;3,4".
Polygon points_of(const pugi::xml_node& node, const std::string& what) {
  const std::string_view text = node.attribute("points").value();
  Polygon polygon;
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    double parts[2] = {};
    for (int i = 0; i < 2; ++i) {
      const auto [next, failure] = std::from_chars(at, end, parts[i]);
      const bool ends_well = next == end ? i == 1 : *next == (i == 0 ? ',' : ';');
      if (failure != std::errc() || !ends_well || !(std::abs(parts[i]) <= 1e9)) fail_attribute(what, "points", text);
      at = next == end ? end : next + 1;
    }
    polygon.push_back({parts[0], parts[1]});
  }
  return polygon;
}

Mask mask_of_node(const pugi::xml_node& node, const std::string& what) {
  Mask mask;
  mask.cols = pixels(node, "width", what);
  mask.rows = pixels(node, "height", what);
  mask.left = static_cast<std::int64_t>(number(node, "left", what));
  mask.top = static_cast<std::int64_t>(number(node, "top", what));
  FW_CHECK(mask.rows == 0 || mask.cols <= kMaxMaskArea / mask.rows, Data,
           what << ": a mask has " << dataset::size_text(mask.cols, mask.rows) << " pixels; export the file again");
  auto lengths = parse_cvat_runs(node.attribute("rle").value(), mask.rows * mask.cols);
  FW_CHECK(lengths.has_value(), Data,
           what << ": the run lengths of a mask are damaged, or longer than its "
                << dataset::size_text(mask.cols, mask.rows) << " pixels; export the file again");
  mask.lengths = std::move(*lengths);
  return mask;
}

/// Reads a shape that covers pixels; false for others, such as tags, points and polylines.
bool read_shape_node(const pugi::xml_node& node, const std::string& what, PlacedShape* placed) {
  const std::string_view kind = node.name();
  placed->z_order = static_cast<int>(number_or_0(node, "z_order", what));
  if (kind == "mask") {
    placed->shape.masks.emplace_back([mask = mask_of_node(node, what)] { return mask; });
  } else if (kind == "polygon") {
    placed->shape.outlines.push_back(points_of(node, what));
  } else if (kind == "box") {
    placed->shape.outlines.push_back(turned_box({number(node, "xtl", what), number(node, "ytl", what)},
                                                {number(node, "xbr", what), number(node, "ybr", what)},
                                                number_or_0(node, "rotation", what)));
  } else if (kind == "ellipse") {
    placed->shape.outlines.push_back(ellipse_outline({number(node, "cx", what), number(node, "cy", what)},
                                                     number(node, "rx", what), number(node, "ry", what),
                                                     number_or_0(node, "rotation", what)));
  } else if (kind == "cuboid") {
    Polygon corners;
    for (const std::string corner : {"tl1", "bl1", "tr1", "br1", "tl2", "bl2", "tr2", "br2"})
      corners.push_back({number(node, ("x" + corner).c_str(), what), number(node, ("y" + corner).c_str(), what)});
    placed->shape.outlines = triangles_of(corners);
  } else {
    return false;
  }
  return true;
}

/// The group of shapes or tracks that are one object; empty without one, which CVAT may write as 0.
std::string group_of(const pugi::xml_node& node) {
  const std::string group = node.attribute("group_id").value();
  return group == "0" ? "" : group;
}

/// Sorts shapes by z order; those of equal order stay in the order of the file.
void take_shapes(std::vector<PlacedShape> shapes, AnnotatedPicture* picture) {
  std::ranges::stable_sort(shapes, {}, &PlacedShape::z_order);
  for (PlacedShape& placed : shapes) picture->shapes.push_back(std::move(placed.shape));
}

/// CVAT proposes Train, Test and Validation, and accepts other names; "default" stands for none.
std::string split_of_subset(const std::string& subset) {
  static const std::map<std::string, std::string> kSplits = {{"", ""},
                                                             {"default", ""},
                                                             {"train", "train"},
                                                             {"training", "train"},
                                                             {"test", "test"},
                                                             {"testing", "test"},
                                                             {"val", "val"},
                                                             {"valid", "val"},
                                                             {"validation", "val"}};
  const auto found = kSplits.find(dataset::lower_case(subset));
  return found == kSplits.end() ? dataset::file_name_of(subset) : found->second;
}

class CvatFile {
 public:
  CvatFile(const pugi::xml_node& root, std::string file) : root_(root), file_(std::move(file)) {
    read_labels(root.child("meta"));
    for (const pugi::xml_node& image : root.children("image")) read_image(image);
    if (root.child("track")) read_tracks();
  }

  std::vector<AnnotatedPicture> pictures;
  ClassNames names;
  const std::shared_ptr<ImportReport> report = std::make_shared<ImportReport>();

 private:
  /// Reads the labels of a task or a project, at any level.
  void read_labels(const pugi::xml_node& meta) {
    for (const pugi::xml_node& above : meta.children())
      for (const pugi::xml_node& label : above.child("labels").children("label"))
        if (const char* name = label.child_value("name"); *name != 0)
          names.add(name, color_of_text(label.child_value("color")));
  }

  void read_image(const pugi::xml_node& image) {
    AnnotatedPicture picture{image.attribute("name").value()};
    const std::string what = file_ + ": the image " + picture.file;
    FW_CHECK(!picture.file.empty(), Data, file_ << ": an image has no name; export the file again");
    if (image.attribute("width")) picture.width = pixels(image, "width", what);
    if (image.attribute("height")) picture.height = pixels(image, "height", what);
    const std::string subset = image.attribute("subset").value();
    picture.split = split_of_subset(subset);
    if (!picture.split.empty()) picture.file = subset + "/" + picture.file;  // projects have folders for subsets
    picture.has_instances = true;
    InstanceNumbers numbers;
    std::vector<PlacedShape> shapes;
    for (const pugi::xml_node& node : image.children()) {
      PlacedShape placed;
      if (!read_shape_node(node, what, &placed)) {
        report->add(without_area(node.name()));
        continue;
      }
      placed.shape.label = names.add(node.attribute("label").value());
      placed.shape.instance = numbers.add(group_of(node));
      shapes.push_back(std::move(placed));
    }
    take_shapes(std::move(shapes), &picture);
    pictures.push_back(std::move(picture));
  }

  /// A track contains the position of its object in each frame, until a frame where it is marked as outside.
  void read_tracks() {
    std::map<std::size_t, std::vector<PlacedShape>> of_frame;
    InstanceNumbers numbers;
    for (const pugi::xml_node& track : root_.children("track")) {
      const std::uint16_t label = names.add(track.attribute("label").value());
      const std::uint16_t instance = numbers.add(group_of(track));
      const std::string what = file_ + ": the track " + track.attribute("id").value();
      for (const pugi::xml_node& node : track.children()) {
        PlacedShape placed;
        if (std::string_view(node.attribute("outside").value()) == "1") continue;
        if (!read_shape_node(node, what, &placed)) {
          report->add(without_area(node.name()));
          continue;
        }
        placed.shape.label = label;
        placed.shape.instance = instance;
        of_frame[pixels(node, "frame", what)].push_back(std::move(placed));
      }
    }
    const pugi::xml_node size = root_.child("meta").first_child().child("original_size");
    const std::string size_place = file_ + ": the original size";
    for (auto& [frame, shapes] : of_frame) {
      AnnotatedPicture picture{format_text("frame_%06zu", frame)};
      picture.has_instances = true;
      if (size.child("width")) picture.width = pixels_in(size.child_value("width"), "width", size_place);
      if (size.child("height")) picture.height = pixels_in(size.child_value("height"), "height", size_place);
      take_shapes(std::move(shapes), &picture);
      pictures.push_back(std::move(picture));
    }
  }

  pugi::xml_node root_;
  std::string file_;
};

}  // namespace

ImportPlan plan_cvat(const ImportOptions& options) {
  const std::string text = dataset::read_user_text(options.in), file = options.in.string();
  pugi::xml_document document;
  // Formatted files have blanks around numbers.
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_trim_pcdata, pugi::encoding_auto);
  FW_CHECK(
      result, Data,
      file << " is not valid XML (" << result.description() << " at byte " << result.offset << "); export it again");
  const pugi::xml_node root = document.child("annotations");
  FW_CHECK(root && (root.child("image") || root.child("track")), Data,
           file << " is not a file of CVAT, which has <annotations> with <image> or <track> (export \"CVAT for images "
                   "1.1\" or \"CVAT for video 1.1\"); is it of another format?");
  CvatFile cvat(root, file);
  return plan_of(options, options.in, std::move(cvat.pictures), cvat.names, cvat.report);
}

}  // namespace fernwood::formats
