// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Published RGB-D data sets, as they are when they are unpacked.

#include <algorithm>
#include <map>
#include <set>

#include "core/json_field.h"
#include "dataset/image_file.h"
#include "dataset/import/formats.h"
#include "dataset/import/json_file.h"
#include "dataset/import/rgbd_folder.h"
#include "dataset/index_labels.h"
#include "dataset/mat_file.h"
#include "dataset/nyu_class_maps.h"
#include "dataset/recording.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

void check_found(const ImportPlan& plan, const fs::path& root, const char* expected) {
  FW_CHECK(!plan.frames.empty(), Data, root.string() << ": holds no frames; expected are " << expected);
}

std::string folder_name(const fs::path& folder) {
  const fs::path clean = fs::absolute(folder).lexically_normal();
  return clean.has_filename() ? clean.filename().string() : clean.parent_path().filename().string();
}

FrameSize size_of_picture(const fs::path& file) {
  const ImageHeader header = read_image_header(file);
  return {header.height, header.width};
}

/// Names of sequences by split, from lists such as TrainSplit.txt.
std::map<std::string, std::string> splits_in(const fs::path& folder,
                                             std::initializer_list<std::pair<const char*, const char*>> lists) {
  std::map<std::string, std::string> splits;
  for (const auto& [file, split] : lists) {
    if (!fs::exists(folder / file)) continue;
    TextInput words(read_text(folder / file));
    for (std::string name; words >> name;) splits.emplace(name, split);
  }
  return splits;
}

// ---- SUN RGB-D ----

/// Depth is stored with its lowest three bits as the highest.
Array2<std::uint16_t> read_rotated_depth(const fs::path& file) {
  Array2<std::uint16_t> depth = read_stored_depth(file, {}).steps;
  for (std::uint16_t& value : depth) {
    value = static_cast<std::uint16_t>(value >> 3 | value << 13);
    if (value > image::kMaxDepthMm) value = 0;
  }
  return depth;
}

struct SunLabels {
  std::vector<std::uint16_t> numbers;  // [col][row], 0 is void
  std::vector<std::string> names;      // of 1, 2 ...
};

SunLabels read_seg(const fs::path& file) {
  const MatFile mat(file);
  SunLabels labels;
  labels.names = mat.read_strings("names");
  const auto take = [&](auto number) {
    const MatArray<decltype(number)> array(mat, "seglabel", 2);
    std::vector<decltype(number)> column;
    for (std::size_t i = 0; i < array.num_slices(); ++i) {
      array.read_slice(i, column);
      for (const auto value : column) labels.numbers.push_back(static_cast<std::uint16_t>(value));
    }
  };
  try {
    take(std::uint16_t{});
  } catch (const Error&) {
    labels.numbers.clear();
    try {
      take(std::uint8_t{});
    } catch (const Error&) {
      labels.numbers.clear();
      take(double{});
    }
  }
  return labels;
}

image::LabelImage sun_labels(const fs::path& file, const FrameSize& size, const ClassNames& classes) {
  const SunLabels seg = read_seg(file);
  FW_CHECK(seg.numbers.size() == size.rows * size.cols, Data,
           file.string() << ": has " << seg.numbers.size() << " labels, the picture has " << size.rows * size.cols
                         << " pixels; unpack both again");
  image::LabelImage labels(size.rows, size.cols, image::kVoid);
  for (std::size_t i = 0; i < seg.numbers.size(); ++i) {
    const std::uint16_t number = seg.numbers[i];
    if (number == 0 || number > seg.names.size()) continue;
    const auto label = classes.find(seg.names[number - 1u]);
    if (label) labels(i % size.rows, i / size.rows) = *label;
  }
  return labels;
}

// ---- ScanNet ----

/// [ScanNet's number] That of the 40 classes of NYU, from scannetv2-labels.combined.tsv.
std::map<std::uint32_t, std::uint16_t> read_label_table(const fs::path& file) {
  std::map<std::uint32_t, std::uint16_t> table;
  TextInput lines(read_text(file));
  std::size_t id = 0, nyu = 0;
  bool is_header = true;
  for (std::string line; std::getline(lines, line); is_header = false) {
    std::vector<std::string> cells(1);
    for (const char c : line)
      c == '\t' ? cells.emplace_back() : std::string(), c == '\t' || c == '\r' ? void() : cells.back().push_back(c);
    if (is_header) {
      id = static_cast<std::size_t>(std::ranges::find(cells, "id") - cells.begin());
      nyu = static_cast<std::size_t>(std::ranges::find(cells, "nyu40id") - cells.begin());
      FW_CHECK(id < cells.size() && nyu < cells.size(), Data,
               file.string() << ": has no columns id and nyu40id; copy it again from its source");
      continue;
    }
    if (std::max(id, nyu) >= cells.size()) continue;
    const long from = std::atol(cells[id].c_str()), to = std::atol(cells[nyu].c_str());
    if (from > 0 && to >= 0 && to <= 40) table[static_cast<std::uint32_t>(from)] = static_cast<std::uint16_t>(to);
  }
  return table;
}

