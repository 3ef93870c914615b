// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/annotations.h"

#include <algorithm>
#include <map>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "dataset/index_labels.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

std::string missing_note(const fs::path& folder, const std::vector<std::string>& missing) {
  return printable(dataset::some_of(missing)) + (missing.size() == 1 ? " is" : " are") + " not in " + folder.string();
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->is_regular_file()) files.push_back(entry->path().lexically_relative(folder).string());
  return files;
}

/// The group's name with "_" where the frame's name begins with it; else nothing.
std::string prefix_of(const ImportedFrame& frame) {
  const std::string prefix = frame.group.empty() ? "" : dataset::file_name_of(frame.group) + "_";
  return frame.name.starts_with(prefix) ? prefix : "";
}

/// Digits of a number before its decimal point; 0 for another text.
std::size_t num_whole_digits(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMaxDigits = 17;
  const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  const bool is_number =
      end == text.size() || (text[end] == '.' && text.find_first_not_of(kDigits, end + 1) == std::string_view::npos);
  return is_number && end <= kMaxDigits ? end : 0;
}

/// Pads names that are numbers, maybe after the name of their group, to one width, so that 10 does not sort before 2,
/// nor 10.5 before 2.5.
void pad_numbers(std::vector<ImportedFrame>& frames) {
  std::map<std::string, std::size_t> widths;  // [prefix] 0: a name of it is not a number
  for (const ImportedFrame& frame : frames) {
    const std::string prefix = prefix_of(frame);
    const std::size_t digits = num_whole_digits(std::string_view(frame.name).substr(prefix.size()));
    std::size_t& width = widths.try_emplace(prefix, digits).first->second;
    width = width == 0 || digits == 0 ? 0 : std::max(width, digits);
  }
  for (ImportedFrame& frame : frames) {
    const std::string prefix = prefix_of(frame);
    const std::size_t digits = num_whole_digits(std::string_view(frame.name).substr(prefix.size()));
    if (const std::size_t width = widths.at(prefix); width > 0) frame.name.insert(prefix.size(), width - digits, '0');
  }
}

bool are_unique(const std::vector<ImportedFrame>& frames) {
  std::set<std::pair<std::string, std::string>> names;
  return std::ranges::all_of(frames,
                             [&](const ImportedFrame& frame) { return names.emplace(frame.split, frame.name).second; });
}

/// Makes names unique by a number before each, unless they are.
void number_equal_names(std::vector<ImportedFrame>& frames) {
  if (are_unique(frames)) return;
  const auto digits = static_cast<int>(std::to_string(frames.size()).size());
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i].name = format_text("%0*zu_", digits, i) + frames[i].name;
}

}  // namespace

std::uint16_t InstanceNumbers::add(const std::string& group) {
  if (!group.empty())
    if (const auto known = of_group_.find(group); known != of_group_.end()) return known->second;
  FW_CHECK(last_ < 0xffff, Data, "an image or a video has more than 65535 objects; divide it");
  ++last_;
  if (!group.empty()) of_group_.emplace(group, last_);
  return last_;
}

std::uint16_t ClassNames::add(const std::string& name, std::optional<image::Rgb> color,
                              std::optional<bool> stated_thing) {
  const auto [place, is_new] = numbers_.try_emplace(name, static_cast<std::uint16_t>(classes_.size() & 0xffff));
  if (!is_new) return place->second;
  const std::string problem = name_problem(name);
  FW_CHECK(problem.empty(), Data, "the name \"" << name << "\" of a class " << problem << "; rename it");
  FW_CHECK(classes_.size() + 1 < image::kVoid, Data, "the annotations have more than 65534 classes; merge some");
  const auto is_free = [&](image::Rgb rgb) {
    return rgb != image::Rgb{} && taken_.insert(dataset::packed(rgb)).second;
  };
  free_number_ = std::max(free_number_, static_cast<std::uint32_t>(classes_.size()));
  image::Rgb rgb = color.value_or(dataset::index_color(free_number_));
  while (!is_free(rgb)) rgb = dataset::index_color(free_number_++);
  if (color && *color != image::Rgb{})
    if (const auto [first, is_first] = given_colors_.try_emplace(dataset::packed(*color), name); !is_first)
      notes_.push_back("the classes " + first->second + " and " + name + " have the same colour " +
                       dataset::to_string(*color) + ", so that of " + name + " becomes " + dataset::to_string(rgb));
  classes_.push_back({name, rgb, stated_thing});
  return place->second;
}

std::optional<std::uint16_t> ClassNames::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

PictureFolder::PictureFolder(const fs::path& folder)
    : folder_(folder), lookup_(files_below(folder), full_path(folder).string()) {}

fs::path PictureFolder::find(const std::string& name) const {
  const std::string found = dataset::find_one(lookup_, name, folder_.string(),
                                              "name the folder of one of them with " + named_option("images"));
  return found.empty() ? fs::path() : folder_ / found;
}

std::string frame_name_of(const fs::path& picture) {
  if (const auto native = dataset::parse_frame_file_name(picture.filename().string());
      native && native->role == dataset::FrameRole::kColor)
    return native->frame;
  return picture.stem().string();
}

