// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/import/annotations.h"

#include <algorithm>
#include <map>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "dataset/index_labels.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kUploadPrefix = 9;  // "1a2b3c4d-"

bool is_upload_prefix(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() > kUploadPrefix && text[kUploadPrefix - 1] == '-' &&
         std::ranges::all_of(text.substr(0, kUploadPrefix - 1), is_hex);
}

/// A name with the characters that file names may have.
std::string file_name_of(std::string name) {
  for (char& c : name)
    if (!is_letter_or_digit(c) && c != '-' && c != '_' && c != '.') c = '_';
  if (name.empty() || name[0] == '.' || name[0] == '#') name.insert(0, "_");
  return name.substr(0, 180);
}

void scale_percent(Polygon& polygon, const FrameSize& size) {
  for (Point& point : polygon)
    point = {point.x * static_cast<double>(size.cols) / 100, point.y * static_cast<double>(size.rows) / 100};
}

std::string missing_note(const fs::path& folder, const std::vector<std::string>& missing) {
  std::string names = join(std::span(missing).first(std::min(missing.size(), kMostNamed)));
  if (missing.size() > kMostNamed) names += " and " + std::to_string(missing.size() - kMostNamed) + " more";
  return names + (missing.size() == 1 ? " is" : " are") + " not in " + folder.string();
}

/// Pads leading numbers of names to one width, so that 10 does not sort before 2.
void pad_numbers(std::vector<ImportedFrame>& frames) {
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.size() < 18 && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  };
  std::size_t width = 0;
  for (const ImportedFrame& frame : frames) {
    if (!is_number(frame.name)) return;
    width = std::max(width, frame.name.size());
  }
  for (ImportedFrame& frame : frames) frame.name.insert(0, width - frame.name.size(), '0');
}

bool are_unique(const std::vector<ImportedFrame>& frames) {
  std::set<std::pair<std::string, std::string>> names;
  return std::ranges::all_of(frames,
                             [&](const ImportedFrame& frame) { return names.emplace(frame.split, frame.name).second; });
}

}  // namespace

std::uint16_t ClassNames::add(const std::string& name, std::optional<image::Rgb> color) {
  const auto [place, is_new] = numbers_.try_emplace(name, static_cast<std::uint16_t>(classes_.size() & 0xffff));
  if (!is_new) return place->second;
  FW_CHECK(classes_.size() + 1 < image::kVoid, Data, "the annotations have more than 65534 classes; merge some");
  const auto is_taken = [&](image::Rgb rgb) {
    return rgb == image::Rgb{} || std::ranges::find(classes_, rgb, &image::ClassInfo::color) != classes_.end();
  };
  std::uint32_t number = static_cast<std::uint32_t>(classes_.size());
  image::Rgb rgb = color.value_or(index_color(number));
  while (is_taken(rgb)) rgb = index_color(number++);
  classes_.push_back({name, rgb});
  return place->second;
}

std::optional<std::uint16_t> ClassNames::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

PictureFolder::PictureFolder(const fs::path& folder) : folder_(folder) {
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->is_regular_file()) by_file_name_[entry->path().filename().string()].push_back(entry->path());
  for (auto& [name, paths] : by_file_name_) std::ranges::sort(paths);
}

fs::path PictureFolder::find(const std::string& name) const {
  const fs::path path(name), direct = folder_ / path.relative_path();
  const bool leaves = std::ranges::find(path, fs::path("..")) != path.end();
  if (!leaves && !name.empty() && fs::is_regular_file(direct)) return direct;
  std::string file = path.filename().string();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = by_file_name_.find(file);
    if (found != by_file_name_.end()) return found->second.size() == 1 ? found->second.front() : fs::path();
    if (!is_upload_prefix(file)) break;
    file = file.substr(kUploadPrefix);
  }
  if (!path.has_extension())  // frames of a video
    for (const char* extension : {".png", ".jpg", ".jpeg"})
      if (fs::path with = find(name + extension); !with.empty()) return with;
  return {};
}

