// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

namespace {

class HeldFrames final : public InMemoryFrames {
 public:
  explicit HeldFrames(std::vector<LabelledFrame> held) : held_(std::move(held)) { num_frames = held_.size(); }
  image::Frame frame(std::size_t number) const override { return held_[number].frame; }
  image::LabelImage labels(std::size_t number) const override { return held_[number].labels; }
  image::InstanceImage instances(std::size_t number) const override { return held_[number].instances; }
  FrameSize size(std::size_t number) const override { return {held_[number].frame.rows(), held_[number].frame.cols()}; }
  std::optional<image::Camera> camera(std::size_t number) const override { return held_[number].frame.camera; }

 private:
  std::vector<LabelledFrame> held_;
};

void check_presence(const std::string& place, const char* what, bool is_there, bool first_has) {
  FW_CHECK(is_there == first_has, Data,
           place << " has " << (is_there ? "" : "no ") << what << ", the first frame has " << (first_has ? "" : "none")
                 << (first_has ? "it" : "") << "; give all frames the same images");
}

template <typename T>
void check_size_given(const std::string& place, const char* what, const Array2<T>& given, const FrameSize& frame) {
  FW_CHECK(given.rows() == frame.rows && given.cols() == frame.cols, Data,
           place << ": the " << what << " are " << size_text(given.cols(), given.rows()) << ", the frame is "
                 << size_text(frame.cols, frame.rows) << " pixels; pass one for each pixel");
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
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

std::shared_ptr<InMemoryFrames> supply_of(std::vector<LabelledFrame> frames, std::vector<image::ClassInfo> classes) {
  auto supply = std::make_shared<HeldFrames>(std::move(frames));
  supply->config.classes = std::move(classes);
  return supply;
}

FrameSize InMemoryFrames::size(std::size_t number) const {
  const image::Frame computed = frame(number);
  return {computed.rows(), computed.cols()};
}

std::optional<image::Camera> InMemoryFrames::camera(std::size_t number) const { return frame(number).camera; }

void InMemoryFrames::add_depths(std::size_t number, DepthHistogram& depths) const { depths.add_some(frame(number)); }

void InMemoryFrames::check() const {
  FW_CHECK(num_frames > 0, Usage, name << ": there is no frame; pass at least one");
  for (const std::size_t count : {names.size(), groups.size()})
    FW_CHECK(count == 0 || count == num_frames, Usage,
             name << ": there are " << num_frames << " frames, and names or groups for " << count
                  << "; pass one for each, or none");
  if (!has_labels) return;
  FW_CHECK(!config.classes.empty(), Usage, name << ": there are labels but no classes; name the classes");
  std::set<std::string> class_names;
  for (std::size_t c = 0; c < config.classes.size(); ++c) {
    const std::string class_name = trimmed(config.classes[c].name);
    FW_CHECK(!class_name.empty(), Usage, name << ": the class " << c << " has no name; give it one");
    const std::string problem = name_problem(class_name);
    FW_CHECK(problem.empty(), Usage, name << ": the name of class " << c << " " << problem << "; rename it");
    FW_CHECK(class_names.insert(class_name).second, Usage,
             name << ": two classes are named \"" << class_name << "\"; rename one");
  }
  const std::string problem = same_color_problem(config.classes);
  FW_CHECK(problem.empty(), Usage, name << ": " << problem << "; give each its own");
}

image::Frame InMemoryFrames::read_frame(std::size_t number, const image::FrameContent& content) const {
  image::Frame given = frame(number);
  const std::string place = name + ": frame " + frame_name(number);
  check_presence(place, "colour", !given.color.empty(), content.color);
  check_presence(place, "depth", !given.depth_mm.empty(), content.depth);
  FW_CHECK(!content.color || !content.depth ||
               (given.color.rows() == given.depth_mm.rows() && given.color.cols() == given.depth_mm.cols()),
           Data,
           place << ": the colour is " << size_text(given.color.cols(), given.color.rows()) << " pixels, the depth "
                 << size_text(given.depth_mm.cols(), given.depth_mm.rows())
                 << "; the images of a frame must have one size: scale one of them");
  const image::SuppliedMaps& maps = given.maps;
  check_presence(place, "feature maps", !maps.empty(), content.num_maps > 0);
  FW_CHECK(maps.num_maps == content.num_maps && maps.values.size() == maps.num_maps * maps.rows * maps.cols, Data,
           place << " has " << maps.num_maps << " feature maps of " << size_text(maps.cols, maps.rows) << " cells in "
                 << maps.values.size() << " values, the first frame has " << content.num_maps
                 << " maps; give all frames the same maps");
  for (std::uint16_t& depth_mm : given.depth_mm) depth_mm = image::is_known_depth(depth_mm) ? depth_mm : 0;
  if (!given.camera) given.camera = config.camera;
  return given;
}

image::LabelImage InMemoryFrames::read_labels(std::size_t number, const image::ClassMap&,
                                              const ColorLookup& lookup) const {
  const std::string place = name + ": frame " + frame_name(number);
  FW_CHECK(has_labels, Data, place << " has no labels; set InMemoryFrames::has_labels and give them");
  image::LabelImage given = labels(number);
  check_size_given(place, "labels", given, size(number));
  std::vector<std::uint16_t> label_of;  // [own class]
  for (const image::ClassInfo& info : config.classes)
    label_of.push_back(lookup.find(info.color).value_or(image::kVoid));
  std::vector<std::uint16_t> numbers(label_of.size());
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  if (label_of == numbers && num_labels(given) <= label_of.size()) return given;  // the usual case
  for (std::uint16_t& label : given) {
    if (label == image::kVoid) continue;
    FW_CHECK(label < label_of.size(), Data,
             place << ": a label is " << label << "; the classes are 0 to " << label_of.size() - 1 << ", and "
                   << image::kVoid << " is not a class");
    label = label_of[label];
  }
  return given;
}

image::InstanceImage InMemoryFrames::read_instances(std::size_t number) const {
  image::InstanceImage given = instances(number);
  check_size_given(name + ": frame " + frame_name(number), "instances", given, size(number));
  return given;
}

}  // namespace fernwood::dataset
