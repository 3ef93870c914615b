// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// ADE20K: all its objects, as ADE20K_2021_17_01 has them, and the 150 classes of ADEChallengeData2016.

#include <set>

#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// [number in label images] Name of the object; 0 is not an object.
using ObjectNames = std::map<std::uint32_t, std::string>;
constexpr std::uint32_t kMaxObject = 25 * 256 + 255;

std::string unnamed_class(std::uint32_t number) { return "class " + std::to_string(number); }

/// Labels by object number. @param classes  [number] Class indices.
struct ObjectClasses {
  std::map<std::uint32_t, std::uint16_t> classes = {};
  ClassNames names = {};

  explicit ObjectClasses(const ObjectNames& objects) {
    for (const auto& [number, name] : objects) classes.emplace(number, names.add(name));
  }
};

/// The number is 256 times red divided by ten, plus green; blue is the instance.
std::uint32_t object_of(const image::Rgb& color) { return color.r / 10 * 256u + color.g; }

/// The split named by a folder of the path.
std::string split_of_path(const fs::path& relative) {
  for (const fs::path& part : relative) {
    if (part == "training") return "train";
    if (part == "validation") return "val";
  }
  return "";
}

/// Adds the names of whole objects; parts have files of their own. In some files, a list of one element is stored as an
/// object.
void add_object_names(const fs::path& file, ObjectNames& names) {
  const json root = read_json(file, OtherEncoding::kLatin1);
  const json& annotation = member(root, "annotation");
  const json& list = member(annotation, "object");
  FW_CHECK(list.is_array() || list.is_object(), Data,
           file.string() << " has no annotation.object, a list of objects; unpack it again");
  const auto add = [&](const json& object) {
    const json& parts = member(object, "parts");
    const json& is_part = member(parts, "ispart");
    if (size_at(parts, "part_level") > 0 || size_at(parts, "ispart") > 0 || is_part == json(true)) return;
    const std::size_t number = size_at(object, "name_ndx");
    const std::string name = text_at(object, "name");
    if (number >= 1 && number <= kMaxObject && !name.empty()) names.emplace(static_cast<std::uint32_t>(number), name);
  };
  if (list.is_object()) return add(list);
  for (const json& object : list) add(object);
}

image::LabelImage object_labels(const fs::path& file, const ObjectClasses& objects) {
  const Array2<image::Rgb> colors = dataset::read_color(file);
  image::LabelImage labels(colors.rows(), colors.cols(), image::kVoid);
  std::uint32_t last = 0;
  std::uint16_t label = image::kVoid;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint32_t number = object_of(colors.data()[i]);
    if (number == 0) continue;
    if (number != last) {
      const auto found = objects.classes.find(number);
      FW_CHECK(found != objects.classes.end(), Data,
               file.string() << ": pixel (" << i % labels.cols() << ", " << i / labels.cols() << ") is of the object "
                             << number << ", which no JSON file names; unpack the image's JSON file again, or remove "
                             << "it, and the class is called \"" << unnamed_class(number) << "\"");
      last = number;
      label = found->second;
    }
    labels.data()[i] = label;
  }
  return labels;
}

/// Pairs images with labels of the same name, each with its split; unpaired files are left out and reported.
ImportPlan plan_of_pairs(const fs::path& root, const dataset::FilesByName& pictures,
                         const dataset::FilesByName& labels) {
  ImportPlan plan;
  std::vector<std::string> lacking;
  for (const auto& [name, picture] : pictures) {
    if (!labels.contains(name)) {
      lacking.push_back(name);
      continue;
    }
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = fs::path(name).filename().string();
    frame.split = split_of_path(picture.lexically_relative(root).parent_path());
    if (frame.split.empty()) frame.split = split_of_path(folder_name(root));
    frame.color = picture;
  }
  for (const auto& [name, file] : labels)
    if (!pictures.contains(name)) lacking.push_back(name);
  if (!lacking.empty()) plan.notes.push_back("without image or labels, and left out: " + dataset::some_of(lacking));
  return plan;
}