std::string frame_name_of(const fs::path& picture) {
  if (const auto native = parse_frame_file_name(picture.filename().string());
      native && native->role == FrameRole::kColor)
    return native->frame;
  return picture.stem().string();
}

void settle_names(const fs::path& root, std::vector<ImportedFrame>& frames) {
  for (ImportedFrame& frame : frames) frame.name = file_name_of(frame.name);
  pad_numbers(frames);
  if (are_unique(frames)) return;
  for (ImportedFrame& frame : frames) {
    const fs::path below = frame.color.empty() ? frame.depth : frame.color;
    const fs::path folder = below.lexically_relative(root).parent_path();
    if (!folder.empty() && *folder.begin() != "..") frame.name = file_name_of(folder.string() + "_" + frame.name);
  }
  if (are_unique(frames)) return;
  const std::size_t digits = std::to_string(frames.size()).size();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    frames[i].name = number + "_" + frames[i].name;
  }
}

namespace {

using PosesByName = std::map<std::string, image::RigidMotion>;

/// What the native layout has beside a frame's picture: where up was, its pose, and its depth unless a pattern names
/// it.
void attach_native_files(const ImportOptions& options, std::map<fs::path, PosesByName>& poses_of_folder,
                         ImportedFrame& frame) {
  if (!frame.color.stem().string().ends_with("_colors")) return;
  const fs::path folder = frame.color.parent_path();
  const std::string name = frame_name_of(frame.color);
  const fs::path up = folder / (name + "_up.txt"), depth = folder / (name + "_depth.png");
  if (fs::exists(up)) frame.up_file = up;
  if (options.depth.empty() && frame.depth.empty() && fs::exists(depth)) frame.depth = depth;
  if (!poses_of_folder.contains(folder)) {
    const fs::path file = folder / "poses.txt";
    if (fs::is_regular_file(file)) poses_of_folder[folder] = parse_frame_poses(file, read_user_text(file));
  }
  const PosesByName& poses = poses_of_folder[folder];
  if (const auto pose = poses.find(name); pose != poses.end()) frame.pose = pose_of_motion(pose->second);
}

}  // namespace

void attach_files(const ImportOptions& options, const fs::path& root, ImportPlan& plan) {
  std::vector<std::string> missing;
  std::map<fs::path, PosesByName> poses_of_folder;
  for (ImportedFrame& frame : plan.frames) {
    if (frame.color.empty()) continue;
    attach_native_files(options, poses_of_folder, frame);
    if (!frame.depth.empty() || options.depth.empty()) continue;
    std::string path = options.depth;
    path.replace(path.find("{}"), 2, frame_name_of(frame.color));
    const fs::path file = fs::path(path).is_absolute() ? fs::path(path) : root / path;
    if (fs::exists(file))
      frame.depth = file;
    else
      missing.push_back(file.string());
  }
  if (const auto config_file = find_config_file(root); config_file && options.depth.empty()) {
    // Images in the native layout keep the settings of their dataset.toml.
    const DatasetConfig native = read_dataset_config(*config_file);
    plan.config.camera = native.camera;
    plan.config.cameras = native.cameras;
    plan.config.up = native.up;
    plan.config.depth_scale_to_mm = native.depth_scale_to_mm;
    plan.config.depth_missing = native.depth_missing;
  }
  const bool all_have =
      std::ranges::none_of(plan.frames, [](const ImportedFrame& frame) { return frame.depth.empty(); });
  const bool some_have =
      std::ranges::any_of(plan.frames, [](const ImportedFrame& frame) { return !frame.depth.empty(); });
  FW_CHECK(missing.empty(), Data,
           root.string() << ": the frames have depth by " << options.depth << ", but " << missing_note(root, missing)
                         << "; correct the pattern, or remove the pictures without depth");
  if (all_have || !some_have) return;
  plan.notes.push_back("some pictures have depth beside them and some have none, so depth is left out");
  for (ImportedFrame& frame : plan.frames) frame.depth.clear();
}