// ---- 2D-3D-S ----

/// [number in semantic_labels.json] Its class: the text before the first "_" of the instance's name.
std::vector<std::string> read_semantic_names(const fs::path& file) {
  std::vector<std::string> names;
  const json root = read_json(file);
  FW_CHECK(root.is_array(), Data, file.string() << ": is no list of names; copy it again from its source");
  for (const json& item : root) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    names.push_back(name.substr(0, name.find('_')));
  }
  return names;
}

constexpr const char* kUnknownName = "<UNK>";

image::LabelImage semantic_labels(const fs::path& file, const std::vector<std::string>& names,
                                  const ClassNames& classes) {
  const Array2<image::Rgb> colors = read_color(file);
  image::LabelImage labels(colors.rows(), colors.cols(), image::kVoid);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const image::Rgb color = colors.data()[i];
    if (color == image::Rgb{13, 13, 13}) continue;  // missing
    const std::size_t number = 65536u * color.r + 256u * color.g + color.b;
    if (number >= names.size()) continue;
    if (const auto label = classes.find(names[number])) labels.data()[i] = *label;
  }
  return labels;
}

// ---- BOP ----

/// Masks of the objects of a picture, later ones over earlier ones; what no mask covers is the background.
image::LabelImage bop_labels(const fs::path& scene, const std::string& name, const json& objects,
                             const ClassNames& classes, std::uint16_t background, const FrameSize& size) {
  image::LabelImage labels(size.rows, size.cols, background);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const fs::path mask = scene / "mask_visib" / (name + "_" + format_text("%06zu", i) + ".png");
    FW_CHECK(fs::exists(mask), Data,
             mask.string() << ": the mask of an object of scene_gt.json is missing; unpack the scene again");
    const auto label = classes.find("object " + text_at(objects[i], "obj_id"));
    const image::LabelImage inside =
        labels_by_number(mask, [&](std::uint32_t number) { return static_cast<std::uint16_t>(number > 0 ? 1 : 0); });
    FW_CHECK(inside.rows() == size.rows && inside.cols() == size.cols, Data,
             mask.string() << ": is " << size_text(inside.cols(), inside.rows()) << " pixels, the picture is "
                           << size_text(size.cols, size.rows) << "; unpack the scene again");
    for (std::size_t k = 0; k < inside.size(); ++k)
      if (inside.data()[k] == 1) labels.data()[k] = *label;
  }
  return labels;
}

}  // namespace

