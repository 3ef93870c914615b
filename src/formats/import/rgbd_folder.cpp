// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/formats.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

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
  FW_CHECK(!plan.frames.empty(), Data, root.string() << ": holds no frames; expected are " << expected);
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
