// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "core/json_field.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/user_text.h"
#include "dataset/folder_in_progress.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/frame_poses.h"
#include "formats/import/annotations.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

constexpr int kNumDivisions = 200;

std::vector<std::uint32_t> labelled_frames(const dataset::Dataset& data) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t i = 0; i < data.size(); ++i)
    if (!data.files(i).truth.empty()) frames.push_back(i);
  return frames;
}

image::ClassMap classes_of_truth(const dataset::Dataset& data, ThreadPool& pool) {
  const std::vector<std::uint32_t> frames = labelled_frames(data);
  return frames.empty() ? image::ClassMap() : data.with_frames(frames).scan_truth(pool).classes;
}

/// Plans to copy all frames unchanged, except for names that are not valid as file names. Classes discovered from
/// colours are listed explicitly, so that each part has all of them.
ImportPlan plan_as_is(const dataset::Dataset& data, ThreadPool& pool) {
  ImportPlan plan;
  plan.config = data.config();
  if (plan.config.classes.empty()) {
    plan.config.classes = classes_of_truth(data, pool).classes;
    if (plan.config.labels == dataset::LabelEncoding::kIndex)
      for (const image::ClassInfo& info : plan.config.classes)
        plan.config.class_indices.push_back(static_cast<std::uint16_t>(std::stoi(info.name)));
  }
  const std::vector<std::uint32_t> groups = data.groups();
  std::vector<std::optional<dataset::FramePose>> poses = dataset::find_poses(data, dataset::room_of(data.folder()));
  plan.notes = dataset::pose_warnings(data);
  std::set<std::string> rooms;
  for (const auto& pose : poses)
    if (pose) rooms.insert(pose->room);
  if (rooms.size() > 1) {
    plan.notes.push_back("poses of several recordings have no common coordinates, so poses are left out");
    poses.assign(data.size(), std::nullopt);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const dataset::FrameFiles& files = data.files(i);
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = files.name;
    if (!groups.empty()) frame.group = "group" + std::to_string(groups[i]);
    if (data.has_color()) frame.color = files.color;
    if (data.has_depth()) frame.depth = files.depth;
    frame.truth_file = files.truth;
    frame.instances_file = files.instances;
    frame.up_file = files.up;
    frame.maps_file = files.maps;
    if (const auto own = data.config().frame_cameras.find(files.name); own != data.config().frame_cameras.end())
      frame.camera = own->second;
    if (poses[i]) frame.pose = dataset::pose_of_motion(poses[i]->pose);
  }
  correct_names(plan);  // the names of recordings' folders are those of the user
  return plan;
}

/// [frame][class] Number of labelled pixels.
using PixelCounts = std::vector<std::vector<std::uint64_t>>;

PixelCounts count_pixels(const dataset::Dataset& data, const image::ClassMap& classes, ThreadPool& pool) {
  PixelCounts counts(data.size(), std::vector<std::uint64_t>(classes.size()));
  dataset::for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    for (const std::uint16_t label : data.read_labels(i, classes))
      if (label != image::kVoid) ++counts[i][label];
  });
  return counts;
}

/// [group] Its frames; without groups, each frame is one.
std::vector<std::vector<std::size_t>> frames_by_group(const dataset::Dataset& data) {
  const std::vector<std::uint32_t> given = data.groups();
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t group = given.empty() ? i : given[i];
    if (groups.size() <= group) groups.resize(group + 1);
    groups[group].push_back(i);
  }
  return groups;
}

/// Adds a frame to sums: 1 to the number of frames at index 0, and its pixels of each class after it.
void add_frame(const std::vector<std::uint64_t>& of_frame, std::vector<double>& sums) {
  sums[0] += 1;
  for (std::size_t c = 0; c < of_frame.size(); ++c) sums[c + 1] += static_cast<double>(of_frame[c]);
}

std::vector<double> sum_frames(const PixelCounts& counts) {
  std::vector<double> sums(counts[0].size() + 1);
  for (const std::vector<std::uint64_t>& of_frame : counts) add_frame(of_frame, sums);
  return sums;
}