ImportPlan plan_tum(const ImportOptions& options) {
  const auto list = [&](const char* name) {
    FW_CHECK(fs::exists(options.in / name), Data,
             options.in.string() << ": has no " << name
                                 << "; name the folder of a sequence, which has rgb.txt and depth.txt");
    return read_text(options.in / name);
  };
  const Recording recording = associate_tum(options.in, list("rgb.txt"), list("depth.txt"));
  ImportPlan plan;
  plan.config.depth_scale_to_mm = recording.reading.depth_scale_to_mm;
  plan.config.camera = image::find_sensor("kinect")->camera;
  for (const RecordedFrame& recorded : recording.frames) {
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = recorded.name;
    frame.color = recorded.color;
    frame.depth = recorded.depth;
  }
  plan.notes.push_back(
      "depth is taken for 1/5000 m, and the camera for a Kinect (sequences of freiburg1 to 3 have numbers of their "
      "own)");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_seven_scenes(const ImportOptions& options) {
  ImportPlan plan;
  plan.config.depth_missing = 65535;
  plan.config.camera = image::Camera{640, 480, 585, 585, 320, 240};
  const auto splits = splits_in(options.in, {{"TrainSplit.txt", "train"}, {"TestSplit.txt", "test"}});
  for (const fs::path& folder : folders_with(options.in, "frame-000000.color.png")) {
    const std::string name = folder_name(folder);
    const std::size_t first = plan.frames.size();
    add_sequence(folder == options.in ? "" : name, files_if_any(folder, "frame-{}.color.png"),
                 files_if_any(folder, "frame-{}.depth.png"), plan);
    // "sequence3" of the lists is the folder seq-03.
    for (const auto& [listed, split] : splits) {
      const std::size_t digit = listed.find_first_of("0123456789"), own = name.find_first_of("0123456789");
      if (digit == std::string::npos || own == std::string::npos ||
          std::atoi(listed.c_str() + digit) != std::atoi(name.c_str() + own))
        continue;
      for (std::size_t i = first; i < plan.frames.size(); ++i) plan.frames[i].split = split;
    }
  }
  check_found(plan, options.in,
              "frame-000000.color.png and frame-000000.depth.png, or folders seq-01 ... that hold them");
  plan.notes.push_back(
      "depth is that of the depth camera, some pixels beside colour: it was recorded without registration");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_scannet(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  for (const image::ClassInfo& info : nyu_classes(40).classes) names.add(info.name, info.color);
  plan.config.classes = names.classes();
  std::map<std::uint32_t, std::uint16_t> table;
  for (const fs::path& folder : {options.in, options.in / "..", options.in / "../.."})
    if (table.empty() && fs::exists(folder / "scannetv2-labels.combined.tsv"))
      table = read_label_table(folder / "scannetv2-labels.combined.tsv");
  bool has_raw = false;
  const auto splits = splits_in(
      options.in, {{"scannetv2_train.txt", "train"}, {"scannetv2_val.txt", "val"}, {"scannetv2_test.txt", "test"}});
  for (const fs::path& scene : folders_with(options.in, "color")) {
    const std::string name = folder_name(scene);
    const std::size_t first = plan.frames.size();
    FilesByName colors = files_if_any(scene, "color/{}.jpg");
    colors.merge(files_if_any(scene, "color/{}.png"));
    add_sequence(name, colors, files_if_any(scene, "depth/{}.png"), plan);
    for (std::size_t i = first; i < plan.frames.size(); ++i) {
      ImportedFrame& frame = plan.frames[i];
      if (const auto split = splits.find(name); split != splits.end()) frame.split = split->second;
      for (const char* kind : {"label-filt", "label"}) {
        const fs::path file = scene / kind / (frame.color.stem().string() + ".png");
        if (frame.labels || !fs::exists(file)) continue;
        const bool is_raw = !table.empty() && std::string_view(kind) == "label-filt";
        has_raw |= std::string_view(kind) == "label-filt" && table.empty();
        frame.labels = [file, table, is_raw](const FrameSize& size) {
          image::LabelImage labels = labels_by_number(file, [&](std::uint32_t number) {
            if (is_raw) {
              const auto found = table.find(number);
              number = found == table.end() ? 0 : found->second;
            }
            FW_CHECK(
                number <= 40, Data,
                file.string()
                    << ": has the number " << number
                    << ", which is none of the 40 classes of NYU; put scannetv2-labels.combined.tsv beside the scenes");
            return static_cast<std::uint16_t>(number == 0 ? image::kVoid : number - 1);
          });
          if (labels.rows() == size.rows && labels.cols() == size.cols) return labels;
          return image::scaled_depth(labels, size.cols, size.rows);
        };
      }
    }
    const fs::path intrinsics = scene / "intrinsic" / "intrinsic_color.txt";
    if (!plan.config.camera && first < plan.frames.size() && fs::exists(intrinsics))
      plan.config.camera =
          camera_of_matrix(numbers_of_file(intrinsics, 12), 4, size_of_picture(plan.frames[first].color));
  }
  check_found(
      plan, options.in,
      "folders of scenes with color/, depth/ and label/ or label-filt/, as SensReader and the 2D exports leave them");
  if (has_raw)
    plan.notes.push_back(
        "labels of label-filt are read as numbers of the 40 classes, for scannetv2-labels.combined.tsv is not beside "
        "the scenes");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_sunrgbd(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  std::vector<std::pair<std::size_t, fs::path>> with_labels;
  const std::vector<fs::path> folders = folders_with(options.in, "image");
  for (const fs::path& folder : folders) {
    FilesByName colors = files_if_any(folder, "image/{}.jpg");
    colors.merge(files_if_any(folder, "image/{}.png"));
    FilesByName depths = files_if_any(folder, "depth_bfx/{}.png");
    if (depths.empty()) depths = files_if_any(folder, "depth/{}.png");
    if (colors.empty() || depths.empty()) continue;
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = folder_name(folder);
    frame.color = colors.begin()->second;
    const fs::path depth = depths.begin()->second;
    frame.depth = depth;
    frame.read_depth_mm = [depth] { return read_rotated_depth(depth); };
    if (const fs::path seg = folder / "seg.mat"; fs::exists(seg)) with_labels.emplace_back(plan.frames.size() - 1, seg);
    if (!plan.config.camera && fs::exists(folder / "intrinsics.txt"))
      plan.config.camera =
          camera_of_matrix(numbers_of_file(folder / "intrinsics.txt", 9), 3, size_of_picture(frame.color));
  }
  check_found(plan, options.in,
              "folders with image/, depth_bfx/ (or depth/), intrinsics.txt and seg.mat, as kv1/NYUdata/NYU0001");
  for (const auto& [frame, seg] : with_labels)
    for (const std::string& name : read_seg(seg).names)
      if (!name.empty()) names.add(name);
  plan.config.classes = names.classes();
  for (const auto& [frame, seg] : with_labels)
    plan.frames[frame].labels = [seg = seg, names](const FrameSize& size) { return sun_labels(seg, size, names); };
  if (folders.size() > 1)
    plan.notes.push_back("frames come from several cameras; dataset.toml has the numbers of the first one alone");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_2d3ds(const ImportOptions& options) {
  ImportPlan plan;
  plan.config.depth_scale_to_mm = 1000.0 / 512;
  plan.config.depth_missing = 65535;
  std::vector<std::string> semantics;
  for (fs::path folder = fs::absolute(options.in); semantics.empty() && folder.has_relative_path();
       folder = folder.parent_path())
    for (const char* file : {"semantic_labels.json", "assets/semantic_labels.json"})
      if (fs::exists(folder / file)) semantics = read_semantic_names(folder / file);
  ClassNames names;
  for (const std::string& name : semantics)
    if (name != kUnknownName && !name.empty()) names.add(name);
  plan.config.classes = names.classes();
  for (const fs::path& folder : folders_with(options.in, "rgb")) {
    const FilesByName truth = files_if_any(folder, "semantic/{}_domain_semantic.png");
    const std::size_t first = plan.frames.size();
    const FilesByName colors = files_if_any(folder, "rgb/{}_domain_rgb.png");
    add_sequence("", colors, files_if_any(folder, "depth/{}_domain_depth.png"), plan);
    for (std::size_t i = first; i < plan.frames.size(); ++i) {
      ImportedFrame& frame = plan.frames[i];
      if (const std::size_t room = frame.name.find("_frame_"); room != std::string::npos) {
        const std::size_t begin = frame.name.find('_', frame.name.find('_') + 1);  // after camera_UUID
        frame.group = frame.name.substr(begin + 1, room - begin - 1);
      }
      const auto file = truth.find(frame.name);
      if (file != truth.end() && !semantics.empty())
        frame.labels = [path = file->second, semantics, names](const FrameSize&) {
          return semantic_labels(path, semantics, names);
        };
    }
  }
  check_found(plan, options.in, "area_N/data with rgb/, depth/ and semantic/");
  if (semantics.empty())
    plan.notes.push_back("semantic_labels.json is not beside the areas (nor in assets/), so frames have no labels");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_bop(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  const std::uint16_t background = names.add(options.background.empty() ? "background" : options.background);
  std::vector<std::pair<fs::path, json>> scenes;
  for (const fs::path& scene : folders_with(options.in, "scene_gt.json"))
    scenes.emplace_back(scene, read_json(scene / "scene_gt.json"));
  std::set<int> ids;
  for (const auto& [scene, objects] : scenes)
    for (const auto& [number, list] : objects.items())
      for (const json& object : list) ids.insert(static_cast<int>(size_at(object, "obj_id")));
  for (const int id : ids) names.add("object " + std::to_string(id));
  plan.config.classes = names.classes();
  plan.config.background = names.classes()[background].name;
  for (const auto& [scene, objects] : scenes) {
    const std::size_t first = plan.frames.size();
    FilesByName colors = files_if_any(scene, "rgb/{}.png");
    colors.merge(files_if_any(scene, "rgb/{}.jpg"));
    add_sequence(folder_name(scene), colors, files_if_any(scene, "depth/{}.png"), plan);
    const json cameras =
        fs::exists(scene / "scene_camera.json") ? read_json(scene / "scene_camera.json") : json::object();
    for (std::size_t i = first; i < plan.frames.size(); ++i) {
      ImportedFrame& frame = plan.frames[i];
      const std::string stem = frame.color.stem().string(),
                        number = std::to_string(std::atoi(stem.c_str()));  // by number: "000003" is "3"
      const json& camera = member(cameras, number.c_str());
      if (const auto scale = number_of(member(camera, "depth_scale")); scale && *scale > 0) {
        FW_CHECK(!plan.config.depth_scale_to_mm || std::abs(*plan.config.depth_scale_to_mm - *scale) < 1e-9, Data,
                 scene.string() << ": pictures have several depth_scale; import the scenes of each alone");
        plan.config.depth_scale_to_mm = *scale;
      }
      if (const json& k = member(camera, "cam_K"); !plan.config.camera && k.is_array() && k.size() == 9) {
        std::vector<double> matrix;
        for (const json& value : k) matrix.push_back(number_of(value).value_or(0));
        plan.config.camera = camera_of_matrix(matrix, 3, size_of_picture(frame.color));
      }
      const json& list = member(objects, number.c_str());
      if (list.is_array())
        frame.labels = [scene = scene, stem, list, names, background](const FrameSize& size) {
          return bop_labels(scene, stem, list, names, background, size);
        };
    }
  }
  check_found(plan, options.in,
              "folders of scenes with rgb/, depth/, mask_visib/, scene_gt.json and scene_camera.json");
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::dataset