/// ADEChallengeData2016, whose label images have the numbers of objectInfo150.txt.
ImportPlan plan_scene_parsing(const fs::path& root) {
  constexpr std::uint32_t kNumNamed = 150;
  const dataset::FilesByName labels = files_if_any(root, {"annotations/{}.png"});
  ImportPlan plan = plan_of_pairs(root, files_if_any(root, {"images/{}.jpg"}), labels);
  check_found(plan, root, "images/training/*.jpg and annotations/training/*.png of the same names");
  ObjectNames objects;
  if (const fs::path list = root / "objectInfo150.txt"; fs::exists(list)) {
    const dataset::DatasetConfig classes = read_class_list(list).config;
    for (std::size_t c = 0; c < classes.classes.size(); ++c)
      objects.emplace(classes.class_indices[c], classes.classes[c].name);
  } else {
    for (std::uint32_t number = 1; number <= kNumNamed; ++number) objects.emplace(number, unnamed_class(number));
    plan.notes.push_back("objectInfo150.txt is not there, so the classes have numbers for names");
  }
  const auto shared = std::make_shared<const ObjectClasses>(objects);
  plan.keeps = shared;
  plan.config.classes = shared->names.classes();
  for (ImportedFrame& frame : plan.frames) {
    const fs::path name = frame.color.lexically_relative(root / "images");
    frame.truth = [path = root / "annotations" / fs::path(name).replace_extension(".png"),
                   shared](const dataset::FrameSize&) {
      return labels_by_number(path, [&](std::uint32_t number) {
        if (number == 0) return image::kVoid;
        const auto found = shared->classes.find(number);
        FW_CHECK(found != shared->classes.end(), Data,
                 path.string() << " has the number " << number
                               << ", which is not in objectInfo150.txt; take both from the same archive");
        return found->second;
      });
    };
  }
  settle_names(root, plan.frames);
  return plan;
}

ImportPlan plan_all_objects(const fs::path& root) {
  const dataset::FilesByName labels = files_if_any(root, {"{}_seg.png"});
  dataset::FilesByName pictures = files_if_any(root, {"{}.jpg"});
  ImportPlan plan = plan_of_pairs(root, pictures, labels);
  check_found(plan, root,
              "NAME.jpg with NAME_seg.png and NAME.json, as ADE20K_2021_17_01 has them, or images/ and annotations/ of "
              "ADEChallengeData2016");
  ObjectNames objects;
  std::vector<fs::path> unnamed;
  for (const ImportedFrame& frame : plan.frames) {
    if (const fs::path file = fs::path(frame.color).replace_extension(".json"); fs::exists(file))
      add_object_names(file, objects);
    else
      unnamed.push_back(frame.color);
  }
  const auto seg_of = [](const fs::path& picture) {
    return picture.parent_path() / (picture.stem().string() + "_seg.png");
  };
  std::set<std::uint32_t> numbers;  // of the pictures without a JSON file
  for (const fs::path& picture : unnamed)
    for (const image::Rgb& color : dataset::read_color(seg_of(picture))) numbers.insert(object_of(color));
  for (const std::uint32_t number : numbers)
    if (number > 0) objects.emplace(number, unnamed_class(number));
  if (!unnamed.empty())
    plan.notes.push_back(std::to_string(unnamed.size()) + " images have no JSON file, such as " +
                         unnamed.front().filename().string() +
                         "; objects that no other file names are called by their number");
  const auto shared = std::make_shared<const ObjectClasses>(objects);
  plan.keeps = shared;
  plan.config.classes = shared->names.classes();
  for (ImportedFrame& frame : plan.frames)
    frame.truth = [path = seg_of(frame.color), shared](const dataset::FrameSize&) {
      return object_labels(path, *shared);
    };
  settle_names(root, plan.frames);
  return plan;
}

}  // namespace

ImportPlan plan_ade20k(const ImportOptions& options) {
  const bool is_scene_parsing = fs::is_directory(options.in / "images") && fs::is_directory(options.in / "annotations");
  return is_scene_parsing ? plan_scene_parsing(options.in) : plan_all_objects(options.in);
}

}  // namespace fernwood::formats
