// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/formats.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"
#include "dataset/name_lookup.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/import/annotations.h"

// Frames whose parts lie in folders of their own, found by patterns.

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

/// The files that match a pattern, and how they are assigned to frames.
struct Part {
  const char* option;
  const char* noun;
  const std::string& pattern;
  dataset::FilesByName files;
};

/// Removes files that a longer pattern matches, too: a_mask.png is not a picture of {}.png beside {}_mask.png.
void leave_longer(const std::string& pattern, const dataset::FilesByName& files, Part& part) {
  if (pattern.size() <= part.pattern.size()) return;
  std::set<fs::path> matched;
  for (const auto& [name, file] : files) matched.insert(file);
  std::erase_if(part.files, [&](const auto& entry) { return matched.contains(entry.second); });
  FW_CHECK(!part.files.empty(), Data,
           "'" << pattern << "' matches all files of " << named_option(part.option) << " '" << part.pattern
               << "'; let the patterns match different files");
}

/// Whether label images have the colours of a list, by the first one that is not all black.
bool have_listed_colors(const dataset::FilesByName& labels, const std::vector<std::optional<image::Rgb>>& given) {
  if (std::ranges::none_of(given, [](const auto& color) { return color.has_value(); })) return false;
  for (const auto& [name, file] : labels) {
    const dataset::ImageHeader header = dataset::read_image_header(file);
    if (header.is_grey() && !header.is_palette) return false;
    unsigned channels = dataset::number_channels({});
    bool is_black = true, are_listed = true;
    for (const dataset::ColorCount& count : dataset::count_colors(dataset::read_truth(file), false)) {
      if (count.color == image::Rgb{}) continue;
      is_black = false;
      channels &= dataset::number_channels(count.color);
      are_listed &= std::ranges::find(given, count.color) != given.end();
    }
    if (!is_black) return are_listed || (!header.is_palette && channels == 0);
  }
  return false;
}

/// Ground truth by the rules of dataset.toml; if it lists no classes, they are those of all files.
void add_labels(const ImportOptions& options, const dataset::FilesByName& labels, ImportPlan& plan,
                const std::vector<std::string>& names) {
  const fs::path& first = labels.begin()->second;
  ListedClasses listed = options.classes.empty() ? ListedClasses() : read_class_list(options.classes);
  dataset::DatasetConfig& config = listed.config;
  plan.config.classes = config.classes;  // none is black
  plan.notes.insert(plan.notes.end(), listed.notes.begin(), listed.notes.end());
  if (options.classes.empty()) {
    if (const std::string assumed = dataset::settle_labels(options.in, as_truth(labels), &config); !assumed.empty())
      plan.notes.push_back("the labels (" + first.filename().string() +
                           ") are class numbers; pass a list of the classes' names");
  } else if (have_listed_colors(labels, listed.given_colors)) {
    config.labels = dataset::LabelEncoding::kColors;
    for (std::size_t c = 0; c < config.classes.size(); ++c)
      config.classes[c].color = listed.given_colors[c].value_or(config.classes[c].color);
    const std::string problem = dataset::same_color_problem(config.classes);
    FW_CHECK(problem.empty(), Data,
             options.classes.string() << ": " << problem << ", which the label images have; give each class its own");
  } else if (!config.ignore_index && std::ranges::find(config.class_indices, 0) == config.class_indices.end()) {
    config.ignore_index = {0, 255};
    plan.notes.push_back("the number 0 is not a class of " + options.classes.filename().string() +
                         ", so it is void, as 255 is");
  }
  std::vector<dataset::ColorCount> found;
  if (config.classes.empty()) {
    for (const auto& [name, file] : labels) {
      dataset::add_counts(
          dataset::count_colors(dataset::read_truth(file, config), config.labels == dataset::LabelEncoding::kColors),
          &found);
      dataset::check_few_colors(found, file);
    }
  }
  const image::ClassMap map = dataset::make_class_map(config, {}, found);
  if (plan.config.classes.empty()) {
    plan.config.classes = map.classes;
    std::ranges::copy(dataset::discovery_warnings(map, found, options.in), std::back_inserter(plan.notes));
  }
  std::ranges::copy(dataset::transparency_notes(options.in, as_truth(labels), config), std::back_inserter(plan.notes));
  const auto shared = std::make_shared<const std::pair<dataset::DatasetConfig, image::ClassMap>>(config, map);
  plan.keeps = shared;
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    const auto file = labels.find(names[i]);
    if (file == labels.end()) continue;
    plan.frames[i].truth = [path = file->second, shared](const dataset::FrameSize&) {
      return dataset::to_labels(path, dataset::read_truth(path, shared->first), dataset::ColorLookup(shared->second),
                                shared->second, shared->first.labels);
    };
  }
}

/// @param names  Of the frames. @param notes  Labels without frames, and frames without labels, are added.
void check_matches(const ImportOptions& options, const dataset::FilesByName& labels,
                   const std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::vector<std::string> without, unused;
  const std::set<std::string> known(names.begin(), names.end());
  for (const std::string& name : names)
    if (!labels.contains(name)) without.push_back(name);
  for (const auto& [name, file] : labels)
    if (!known.contains(name)) unused.push_back(name);
  FW_CHECK(without.size() < names.size(), Data,
           options.in.string() << ": no frame has labels; " << named_option("labels") << " finds "
                               << labels.begin()->first << ", frames are named " << names.front()
                               << ": let {} stand for the same text");
  if (!without.empty()) notes.push_back("without labels: " + dataset::some_of(without));
  if (!unused.empty()) notes.push_back("labels of no frame: " + dataset::some_of(unused));
}

}  // namespace