struct GroupDivider {
  std::vector<std::vector<std::size_t>> groups;    ///< [group] Frames.
  PixelCounts counts;                              ///< Of the frames.
  std::vector<double> wanted;                      ///< [part] Share.
  std::vector<double> total = sum_frames(counts);  ///< See add_frame().

  /// An assignment, and its distance from the wanted one.
  struct Division {
    std::vector<std::size_t> part_of;  ///< [group]
    double distance = std::numeric_limits<double>::infinity();
  };

  /// Assigns groups, in an order, to one part after another; each part gets at least one.
  Division divide(const std::vector<std::size_t>& order) const {
    Division division{.part_of = std::vector<std::size_t>(groups.size())};
    std::vector<std::vector<double>> in_parts(wanted.size(), std::vector<double>(total.size()));
    std::size_t part = wanted.size() - 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t left = order.size() - i;
      const bool is_full = in_parts[part][0] >= std::max(1.0, std::round(wanted[part] * total[0]));
      if (part > 0 && in_parts[part][0] > 0 && (is_full || left <= part)) --part;
      division.part_of[order[i]] = part;
      for (const std::size_t frame : groups[order[i]]) add_frame(counts[frame], in_parts[part]);
    }
    division.distance = distance(in_parts);
    return division;
  }

  /// Deviation of the shares of frames, and of each class's pixels, in each part from the wanted shares.
  double distance(const std::vector<std::vector<double>>& in_parts) const {
    double sum = 0;
    for (std::size_t part = 0; part < wanted.size(); ++part)
      for (std::size_t c = 0; c < total.size(); ++c) {
        if (total[c] == 0) continue;
        const double share = in_parts[part][c] / total[c];
        sum +=
            std::abs(share - wanted[part]) * (c == 0 ? static_cast<double>(total.size()) : 1);  // index 0 counts frames
        if (share == 0 && wanted[part] > 0) sum += 1;
      }
    return sum;
  }
};

/// The best of several random divisions. @return  [group] Part.
std::vector<std::size_t> best_division(const GroupDivider& divider, std::uint64_t seed) {
  std::mt19937_64 draws(seed);
  std::vector<std::size_t> order(divider.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  GroupDivider::Division best;
  for (int division = 0; division < kNumDivisions; ++division) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws() % i]);
    GroupDivider::Division next = divider.divide(order);
    if (next.distance < best.distance) best = std::move(next);
  }
  return best.part_of;
}

/// A data set whose truth is read with other labels.
struct RelabelledTruth {
  dataset::Dataset data;
  image::ClassMap classes;              ///< Of the data set.
  std::vector<std::uint16_t> label_of;  ///< [label of the data set]
};

/// @param i  Number of the frame in the data set.
void relabel(const std::shared_ptr<const RelabelledTruth>& truth, std::size_t i, ImportedFrame& frame) {
  frame.truth_file.clear();
  frame.truth = [truth, i](const dataset::FrameSize&) {
    image::LabelImage labels = truth->data.read_labels(i, truth->classes);
    for (std::uint16_t& label : labels)
      if (label != image::kVoid) label = truth->label_of[label];
    return labels;
  };
}

/// Removes what describes truth files that will be written anew.
void clear_encoding(dataset::DatasetConfig& config) {
  config.labels.reset();
  config.class_indices.clear();
  config.ignore_index.reset();
  config.ignored_colors.clear();
}

/// Names of folders that differ: their last components, with as many before them as that takes.
std::vector<std::string> different_names(const std::vector<dataset::Dataset>& all) {
  std::vector<fs::path> paths;
  for (const dataset::Dataset& data : all) paths.push_back(full_path(data.folder()));
  std::vector<std::string> names(all.size());
  for (int depth = 1; depth <= 4; ++depth) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      names[i] = paths[i].filename().string() + (names[i].empty() ? "" : "_" + names[i]);
      if (paths[i].has_relative_path()) paths[i] = paths[i].parent_path();
    }
    if (std::set(names.begin(), names.end()).size() == names.size()) break;
  }
  return names;
}