void settle_names(std::vector<ImportedFrame>& frames, const FramePlace& place_of) {
  for (ImportedFrame& frame : frames) frame.name = dataset::file_name_of(frame.name);
  pad_numbers(frames);
  if (are_unique(frames)) return;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (const std::string place = place_of(i); !place.empty())
      frames[i].name = dataset::file_name_of(place + "_" + frames[i].name);
  number_equal_names(frames);
}

void settle_names(const fs::path& root, std::vector<ImportedFrame>& frames) {
  settle_names(frames, [&](std::size_t i) {
    const fs::path& file = frames[i].color.empty() ? frames[i].depth : frames[i].color;
    if (root.empty() || file.empty()) return std::string();
    const fs::path folder = full_path(file).lexically_relative(full_path(root)).parent_path();
    return folder.empty() || *folder.begin() == ".." ? std::string() : folder.string();
  });
}

void correct_names(ImportPlan& plan) {
  std::vector<std::string> invalid;
  for (ImportedFrame& frame : plan.frames) {
    if (dataset::is_file_name(frame.name)) continue;
    invalid.push_back(frame.name);
    frame.name = dataset::file_name_of(frame.name);
  }
  if (!invalid.empty())
    plan.notes.push_back("frames are renamed where a name is not a plain file name: " + dataset::some_of(invalid));
  number_equal_names(plan.frames);
}

namespace {

using PosesByName = std::map<std::string, image::RigidMotion>;

/// What the native layout has beside a frame's picture: where up was, its pose, and its depth unless a pattern names
/// it. @param names  Of all frames.
void attach_native_files(const ImportOptions& options, const std::vector<std::string>& names,
                         std::map<fs::path, PosesByName>& poses_of_folder, ImportedFrame& frame) {
  if (!frame.color.stem().string().ends_with("_colors")) return;
  const fs::path folder = frame.color.parent_path();
  const std::string name = frame_name_of(frame.color);
  const fs::path up = folder / (name + "_up.txt"), depth = folder / (name + "_depth.png");
  if (fs::exists(up)) frame.up_file = up;
  if (options.depth.empty() && frame.depth.empty() && fs::exists(depth)) frame.depth = depth;
  if (!poses_of_folder.contains(folder)) {
    const fs::path file = folder / "poses.txt";
    if (fs::is_regular_file(file))
      poses_of_folder[folder] =
          dataset::by_frame(file, dataset::parse_frame_poses(file, dataset::read_user_text(file)), names);
  }
  const PosesByName& poses = poses_of_folder[folder];
  if (const auto pose = poses.find(name); pose != poses.end()) frame.pose = dataset::pose_of_motion(pose->second);
}

}  // namespace

void attach_files(const ImportOptions& options, const fs::path& root, ImportPlan& plan) {
  std::vector<std::string> missing, names;
  for (const ImportedFrame& frame : plan.frames) names.push_back(frame_name_of(frame.color));
  std::map<fs::path, PosesByName> poses_of_folder;
  for (ImportedFrame& frame : plan.frames) {
    if (frame.color.empty()) continue;
    attach_native_files(options, names, poses_of_folder, frame);
    if (!frame.depth.empty() || options.depth.empty()) continue;
    std::string path = options.depth;
    path.replace(path.find("{}"), 2, frame_name_of(frame.color));
    const fs::path file = fs::path(path).is_absolute() ? fs::path(path) : root / path;
    if (fs::exists(file))
      frame.depth = file;
    else
      missing.push_back(file.string());
  }
  if (options.depth.empty()) {
    // Images in the native layout keep the settings of their dataset.toml.
    const dataset::DatasetConfig native = dataset::read_folder_config(root, {});
    plan.config.camera = native.camera;
    plan.config.camera_origin = native.camera_origin;
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
                         << "; correct the pattern, or remove the images without depth");
  if (all_have || !some_have) return;
  plan.notes.push_back("some images have depth next to them and some have none, so depth is left out");
  for (ImportedFrame& frame : plan.frames) frame.depth.clear();
}

