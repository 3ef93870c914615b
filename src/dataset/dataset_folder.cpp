// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "core/platform/file_system.h"
#include "dataset/check/unread_files.h"
#include "dataset/files/user_text.h"
#include "dataset/name_lookup.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// @return  False for a file that does not belong to a frame.
bool add_file(const fs::path& path, std::map<std::string, FrameFiles>* frames) {
  const std::optional<FrameFileName> name = parse_frame_file_name(path.filename().string());
  if (!name) return false;
  FrameFiles& frame = (*frames)[name->frame];
  fs::path& place = frame.*naming_of(name->role).member;
  // PNG is preferred to JPEG and arrays, and these to formats that need a plug-in; of equal kinds the first name wins,
  // so that the result does not depend on the order of listing.
  const auto rank = [](const fs::path& p) {
    const std::string kind = lower_case(p.extension().string());
    return std::pair(kind == ".png" ? 0 : is_fallback_extension(kind) ? 2 : 1, p.filename().string());
  };
  if (place.empty() || rank(path) < rank(place)) place = path;
  return true;
}

/// A frame that times.txt does not list, though it lists others, was being written when the recording stopped.
/// @return  Names of those that are nevertheless complete.
std::vector<std::string> drop_unfinished(const std::map<std::string, double>& times,
                                         std::map<std::string, FrameFiles>* frames) {
  const auto is_named = [&](const auto& frame) { return times.contains(frame.first); };
  const auto named = std::ranges::find_if(*frames, is_named);
  if (named == frames->end()) return {};
  constexpr std::array kRoles = {&FrameFiles::color, &FrameFiles::depth, &FrameFiles::truth, &FrameFiles::maps};
  std::vector<std::string> dropped;
  for (const auto& frame : *frames) {
    const auto lacks = [&](auto role) { return (frame.second.*role).empty() && !(named->second.*role).empty(); };
    if (!is_named(frame) && std::ranges::none_of(kRoles, lacks)) dropped.push_back(frame.first);
  }
  std::erase_if(*frames, std::not_fn(is_named));
  return dropped;
}

}  // namespace

std::map<std::string, double> read_times(const fs::path& folder, const std::vector<std::string>& frames) {
  const fs::path file = folder / "times.txt";
  if (!fs::is_regular_file(file)) return {};
  return by_frame(file, parse_times(file, read_user_text(file)), frames);
}

std::map<std::string, double> parse_times(const fs::path& path, const std::string& text) {
  std::map<std::string, double> times;
  TextInput lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    TextInput words(line);
    std::string name, more;
    double time_s = 0;
    if (line.starts_with('#') || !(words >> name)) continue;
    const bool is_whole = (words >> time_s) && std::isfinite(time_s) && !(words >> more);
    if (!is_whole && lines.eof()) break;  // the last line was cut off while it was being written
    FW_CHECK(is_whole, Data,
             path.string() << ": line " << number << " (" << name
                           << ") is not the name of a frame and its seconds, such as \"frame0001 0.033\"; correct it, "
                              "or remove the file, and frames follow one another "
                           << kUnknownRateHz << " times per second");
    FW_CHECK(times.emplace(name, time_s).second, Data,
             path.string() << ": line " << number << " (" << name
                           << ") names a frame that an earlier line names already; keep one of the two");
  }
  return times;
}

namespace {

/// list_folder() except for recordings in the folder.
FolderListing list_files(const fs::path& folder) {
  FW_CHECK(!folder.empty(), Usage,
           "the name of the data set's folder is empty; name one that holds " << kExpectedFiles);
  if (!fs::exists(folder))
    throw FileError(ErrorKind::kData, folder, ENOENT,
                    std::string("does not exist; name one that holds ") + kExpectedFiles);
  if (!fs::is_directory(folder))
    throw FileError(ErrorKind::kData, folder, ENOTDIR,
                    std::string("is a file, a folder of frames was expected; name one that holds ") + kExpectedFiles);
  FolderListing listing;
  std::map<std::string, FrameFiles> by_name;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory())
      listing.folders.push_back(name);
    else if (!add_file(entry->path(), &by_name))
      listing.others.push_back(name);
  }
  throw_if_no_memory(failure);
  if (failure)
    throw FileError(ErrorKind::kRuntime, folder, failure.value(),
                    "cannot be listed: " + failure.message() + "; check its permissions");
  std::vector<std::string> names;
  for (const auto& [name, files] : by_name) names.push_back(name);
  listing.unlisted = drop_unfinished(read_times(folder, names), &by_name);
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.others);
  for (auto& [name, files] : by_name) {
    files.name = name;
    listing.frames.push_back(std::move(files));
  }
  return listing;
}

