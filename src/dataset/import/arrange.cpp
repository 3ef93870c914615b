// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/arrange.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>

#include "core/json_field.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/user_text.h"
#include "dataset/import/annotations.h"
#include "dataset/import/json_file.h"
#include "dataset/ordered_loop.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/dataset/frame_poses.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr int kNumDivisions = 200;

/// [frame] Names of groups; empty if the data set has none.
std::vector<std::string> group_names(const Dataset& data) {
  std::vector<std::string> names;
  for (const std::uint32_t group : data.groups()) names.push_back("group" + std::to_string(group));
  return names;
}

bool has_truth(const Dataset& data) { return !data.files(0).truth.empty(); }

/// Whether poses are in the coordinates of more than one room.
bool have_several_rooms(const std::vector<std::optional<FramePose>>& poses) {
  std::set<std::string> rooms;
  for (const auto& pose : poses)
    if (pose) rooms.insert(pose->room);
  return rooms.size() > 1;
}

/// Plans to copy all frames unchanged. Classes discovered from colours are listed explicitly, so that each part has all
/// of them.
ImportPlan plan_as_is(const Dataset& data, ThreadPool& pool) {
  ImportPlan plan;
  plan.config = data.config();
  if (has_truth(data) && plan.config.classes.empty()) {
    plan.config.classes = data.scan_truth(pool).classes.classes;
    if (plan.config.labels == LabelEncoding::kIndex)
      for (const image::ClassInfo& info : plan.config.classes)
        plan.config.class_indices.push_back(static_cast<std::uint16_t>(std::stoi(info.name)));
  }
  const std::vector<std::string> groups = group_names(data);
  std::vector<std::optional<FramePose>> poses = find_poses(data, room_of(data.folder()));
  if (have_several_rooms(poses)) {
    plan.notes.push_back("poses of several recordings have no common coordinates, so poses are left out");
    poses.assign(data.size(), std::nullopt);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const FrameFiles& files = data.files(i);
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = files.name;
    if (!groups.empty()) frame.group = groups[i];
    if (data.has_color()) frame.color = files.color;
    if (data.has_depth()) frame.depth = files.depth;
    frame.truth_file = files.truth;
    frame.up_file = files.up;
    frame.maps_file = files.maps;
    if (poses[i]) frame.pose = pose_of_motion(poses[i]->pose);
  }
  return plan;
}

/// [frame][class] Number of labelled pixels.
std::vector<std::vector<std::uint64_t>> count_pixels(const Dataset& data, const image::ClassMap& classes,
                                                     ThreadPool& pool) {
  std::vector<std::vector<std::uint64_t>> counts(data.size(), std::vector<std::uint64_t>(classes.size()));
  for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    for (const std::uint16_t label : data.read_labels(i, classes))
      if (label != image::kVoid) ++counts[i][label];
  });
  return counts;
}

/// Deviation of the shares of frames, and of each class's pixels, in each part from the wanted shares.
double distance(const std::vector<std::vector<double>>& in_parts, const std::vector<double>& total,
                const std::vector<double>& wanted) {
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

}  // namespace

void SplitOptions::check() const {
  check_options(table(), *this);
  FW_CHECK(test + val < 1 && test + val > 0, Usage,
           named_option("test") << " and " << named_option("val") << " are " << test + val
                                << " together; give shares that leave frames to train on, and some to test on");
}