namespace {

/// Draws the labels and instances of shapes. @param what  Names the annotations, for messages. @throws Error(kData) if
/// a mask does not fit its own size.
ImportedTruth draw_shapes(const AnnotatedPicture& picture, const dataset::FrameSize& size, std::uint16_t uncovered,
                          const std::string& what, ImportReport& report, const std::stop_token& stop) {
  ImportedTruth truth(image::LabelImage(size.rows, size.cols, uncovered));
  if (picture.has_instances) truth.instances = image::InstanceImage(size.rows, size.cols, image::kNoInstance);
  Region region(size.rows, size.cols, stop);
  for (const Shape& shape : picture.shapes) {
    for (const bool adds : {true, false})
      for (Polygon polygon : adds ? shape.outlines : shape.holes) {
        if (shape.in_percent)
          for (Point& point : polygon)
            point = {point.x * static_cast<double>(size.cols) / 100, point.y * static_cast<double>(size.rows) / 100};
        region.fill(polygon, adds);
      }
    for (const std::function<Mask()>& read : shape.masks) {
      const Mask mask = read();
      FW_CHECK(region.fill(mask), Data,
               what << ": a mask of " << picture.file << " has more pixels than the "
                    << dataset::size_text(mask.cols, mask.rows) << " that it says; export it again");
    }
    if (!region.draw(shape.label, shape.instance, truth)) report.add("left out: shapes that cover no pixel");
  }
  return truth;
}

/// The truth of the pixels as they are stored. Annotations are of a picture as viewers show it, turned by its
/// orientation, unless the size that they state is that of the stored picture.
ImportedTruth read_annotations(const AnnotatedPicture& picture, int orientation, const dataset::FrameSize& stored,
                               std::uint16_t uncovered, const std::string& what, ImportReport& report,
                               const std::stop_token& stop) {
  const auto has_size = [&](const dataset::FrameSize& size) {
    return (picture.width == 0 || picture.width == size.cols) && (picture.height == 0 || picture.height == size.rows);
  };
  const dataset::FrameSize shown = orientation >= 5 ? dataset::FrameSize{stored.cols, stored.rows} : stored;
  const bool is_of_stored = !has_size(shown) && has_size(stored);
  const dataset::FrameSize size = is_of_stored ? stored : shown;
  FW_CHECK(has_size(size), Data,
           what << ": the annotations of " << picture.file << " are for "
                << dataset::size_text(picture.width, picture.height) << " pixels, the image has "
                << dataset::size_text(size.cols, size.rows) << "; pass the image that was annotated, as it is stored");
  ImportedTruth truth = picture.read_truth ? picture.read_truth(size, uncovered)
                                           : draw_shapes(picture, size, uncovered, what, report, stop);
  if (orientation == 1) return truth;
  report.add(is_of_stored ? "as stored: annotations of the size that images have without their EXIF orientation"
                          : kTurnedBack);
  if (is_of_stored) return truth;
  const int back = dataset::inverse_of(orientation);
  return {dataset::turned_labels(truth.labels, back), dataset::turned_labels(truth.instances, back)};
}

}  // namespace

std::string without_area(const std::string& kind) { return "left out: " + kind + ", which cover no pixel"; }

ImportPlan plan_of(const ImportOptions& options, const fs::path& file, std::vector<AnnotatedPicture> pictures,
                   const ClassNames& classes, std::shared_ptr<ImportReport> report) {
  FW_CHECK(!pictures.empty(), Data, file.string() << " names no image; export it again");
  ClassNames names = classes;
  const std::uint16_t uncovered = options.background.empty() ? image::kVoid : names.add(options.background);
  ImportPlan plan;
  plan.config.classes = names.classes();
  plan.config.background = options.background;
  plan.notes = names.notes();
  plan.report = report;
  const fs::path beside = fs::is_directory(file) ? file : dataset::folder_of(file);
  const PictureFolder folder(options.images.empty() ? beside : options.images);
  std::vector<std::string> missing;
  std::size_t num_empty = 0;
  const auto shared = std::make_shared<const std::vector<AnnotatedPicture>>(std::move(pictures));
  plan.keeps = shared;
  for (const AnnotatedPicture& picture : *shared) {
    ImportedFrame frame;
    frame.color = picture.beside.empty() ? folder.find(picture.file) : picture.beside;
    if (frame.color.empty() && picture.embedded.empty()) {
      missing.push_back(picture.file);
      continue;
    }
    frame.name = frame_name_of(frame.color.empty() ? fs::path(picture.file) : frame.color);
    frame.split = picture.split;
    if (frame.color.empty())
      frame.read_color = [&picture] {
        return dataset::decode_color(picture.file, {picture.embedded.begin(), picture.embedded.end()},
                                     dataset::GreyPictures::kConverted);
      };
    num_empty += picture.shapes.empty() && !picture.read_truth ? 1 : 0;
    frame.truth = [&picture, uncovered, color = frame.color, what = file.string(), report,
                   stop = options.stop](const dataset::FrameSize& size) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(picture.embedded.data());
      const int orientation = color.empty()
                                  ? dataset::read_orientation(dataset::reader_of({bytes, picture.embedded.size()}))
                                  : dataset::read_orientation(color);
      return read_annotations(picture, orientation, size, uncovered, what, *report, stop);
    };
    plan.frames.push_back(std::move(frame));
  }
  FW_CHECK(!plan.frames.empty(), Data,
           file.string() << ": " << missing_note(folder.folder(), missing) << "; name the folder of the images with "
                         << named_option("images"));
  if (!missing.empty())
    report->add("left out: images, since " + missing_note(folder.folder(), missing), missing.size());
  if (num_empty > 0)
    plan.notes.push_back(std::to_string(num_empty) + " of " + std::to_string(plan.frames.size()) +
                         " images have no annotation, so all of them is " +
                         (options.background.empty() ? "void" : options.background));
  attach_files(options, folder.folder(), plan);
  settle_names(folder.folder(), plan.frames);
  return plan;
}

}  // namespace fernwood::formats