image::LabelImage draw_shapes(const AnnotatedPicture& picture, const FrameSize& size, std::uint16_t uncovered,
                              const std::string& what) {
  const bool fits =
      (picture.width == 0 || picture.width == size.cols) && (picture.height == 0 || picture.height == size.rows);
  FW_CHECK(fits, Data,
           what << ": the annotations of " << picture.file << " are for " << size_text(picture.width, picture.height)
                << " pixels, the picture has " << size_text(size.cols, size.rows)
                << "; give the picture that was annotated, as it is stored");
  image::LabelImage labels(size.rows, size.cols, uncovered);
  for (const Shape& shape : picture.shapes) {
    Region region(size.rows, size.cols);
    for (const bool adds : {true, false})
      for (Polygon polygon : adds ? shape.outlines : shape.holes) {
        if (shape.in_percent) scale_percent(polygon, size);
        region.fill(polygon, adds);
      }
    for (const Mask& mask : shape.masks)
      FW_CHECK(fill_runs(mask, region), Data,
               what << ": a mask of " << picture.file << " has more pixels than the " << size_text(mask.cols, mask.rows)
                    << " that it says; export it again");
    region.draw(shape.label, labels);
  }
  return labels;
}

ImportPlan plan_of(const ImportOptions& options, const fs::path& file, std::vector<AnnotatedPicture> pictures,
                   const ClassNames& classes, std::vector<std::string> notes) {
  FW_CHECK(!pictures.empty(), Data, file.string() << ": names no picture; export it again");
  ClassNames names = classes;
  const std::uint16_t uncovered = options.background.empty() ? image::kVoid : names.add(options.background);
  ImportPlan plan;
  plan.config.classes = names.classes();
  plan.config.background = options.background;
  plan.notes = std::move(notes);
  const fs::path beside = fs::is_directory(file) ? file : folder_of(file);
  const PictureFolder folder(options.images.empty() ? beside : options.images);
  std::vector<std::string> missing;
  std::size_t num_empty = 0;
  const auto shared = std::make_shared<const std::vector<AnnotatedPicture>>(std::move(pictures));
  plan.keeps = shared;
  for (const AnnotatedPicture& picture : *shared) {
    ImportedFrame frame;
    frame.color = folder.find(picture.file);
    if (frame.color.empty() && picture.embedded.empty()) {
      missing.push_back(picture.file);
      continue;
    }
    frame.name = frame_name_of(frame.color.empty() ? fs::path(picture.file) : frame.color);
    frame.split = picture.split;
    if (frame.color.empty())
      frame.read_color = [&picture] {
        return decode_color(picture.file, {picture.embedded.begin(), picture.embedded.end()});
      };
    num_empty += picture.shapes.empty() && !picture.read_labels ? 1 : 0;
    frame.labels = [&picture, uncovered, what = file.string()](const FrameSize& size) {
      return picture.read_labels ? picture.read_labels(size, uncovered) : draw_shapes(picture, size, uncovered, what);
    };
    plan.frames.push_back(std::move(frame));
  }
  FW_CHECK(!plan.frames.empty(), Data,
           file.string() << ": " << missing_note(folder.folder(), missing) << "; name the folder of the pictures with "
                         << named_option("images"));
  if (!missing.empty()) plan.notes.push_back(missing_note(folder.folder(), missing) + ", and left out");
  if (num_empty > 0)
    plan.notes.push_back(std::to_string(num_empty) + " of " + std::to_string(plan.frames.size()) +
                         " pictures have no annotation, so all of them is " +
                         (options.background.empty() ? "void" : options.background));
  attach_files(options, folder.folder(), plan);
  settle_names(folder.folder(), plan.frames);
  return plan;
}

}  // namespace fernwood::dataset
