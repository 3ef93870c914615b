// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

std::string place_of(const InMemoryFrames& supply, std::size_t index) {
  return supply.name + ": frame " + (supply.names.empty() ? std::to_string(index) : supply.names[index]);
}

void check_presence(const std::string& place, const char* what, bool is_there, bool first_has) {
  FW_CHECK(is_there == first_has, Data,
           place << " has " << (is_there ? "" : "no ") << what << ", the first frame has " << (first_has ? "" : "none")
                 << (first_has ? "it" : "") << "; give all frames the same images");
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Whether the numbers of the classes are already those requested, the usual case.
bool are_identical(const std::vector<std::uint16_t>& label_of) {
  for (std::size_t c = 0; c < label_of.size(); ++c)
    if (label_of[c] != static_cast<std::uint16_t>(c)) return false;
  return true;
}

/// One more than the greatest label that is not void; 0 if all are void. Without a branch per pixel, so that compilers
/// vectorise it.
std::size_t num_labels(const image::LabelImage& labels) {
  static_assert(image::kVoid == 0xffff, "void counts as 0, without a branch, so that the loop is one of vectors");
  std::uint16_t most = 0;
  for (const std::uint16_t label : labels) most = std::max(most, static_cast<std::uint16_t>(label + 1));
  return most;
}

}  // namespace

std::vector<image::ClassInfo> name_classes(const std::vector<std::string>& names) {
  std::vector<image::ClassInfo> classes;
  for (const std::string& name : names) {
    image::Rgb color;
    // Takes three bits of the number at a time, one each for red, green and blue, and assigns them from the highest
    // bits down.
    std::size_t number = classes.size() + 1;
    for (int bit = 7; bit >= 0; --bit, number >>= 3) {
      color.r = static_cast<std::uint8_t>(color.r | (number & 1) << bit);
      color.g = static_cast<std::uint8_t>(color.g | (number >> 1 & 1) << bit);
      color.b = static_cast<std::uint8_t>(color.b | (number >> 2 & 1) << bit);
    }
    classes.push_back({name, color});
  }
  return classes;
}

InMemoryFrames supply_of(std::vector<LabelledFrame> frames, std::vector<image::ClassInfo> classes) {
  const auto held = std::make_shared<const std::vector<LabelledFrame>>(std::move(frames));
  InMemoryFrames supply;
  supply.num_frames = held->size();
  supply.frame = [held](std::size_t frame) { return (*held)[frame].frame; };
  supply.labels = [held](std::size_t frame) { return (*held)[frame].labels; };
  supply.size = [held](std::size_t frame) -> FrameSize {
    return {(*held)[frame].frame.rows(), (*held)[frame].frame.cols()};
  };
  supply.camera = [held](std::size_t frame) { return (*held)[frame].frame.camera; };
  supply.config.classes = std::move(classes);
  return supply;
}

void check_supply(const InMemoryFrames& supply) {
  FW_CHECK(supply.num_frames > 0, Usage, supply.name << ": there is no frame; give at least one");
  FW_CHECK(supply.frame != nullptr, Usage, supply.name << ": nothing gives the frames; set InMemoryFrames::frame");
  for (const std::size_t count : {supply.names.size(), supply.groups.size()})
    FW_CHECK(count == 0 || count == supply.num_frames, Usage,
             supply.name << ": there are " << supply.num_frames << " frames, and names or groups for " << count
                         << "; give one for each, or none");
  if (!supply.labels) return;
  const std::vector<image::ClassInfo>& classes = supply.config.classes;
  FW_CHECK(!classes.empty(), Usage, supply.name << ": there are labels but no classes; name the classes");
  std::set<std::string> names;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::string name = trimmed(classes[c].name);
    FW_CHECK(!name.empty(), Usage, supply.name << ": the class " << c << " has no name; give it one");
    const std::string problem = name_problem(name);
    FW_CHECK(problem.empty(), Usage, supply.name << ": the name of class " << c << " " << problem << "; rename it");
    FW_CHECK(names.insert(name).second, Usage, supply.name << ": two classes are named \"" << name << "\"; rename one");
  }
  const std::string problem = same_color_problem(classes);
  FW_CHECK(problem.empty(), Usage, supply.name << ": " << problem << "; give each its own");
}

image::Frame supplied_frame(const InMemoryFrames& supply, std::size_t index, bool has_color, bool has_depth,
                            std::size_t num_maps) {
  image::Frame frame = supply.frame(index);
  const std::string place = place_of(supply, index);
  check_presence(place, "colour", !frame.color.empty(), has_color);
  check_presence(place, "depth", !frame.depth_mm.empty(), has_depth);
  FW_CHECK(!has_color || !has_depth ||
               (frame.color.rows() == frame.depth_mm.rows() && frame.color.cols() == frame.depth_mm.cols()),
           Data,
           place << ": the colour is " << size_text(frame.color.cols(), frame.color.rows()) << " pixels, the depth "
                 << size_text(frame.depth_mm.cols(), frame.depth_mm.rows())
                 << "; the images of a frame must have one size: scale one of them");
  const image::SuppliedMaps& maps = frame.maps;
  check_presence(place, "feature maps", !maps.empty(), num_maps > 0);
  FW_CHECK(maps.num_maps == num_maps && maps.values.size() == maps.num_maps * maps.rows * maps.cols, Data,
           place << " has " << maps.num_maps << " feature maps of " << size_text(maps.cols, maps.rows) << " cells in "
                 << maps.values.size() << " values, the first frame has " << num_maps
                 << " maps; give all frames the same maps");
  for (std::uint16_t& depth_mm : frame.depth_mm) depth_mm = image::is_known_depth(depth_mm) ? depth_mm : 0;
  if (!frame.camera) frame.camera = supply.config.camera;
  return frame;
}

FrameSize supplied_size(const InMemoryFrames& supply, std::size_t index) {
  if (supply.size) return supply.size(index);
  const image::Frame frame = supply.frame(index);
  return {frame.rows(), frame.cols()};
}

image::LabelImage supplied_labels(const InMemoryFrames& supply, std::size_t index, const ColorLookup& lookup) {
  const std::string place = place_of(supply, index);
  FW_CHECK(supply.labels != nullptr, Data, place << " has no labels; set InMemoryFrames::labels");
  image::LabelImage labels = supply.labels(index);
  const FrameSize size = supplied_size(supply, index);
  FW_CHECK(labels.rows() == size.rows && labels.cols() == size.cols, Data,
           place << ": the labels are " << size_text(labels.cols(), labels.rows()) << ", the frame is "
                 << size_text(size.cols, size.rows) << " pixels; give each pixel a label");
  const std::vector<image::ClassInfo>& own = supply.config.classes;
  std::vector<std::uint16_t> label_of;  // [own class]
  for (const image::ClassInfo& info : own) label_of.push_back(lookup.find(info.color).value_or(image::kVoid));
  if (are_identical(label_of) && num_labels(labels) <= own.size()) return labels;
  for (std::uint16_t& label : labels) {
    if (label == image::kVoid) continue;
    FW_CHECK(label < own.size(), Data,
             place << ": a label is " << label << "; the classes are 0 to " << own.size() - 1 << ", and "
                   << image::kVoid << " is not a class");
    label = label_of[label];
  }
  return labels;
}

}  // namespace fernwood::dataset