/// Whether a sub-folder is a recording without a dataset.toml of its own, so that all recordings are read with the same
/// settings.
bool is_recording(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / "times.txt", unreadable) && !fs::exists(folder / "dataset.toml", unreadable);
}

}  // namespace

FolderListing list_folder(const fs::path& folder) {
  FolderListing listing = list_files(folder);
  if (!listing.frames.empty()) return listing;
  std::map<std::string, std::string> recording_of;  // [name of a frame]
  for (const std::string& name : listing.folders) {
    if (!is_recording(folder / name)) continue;
    for (FrameFiles& files : list_files(folder / name).frames) {
      files.name = name + "_" + files.name;
      const auto [first, is_new] = recording_of.emplace(files.name, name);
      FW_CHECK(is_new, Data,
               folder.string() << ": the recordings " << first->second << " and " << name
                               << " both give a frame the name " << files.name << "; rename one of the two folders");
      listing.frames.push_back(std::move(files));
    }
  }
  return listing;
}

fs::path find_frame_folder(const fs::path& folder, const std::string& split_hint) {
  const FolderListing listing = list_folder(folder);
  if (!listing.frames.empty()) return folder;
  std::vector<std::string> tried;
  if (!split_hint.empty()) tried = {split_hint};
  if (split_hint == "test") tried = {"test", "val", "validation"};
  for (const std::string& name : tried)
    if (fs::is_directory(folder / name) && !list_folder(folder / name).frames.empty()) return folder / name;
  const std::string found = UnreadFiles(folder, listing, true).note_on_no_frames();
  throw Error(ErrorKind::kData, folder.string() + " holds no frames" +
                                    (tried.empty() ? "" : ", nor does a sub-folder of it (" + join(tried) + ")") +
                                    "; expected are " + kExpectedFiles + (found.empty() ? "" : "; " + found));
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

std::optional<fs::path> find_config_file(const fs::path& folder) {
  const fs::path above = full_path(folder).parent_path();
  if (fs::exists(folder / "dataset.toml")) return folder / "dataset.toml";
  if (fs::exists(above / "dataset.toml")) return above / "dataset.toml";
  return std::nullopt;
}

std::vector<FrameFiles> take_evenly(std::vector<FrameFiles> frames, std::size_t max_frames) {
  if (max_frames == 0 || max_frames >= frames.size()) return frames;
  std::vector<FrameFiles> taken;
  for (std::size_t i = 0; i < max_frames; ++i) taken.push_back(frames[i * frames.size() / max_frames]);
  return taken;
}

std::vector<MissingPartner> missing_partners(const std::vector<FrameFiles>& frames, bool needs_truth) {
  const auto any_has = [&](fs::path FrameFiles::*role) {
    return std::ranges::any_of(frames, [&](const FrameFiles& files) { return !(files.*role).empty(); });
  };
  const bool some_color = any_has(&FrameFiles::color), some_depth = any_has(&FrameFiles::depth),
             some_maps = any_has(&FrameFiles::maps);
  std::vector<MissingPartner> missing;
  for (const FrameFiles& frame : frames) {
    if (some_color && frame.color.empty())
      missing.push_back({FrameRole::kColor, frame.name, frame.name + "_colors.png or .jpg"});
    if ((some_depth || !some_color) && frame.depth.empty())
      missing.push_back({FrameRole::kDepth, frame.name, frame.name + "_depth.png"});
    if (some_maps && frame.maps.empty()) missing.push_back({FrameRole::kMaps, frame.name, frame.name + "_maps.npy"});
    if (needs_truth && frame.truth.empty())
      missing.push_back({FrameRole::kTruth, frame.name, frame.name + "_ground_truth.png"});
  }
  return missing;
}

std::string sentence(const fs::path& folder, const MissingPartner& missing, const std::string& note) {
  const bool is_truth = missing.role == FrameRole::kTruth;
  const std::string remedy = std::string("add the file or remove the frame's other files") +
                             (is_truth ? "" : ", or leave out all files of that kind");
  return (folder / missing.frame).string() + ": the frame has no " + std::string(naming_of(missing.role).noun) +
         (is_truth ? "" : ", which other frames have") + " (" + missing.file_name + " is missing); " +
         (note.empty() ? remedy : note);
}

namespace {

std::map<std::string, std::string> parse_group_lines(const std::string& text, const std::filesystem::path& path) {
  TextInput lines(text);
  std::map<std::string, std::string> group_of;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    TextInput words(line);
    std::string frame, group, rest;
    if (!(words >> frame) || frame.front() == '#') continue;
    FW_CHECK(words >> group && !(words >> rest), Data,
             path.string() << ":" << number
                           << " is not the name of a frame and of its group; write both with a space between");
    FW_CHECK(group_of.emplace(frame, group).second, Data,
             path.string() << ":" << number << ": the frame " << frame << " has a group already; name it once");
  }
  return group_of;
}

}  // namespace