ImportPlan plan_split(const Dataset& data, const SplitOptions& options, ThreadPool& pool) {
  options.check();
  FW_CHECK(has_truth(data), Data,
           data.folder().string()
               << ": frames without ground truth cannot be parted by their classes; add it, or make folders by hand");
  ImportPlan plan = plan_as_is(data, pool);
  const auto counts = count_pixels(data, data.scan_truth(pool).classes, pool);
  const std::vector<std::uint32_t> given = data.groups();
  std::vector<std::vector<std::size_t>> groups;  // [group] frames
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t group = given.empty() ? i : given[i];
    if (groups.size() <= group) groups.resize(group + 1);
    groups[group].push_back(i);
  }
  std::vector<std::pair<std::string, double>> parts = {{"train", 1 - options.test - options.val}};
  if (options.test > 0) parts.emplace_back("test", options.test);
  if (options.val > 0) parts.emplace_back("val", options.val);
  FW_CHECK(groups.size() >= parts.size(), Data,
           data.folder().string() << ": has " << groups.size() << " groups, which are fewer than the " << parts.size()
                                  << " splits; add frames");
  std::vector<double> total(counts[0].size() + 1), wanted;
  for (const auto& [name, share] : parts) wanted.push_back(share);
  for (const std::vector<std::uint64_t>& of_frame : counts) {
    total[0] += 1;
    for (std::size_t c = 0; c < of_frame.size(); ++c) total[c + 1] += static_cast<double>(of_frame[c]);
  }
  std::mt19937_64 draws(options.seed);
  std::vector<std::size_t> order(groups.size()), best;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  double least = 0;
  for (int division = 0; division < kNumDivisions; ++division) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws() % i]);
    // Assigns groups to one part after another; each part gets at least one.
    std::vector<std::size_t> part_of(groups.size());
    std::vector<std::vector<double>> in_parts(parts.size(), std::vector<double>(total.size()));
    std::size_t part = parts.size() - 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t left = order.size() - i;
      const bool is_full = in_parts[part][0] >= std::max(1.0, std::round(wanted[part] * total[0]));
      if (part > 0 && in_parts[part][0] > 0 && (is_full || left <= part)) --part;
      part_of[order[i]] = part;
      for (const std::size_t frame : groups[order[i]]) {
        in_parts[part][0] += 1;
        for (std::size_t c = 0; c < counts[frame].size(); ++c)
          in_parts[part][c + 1] += static_cast<double>(counts[frame][c]);
      }
    }
    const double far = distance(in_parts, total, wanted);
    if (best.empty() || far < least) {
      least = far;
      best = part_of;
    }
  }
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const std::size_t frame : groups[group]) plan.frames[frame].split = parts[best[group]].first;
  return plan;
}

ImportPlan plan_sample(const Dataset& data, std::size_t count, ThreadPool& pool) {
  require_option(count > 0 && count <= data.size(), "frames", count,
                 "give 1 to " + std::to_string(data.size()) + ", the number of frames in " + data.folder().string());
  ImportPlan plan = plan_as_is(data, pool);
  std::vector<ImportedFrame> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(plan.frames[i * data.size() / count]);
  plan.frames = std::move(taken);
  return plan;
}