void check_same_frames(const dataset::Dataset& data, const dataset::Dataset& first) {
  const dataset::DatasetConfig &a = first.config(), &b = data.config();
  const auto check = [&](bool is_same, const char* what) {
    FW_CHECK(is_same, Data,
             data.folder().string()
                 << " has " << what << " than " << first.folder().string()
                 << "; save one of them in the other's form first (Dataset.save in Python), or train on them apart");
  };
  check(data.has_color() == first.has_color() && data.has_depth() == first.has_depth() &&
            data.num_maps() == first.num_maps(),
        "other kinds of images");
  check(a.depth_scale_to_mm.value_or(1) == b.depth_scale_to_mm.value_or(1) && a.depth_missing == b.depth_missing,
        "another depth_scale or depth_missing");
  check(a.has_camera() == b.has_camera() && a.cameras == b.cameras && a.up == b.up, "another camera");
}

/// @param folder  Name of the data set's groups. @param names  The classes of its truth are added.
void add_merged(const dataset::Dataset& data, const std::string& folder, ClassNames& names, ThreadPool& pool,
                ImportPlan& plan) {
  const auto truth = std::make_shared<RelabelledTruth>(RelabelledTruth{data, classes_of_truth(data, pool), {}});
  for (const image::ClassInfo& info : truth->classes.classes)
    truth->label_of.push_back(names.add(info.name, info.color, info.stated_thing));
  ImportPlan own = plan_as_is(data, pool);
  for (std::size_t i = 0; i < own.frames.size(); ++i) {
    ImportedFrame& frame = own.frames[i];
    frame.pose.reset();  // folders may be of different rooms
    if (!frame.camera && own.config.camera != plan.config.camera) frame.camera = own.config.camera;
    frame.group = folder + (frame.group.empty() ? "" : "_" + frame.group);
    if (!frame.truth_file.empty()) relabel(truth, i, frame);
    plan.frames.push_back(std::move(frame));
  }
}

}  // namespace

void SplitOptions::check() const {
  check_options(table(), *this);
  FW_CHECK(test + val < 1 && test + val > 0, Usage,
           named_option("test") << " and " << named_option("val") << " are " << test + val
                                << " together; use shares that leave frames to train on, and some to test on");
}

ImportPlan plan_split(const dataset::Dataset& data, const SplitOptions& options, ThreadPool& pool) {
  options.check();
  FW_CHECK(labelled_frames(data).size() == data.size(), Data,
           data.folder().string()
               << ": frames without ground truth cannot be split by their classes; add it, or make folders by hand");
  ImportPlan plan = plan_as_is(data, pool);
  std::vector<std::pair<std::string, double>> parts = {{"train", 1 - options.test - options.val}};
  if (options.test > 0) parts.emplace_back("test", options.test);
  if (options.val > 0) parts.emplace_back("val", options.val);
  std::vector<double> wanted;
  for (const auto& [name, share] : parts) wanted.push_back(share);
  const GroupDivider divider{frames_by_group(data), count_pixels(data, data.scan_truth(pool).classes, pool), wanted};
  FW_CHECK(divider.groups.size() >= parts.size(), Data,
           data.folder().string() << " has " << divider.groups.size() << " groups, which are fewer than the "
                                  << parts.size() << " splits; add frames");
  const std::vector<std::size_t> part_of = best_division(divider, options.seed);
  for (std::size_t group = 0; group < part_of.size(); ++group)
    for (const std::size_t frame : divider.groups[group]) plan.frames[frame].split = parts[part_of[group]].first;
  return plan;
}

ImportPlan plan_sample(const dataset::Dataset& data, std::size_t count, ThreadPool& pool) {
  require_option(count > 0 && count <= data.size(), "frames", count,
                 "use 1 to " + std::to_string(data.size()) + ", the number of frames in " + data.folder().string());
  ImportPlan plan = plan_as_is(data, pool);
  std::vector<ImportedFrame> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(plan.frames[i * data.size() / count]);
  plan.frames = std::move(taken);
  return plan;
}

