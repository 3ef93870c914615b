// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// ScanNet: a folder for each scene, as SensReader and the 2D exports leave them.

#include <algorithm>
#include <map>
#include <memory>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/nyu_class_maps.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/image/align_depth.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kNumClasses = 40;

/// [ScanNet's number] Number among the 40 classes of NYU, 0 for none.
using LabelTable = std::map<std::size_t, std::uint32_t>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == '\t')
      cells.emplace_back();
    else if (c != '\r')
      cells.back().push_back(c);
  return cells;
}

/// Reads scannetv2-labels.combined.tsv beside the scenes, or up to two folders above, using the columns "id" and
/// "nyu40id"; empty without it.
LabelTable read_label_table(const fs::path& root) {
  LabelTable table;
  fs::path file;
  for (const fs::path& folder : {root / "../..", root / "..", root})
    if (fs::exists(folder / "scannetv2-labels.combined.tsv")) file = folder / "scannetv2-labels.combined.tsv";
  if (file.empty()) return table;
  TextInput lines(dataset::read_user_text(file));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = cells_of(line);
  const auto id = static_cast<std::size_t>(std::ranges::find(header, "id") - header.begin());
  const auto nyu = static_cast<std::size_t>(std::ranges::find(header, "nyu40id") - header.begin());
  FW_CHECK(id < header.size() && nyu < header.size(), Data,
           file.string() << " has no columns id and nyu40id; copy it again from its source");
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    const auto number_at = [&](std::size_t column) {
      return column < cells.size() ? number_of_name(cells[column]) : std::nullopt;
    };
    const auto from = number_at(id), to = number_at(nyu);
    if (from && to && *to <= kNumClasses) table[*from] = static_cast<std::uint32_t>(*to);
  }
  return table;
}

/// Labels of a frame. @param table  Null: the file has numbers of the 40 classes.
image::LabelImage scannet_labels(const fs::path& file, const LabelTable* table, const dataset::FrameSize& size) {
  const image::LabelImage labels = labels_by_number(file, [&](std::uint32_t number) {
    if (table != nullptr) {
      const auto found = table->find(number);
      number = found == table->end() ? 0 : found->second;
    }
    FW_CHECK(number <= kNumClasses, Data,
             file.string() << " has the number " << number
                           << ", which is none of the 40 classes of NYU; put scannetv2-labels.combined.tsv next to the "
                              "scenes");
    return static_cast<std::uint16_t>(number == 0 ? image::kVoid : number - 1);
  });
  const bool fits = labels.rows() == size.rows && labels.cols() == size.cols;
  return fits ? labels : image::scaled_depth(labels, size.cols, size.rows);
}

}  // namespace

ImportPlan plan_scannet(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  for (const image::ClassInfo& info : dataset::nyu_classes(static_cast<int>(kNumClasses)).classes)
    names.add(info.name, info.color);
  plan.config.classes = names.classes();
  const auto table = std::make_shared<const LabelTable>(read_label_table(options.in));
  plan.keeps = table;
  const std::vector<fs::path> scenes = folders_with(options.in, "color");
  std::vector<std::string> scene_names;
  for (const fs::path& scene : scenes) scene_names.push_back(folder_name(scene));
  const auto splits = splits_in(
      options.in, {{"scannetv2_train.txt", "train"}, {"scannetv2_val.txt", "val"}, {"scannetv2_test.txt", "test"}},
      scene_names);
  bool lacks_table = false;
  std::vector<std::string> unusable;
  for (const fs::path& scene : scenes) {
    const std::string name = folder_name(scene);
    const std::span<ImportedFrame> added = add_sequence(name, files_if_any(scene, {"color/{}.jpg", "color/{}.png"}),
                                                        files_if_any(scene, {"depth/{}.png"}), plan);
    for (ImportedFrame& frame : added) {
      if (const auto split = splits.find(name); split != splits.end()) frame.split = split->second;
      const fs::path pose = scene / "pose" / (frame.color.stem().string() + ".txt");
      frame.pose = dataset::read_pose_file(pose);
      if (!frame.pose && fs::exists(pose)) unusable.push_back(name + "/pose/" + pose.filename().string());
      const std::string file = frame.color.stem().string() + ".png";
      const fs::path raw = scene / "label-filt" / file, mapped = scene / "label" / file;
      if (!fs::exists(raw) && !fs::exists(mapped)) continue;
      const bool is_raw = fs::exists(raw) && !table->empty();
      lacks_table |= fs::exists(raw) && table->empty();
      frame.truth = [path = fs::exists(raw) ? raw : mapped, of_file = is_raw ? table.get() : nullptr](
                        const dataset::FrameSize& size) { return scannet_labels(path, of_file, size); };
    }
    const fs::path intrinsics = scene / "intrinsic" / "intrinsic_color.txt";
    if (added.empty() || !fs::exists(intrinsics)) continue;
    const image::Camera camera = dataset::camera_of_matrix(dataset::numbers_of_file(intrinsics, 12), 4,
                                                           dataset::size_of_picture(added.front().color));
    for (ImportedFrame& frame : added) frame.camera = camera;
    plan.config.camera_origin = intrinsics.string();
  }
  note_unusable_poses(unusable, plan);
  check_found(plan, options.in,
              "folders of scenes with color/, depth/ and label/ or label-filt/, as SensReader and the 2D exports leave "
              "them");
  if (lacks_table)
    plan.notes.push_back(
        "labels of label-filt are read as numbers of the 40 classes, for scannetv2-labels.combined.tsv is not next to "
        "the scenes");
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