std::vector<std::uint32_t> parse_groups(const std::string& text, const std::filesystem::path& path,
                                        const std::vector<std::string>& names, bool needs_all) {
  const std::map<std::string, std::string> group_of = by_frame(path, parse_group_lines(text, path), names);
  std::map<std::string, std::uint32_t> numbers;  // [group] in order of the groups' first frames
  std::vector<std::uint32_t> groups;
  for (const std::string& name : names) {
    const auto found = group_of.find(name);
    FW_CHECK(found != group_of.end() || !needs_all, Data,
             path.string() << ": the frame " << name << " has no group; add a line \"" << name << " GROUP\"");
    const std::string group = found != group_of.end() ? found->second : " " + name;  // names in the file have no space
    groups.push_back(numbers.emplace(group, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return groups;
}

namespace {

image::Rgb parse_color(std::string_view option, const std::string& text) {
  int r = -1, g = -1, b = -1;
  char rest = 0;
  const bool is_read = std::sscanf(text.c_str(), "#%2x%2x%2x%c", reinterpret_cast<unsigned*>(&r),
                                   reinterpret_cast<unsigned*>(&g), reinterpret_cast<unsigned*>(&b), &rest) == 3 ||
                       std::sscanf(text.c_str(), "%d,%d,%d%c", &r, &g, &b, &rest) == 3;
  const auto in_range = [](int value) { return value >= 0 && value <= 255; };
  require_option(is_read && in_range(r) && in_range(g) && in_range(b), std::string(option), in_quotes(text),
                 "write a colour as red,green,blue from 0 to 255 or #rrggbb");
  return {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
}

/// Parses colours separated by commas, which also separate red,green,blue.
std::vector<image::Rgb> parse_colors(std::string_view option, const std::string& text) {
  std::vector<std::string> parts;
  parse_option(option, text, parts);
  std::vector<image::Rgb> colors;
  for (std::size_t i = 0; i < parts.size();) {
    std::string color = parts[i++];
    for (int more = 0; more < 2 && !color.starts_with('#') && i < parts.size() && !parts[i].starts_with('#'); ++more)
      color += "," + parts[i++];
    colors.push_back(parse_color(option, color));
  }
  return colors;
}

constexpr Option<DatasetOptions> ignored_colors_option(std::string_view name, std::string_view help) {
  Option<DatasetOptions> row;
  row.name = name;
  row.help = help;
  row.type = OptionType::kList;
  row.get = [](const DatasetOptions& options) {
    std::vector<std::string> colors;
    for (const image::Rgb color : options.ignored_colors) colors.push_back(to_hex(color));
    return OptionValue(std::move(colors));
  };
  row.set = [](std::string_view at, const std::string& text, DatasetOptions& options) {
    options.ignored_colors = parse_colors(at, text);
    require_option(!options.ignored_colors.empty(), std::string(at), in_quotes(text), "pass a colour, or leave it out");
  };
  return row;
}

constexpr std::array kDatasetRows = {
    ignored_colors_option("ignored-colors", "Additional ground-truth colours for void, besides black; may be repeated")
        .takes("R,G,B"),
    option<&DatasetOptions::max_frames>("max-frames", "Use at most N frames, evenly spread; 0: all"),
};

}  // namespace

OptionTable<DatasetOptions> DatasetOptions::table() { return kDatasetRows; }

}  // namespace fernwood::dataset