ImportPlan plan_merge(const std::vector<dataset::Dataset>& all, ThreadPool& pool) {
  FW_CHECK(!all.empty(), Usage, "no folder is given; name those to merge");
  ImportPlan plan;
  plan.config = all[0].config();
  clear_encoding(plan.config);
  plan.config.background.clear();
  ClassNames names;
  const std::vector<std::string> folders = different_names(all);
  std::vector<std::string> folder_of_frame;
  for (std::size_t d = 0; d < all.size(); ++d) {
    check_same_frames(all[d], all[0]);
    add_merged(all[d], folders[d], names, pool, plan);
    folder_of_frame.resize(plan.frames.size(), folders[d]);
  }
  plan.config.classes = names.classes();
  plan.notes = names.notes();
  settle_names(plan.frames, [&](std::size_t frame) { return folder_of_frame[frame]; });
  return plan;
}

ImportPlan plan_remap(const dataset::Dataset& data, const std::map<std::string, std::string>& table, ThreadPool& pool) {
  const std::vector<std::uint32_t> labelled = labelled_frames(data);
  FW_CHECK(!labelled.empty(), Data,
           data.folder().string() << ": frames without ground truth have no classes to rename; add it");
  ImportPlan plan = plan_as_is(data, pool);
  const auto truth = std::make_shared<RelabelledTruth>(RelabelledTruth{data, classes_of_truth(data, pool), {}});
  const std::vector<image::ClassInfo>& classes = truth->classes.classes;
  for (const auto& [from, to] : table)
    FW_CHECK(std::ranges::find(classes, from, &image::ClassInfo::name) != classes.end(), Usage,
             "the class \"" << from << "\" that is to become \"" << to << "\" is not there; the classes are "
                            << join(classes, ", ", [](const image::ClassInfo& info) { return info.name; }));
  ClassNames names;
  for (const image::ClassInfo& info : classes) {
    const auto found = table.find(info.name);
    const std::string& name = found == table.end() ? info.name : found->second;
    truth->label_of.push_back(name.empty() ? image::kVoid : names.add(name, info.color, info.stated_thing));
  }
  FW_CHECK(!names.classes().empty(), Usage, "the table leaves no class; keep one");
  if (const auto found = table.find(plan.config.background); found != table.end())
    plan.config.background = found->second;
  plan.config.classes = names.classes();
  clear_encoding(plan.config);
  for (const std::uint32_t frame : labelled) relabel(truth, frame, plan.frames[frame]);
  return plan;
}

std::map<std::string, std::string> read_class_table(const fs::path& path) {
  std::map<std::string, std::string> table;
  const auto add = [&](const std::string& from, const std::string& to) {
    FW_CHECK(table.emplace(from, to).second, Data,
             path.string() << ": the class " << from << " comes twice; name it once");
  };
  if (path.extension() == ".json") {
    const nlohmann::json root = read_json(path);
    FW_CHECK(root.is_object(), Data,
             path.string() << " is not an object of old and new names; write {\"sofa\": \"seat\"}");
    for (const auto& [from, to] : root.items()) {
      FW_CHECK(to.is_string() || to.is_null(), Data,
               path.string() << ": the new name of " << from << " is not text; write a name, or null for void");
      add(from, to.is_string() ? to.get<std::string>() : "");
    }
    return table;
  }
  const std::string text = dataset::read_user_text(path);
  FW_CHECK(text.find_first_not_of(" \t\r\n") == std::string::npos || text[text.find_first_not_of(" \t\r\n")] != '{',
           Data, path.string() << ": looks like JSON; give it a name that ends in .json");
  TextInput lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const bool is_comment = line.starts_with('#') && (line.size() == 1 || line[1] == ' ');  // "#ff0000" is a class
    if (line.empty() || is_comment) continue;
    std::size_t at = std::string::npos, width = 1;
    for (const std::string_view between : {"->", "\t", ","})
      if (const std::size_t found = line.find(between); at == std::string::npos && found != std::string::npos)
        at = found, width = between.size();
    FW_CHECK(at != std::string::npos, Data,
             path.string() << ":" << number << " has no old and new name; write \"sofa, seat\", or \"sofa,\" for void");
    std::string from = line.substr(0, at), to = line.substr(at + width);
    while (!from.empty() && from.back() == ' ') from.pop_back();
    to.erase(0, std::min(to.find_first_not_of(' '), to.size()));
    add(from, to);
  }
  return table;
}

}  // namespace fernwood::formats