ImportPlan plan_folders(const ImportOptions& options) {
  FW_CHECK(!options.colors.empty() || !options.depth.empty(), Usage,
           "the format folders needs " << named_option("colors") << " or " << named_option("depth") << ", such as "
                                       << named_option("colors", "rgb/{}.png"));
  std::vector<Part> parts;
  if (!options.colors.empty())
    parts.push_back({"colors", "colour", options.colors, dataset::match_option(options.in, "colors", options.colors)});
  if (!options.depth.empty())
    parts.push_back({"depth", "depth", options.depth, dataset::match_option(options.in, "depth", options.depth)});
  dataset::FilesByName labels;
  if (!options.labels.empty()) {
    labels = dataset::match_option(options.in, "labels", options.labels);
    for (Part& part : parts) leave_longer(options.labels, labels, part);
  }
  if (parts.size() == 2) leave_longer(options.depth, parts[1].files, parts[0]);

  ImportPlan plan;
  plan.config.depth_scale_to_mm = options.depth_scale_to_mm;
  std::vector<std::string> lacking, names;
  for (const auto& [name, file] : parts[0].files) {
    const bool is_whole = parts.size() == 1 || parts[1].files.contains(name);
    if (!is_whole) {
      lacking.push_back(name);
      continue;
    }
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = name;
    const bool is_color = !options.colors.empty();
    (is_color ? frame.color : frame.depth) = file;
    if (parts.size() == 2) frame.depth = parts[1].files.find(name)->second;
    if (const fs::path folder = fs::path(name).parent_path(); !folder.empty()) frame.group = folder.generic_string();
    names.push_back(name);
  }
  FW_CHECK(!plan.frames.empty(), Data,
           options.in.string() << ": no name has both colour and depth; " << named_option(parts[0].option) << " finds "
                               << parts[0].files.begin()->first << ", " << named_option(parts[1].option) << " finds "
                               << parts[1].files.begin()->first << ": let {} stand for the same text");
  if (!lacking.empty())
    plan.notes.push_back("without " + std::string(parts[1].noun) + ", and left out: " + dataset::some_of(lacking));
  if (!labels.empty()) {
    check_matches(options, labels, names, plan.notes);
    add_labels(options, labels, plan, names);
  }
  settle_names(options.in, plan.frames);
  return plan;
}

std::vector<fs::path> folders_with(const fs::path& root, const std::string& held) {
  std::vector<fs::path> folders;
  if (fs::exists(root / held)) folders.push_back(root);
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(root, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->is_directory() && fs::exists(entry->path() / held)) folders.push_back(entry->path());
  std::ranges::sort(
      folders, [](const fs::path& a, const fs::path& b) { return dataset::NaturalOrder()(a.string(), b.string()); });
  return folders;
}

dataset::FilesByName files_if_any(const fs::path& root, std::initializer_list<const char*> patterns) {
  dataset::FilesByName files;
  for (const char* pattern : patterns) try {
      files.merge(dataset::match_files(root, pattern, ""));
    } catch (const Error&) {
    }
  return files;
}

void note_unusable_poses(const std::vector<std::string>& files, ImportPlan& plan) {
  if (!files.empty())
    plan.notes.push_back("frames have no pose where a file holds no matrix of 4 x 4 numbers that rotates: " +
                         dataset::some_of(files));
}

std::span<ImportedFrame> add_sequence(const std::string& group, const dataset::FilesByName& colors,
                                      const dataset::FilesByName& depths, ImportPlan& plan) {
  const std::size_t first = plan.frames.size();
  std::vector<std::string> lacking;
  for (const auto& [name, color] : colors) {
    const auto depth = depths.find(name);
    if (depth == depths.end() && !depths.empty()) {
      lacking.push_back(name);
      continue;
    }
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = group.empty() ? name : group + "_" + name;
    frame.group = group;
    frame.color = color;
    if (depth != depths.end()) frame.depth = depth->second;
  }
  for (const auto& [name, depth] : depths)
    if (!colors.contains(name)) lacking.push_back(name);
  if (!lacking.empty())
    plan.notes.push_back((group.empty() ? "" : group + ": ") +
                         "without colour or depth, and left out: " + dataset::some_of(lacking));
  return std::span(plan.frames).subspan(first);
}

image::LabelImage labels_by_number(const fs::path& file,
                                   const std::function<std::uint16_t(std::uint32_t number)>& class_of) {
  dataset::DatasetConfig config;
  config.labels = dataset::LabelEncoding::kIndex;
  config.ignore_index.emplace();
  const Array2<image::Rgb> colors = dataset::read_truth(file, config);
  image::LabelImage labels(colors.rows(), colors.cols());
  std::map<std::uint32_t, std::uint16_t> known;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint32_t number = dataset::index_of(colors.data()[i]).value_or(0);
    const auto [place, is_new] = known.try_emplace(number, 0);
    if (is_new) place->second = class_of(number);
    labels.data()[i] = place->second;
  }
  return labels;
}

void check_found(const ImportPlan& plan, const fs::path& root, const char* expected) {
  FW_CHECK(!plan.frames.empty(), Data, root.string() << " holds no frames; expected are " << expected);
}

std::optional<std::size_t> number_of_name(std::string_view name) {
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failure == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

std::string folder_name(const fs::path& folder) { return full_path(folder).filename().string(); }

std::map<std::string, std::string> splits_in(const fs::path& folder,
                                             std::initializer_list<std::pair<const char*, const char*>> lists,
                                             const std::vector<std::string>& names) {
  std::map<std::string, std::string> splits;
  for (const auto& [file, split] : lists) {
    if (!fs::exists(folder / file)) continue;
    TextInput words(dataset::read_user_text(folder / file));
    for (std::string name; words >> name;) splits.emplace(name, split);
  }
  return dataset::by_frame(folder, std::move(splits), names);
}

}  // namespace fernwood::formats