/// Names of folders that differ: their last components, with as many before them as that takes.
std::vector<std::string> different_names(const std::vector<Dataset>& all) {
  std::vector<fs::path> paths;
  for (const Dataset& data : all) {
    const fs::path path = fs::absolute(data.folder()).lexically_normal();
    paths.push_back(path.has_filename() ? path : path.parent_path());  // "train/" has an empty file name
  }
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

ImportPlan plan_merge(const std::vector<Dataset>& all, ThreadPool& pool) {
  FW_CHECK(!all.empty(), Usage, "no folder is given; name those to merge");
  ImportPlan plan;
  plan.config = all[0].config();
  plan.config.labels.reset();
  plan.config.class_indices.clear();
  plan.config.ignore_index.reset();
  plan.config.ignored_colors.clear();
  plan.config.background.clear();
  ClassNames names;
  struct Source {
    Dataset data;
    image::ClassMap classes;
    std::vector<std::uint16_t> label_of;  // [own label]
  };
  const std::vector<std::string> folders = different_names(all);
  for (std::size_t d = 0; d < all.size(); ++d) {
    const Dataset& data = all[d];
    const DatasetConfig &a = all[0].config(), &b = data.config();
    const std::string place = data.folder().string();
    const auto check = [&](bool is_same, const char* what) {
      FW_CHECK(
          is_same, Data,
          place << ": has " << what << " than " << all[0].folder().string()
                << "; save one of them in the other's form first (Dataset.save in Python), or train on them apart");
    };
    check(data.has_color() == all[0].has_color() && data.has_depth() == all[0].has_depth() &&
              data.num_maps() == all[0].num_maps(),
          "other kinds of images");
    check(a.depth_scale_to_mm.value_or(1) == b.depth_scale_to_mm.value_or(1) && a.depth_missing == b.depth_missing,
          "another depth_scale or depth_missing");
    check(a.camera == b.camera && a.cameras == b.cameras && a.up == b.up, "another camera");
    auto source = std::make_shared<Source>(Source{data, {}, {}});
    if (has_truth(data)) source->classes = data.scan_truth(pool).classes;
    for (const image::ClassInfo& info : source->classes.classes)
      source->label_of.push_back(names.add(info.name, info.color));
    const ImportPlan own = plan_as_is(data, pool);
    const std::string& folder = folders[d];
    for (std::size_t i = 0; i < own.frames.size(); ++i) {
      ImportedFrame frame = own.frames[i];
      frame.pose.reset();  // folders may be of different rooms
      frame.group = folder + (frame.group.empty() ? "" : "_" + frame.group);
      if (!frame.truth_file.empty()) {
        frame.truth_file.clear();
        frame.labels = [source, i](const FrameSize&) {
          image::LabelImage labels = source->data.read_labels(i, source->classes);
          for (std::uint16_t& label : labels)
            if (label != image::kVoid) label = source->label_of[label];
          return labels;
        };
      }
      plan.frames.push_back(std::move(frame));
    }
  }
  plan.config.classes = names.classes();
  settle_names(fs::absolute(all[0].folder()).parent_path(), plan.frames);
  return plan;
}

ImportPlan plan_remap(const Dataset& data, const std::map<std::string, std::string>& table, ThreadPool& pool) {
  FW_CHECK(has_truth(data), Data,
           data.folder().string() << ": frames without ground truth have no classes to rename; add it");
  ImportPlan plan = plan_as_is(data, pool);
  const auto classes = std::make_shared<const image::ClassMap>(data.scan_truth(pool).classes);
  for (const auto& [from, to] : table)
    FW_CHECK(std::ranges::find(classes->classes, from, &image::ClassInfo::name) != classes->classes.end(), Usage,
             "the class \"" << from << "\" that is to become \"" << to << "\" is not there; the classes are "
                            << join(classes->classes, ", ", [](const image::ClassInfo& info) { return info.name; }));
  ClassNames names;
  std::vector<std::uint16_t> label_of;
  for (const image::ClassInfo& info : classes->classes) {
    const auto found = table.find(info.name);
    const std::string& name = found == table.end() ? info.name : found->second;
    label_of.push_back(name.empty() ? image::kVoid : names.add(name, info.color));
  }
  FW_CHECK(!names.classes().empty(), Usage, "the table leaves no class; keep one");
  if (const auto found = table.find(plan.config.background); found != table.end())
    plan.config.background = found->second;
  plan.config.classes = names.classes();
  plan.config.labels.reset();
  plan.config.class_indices.clear();
  plan.config.ignore_index.reset();
  plan.config.ignored_colors.clear();
  const auto shared = std::make_shared<const Dataset>(data);
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    plan.frames[i].truth_file.clear();
    plan.frames[i].labels = [shared, classes, label_of, i](const FrameSize&) {
      image::LabelImage labels = shared->read_labels(i, *classes);
      for (std::uint16_t& label : labels)
        if (label != image::kVoid) label = label_of[label];
      return labels;
    };
  }
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
             path.string() << ": is not an object of old and new names; write {\"sofa\": \"seat\"}");
    for (const auto& [from, to] : root.items()) {
      FW_CHECK(to.is_string() || to.is_null(), Data,
               path.string() << ": the new name of " << from << " is not text; write a name, or null for void");
      add(from, to.is_string() ? to.get<std::string>() : "");
    }
    return table;
  }
  const std::string text = read_user_text(path);
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
    FW_CHECK(
        at != std::string::npos, Data,
        path.string() << ":" << number << ": has no old and new name; write \"sofa, seat\", or \"sofa,\" for void");
    std::string from = line.substr(0, at), to = line.substr(at + width);
    while (!from.empty() && from.back() == ' ') from.pop_back();
    to.erase(0, std::min(to.find_first_not_of(' '), to.size()));
    add(from, to);
  }
  return table;
}

}  // namespace fernwood::dataset
