// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/unread_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxSentences = 20;
constexpr std::size_t kMaxHeadersRead = 32;
constexpr std::size_t kMaxFoldersRead = 50, kMaxFoldersNamed = 5;
constexpr std::size_t kMaxGroupsNamed = 3;
constexpr std::size_t kMaxFilesSeen = 1000;

std::string and_more(const std::string& first, std::size_t num_files, const std::string& pattern) {
  if (num_files < 2) return first;
  return first + " and " + std::to_string(num_files - 1) + " more (" + pattern + ")";
}

/// The supported name to use in place of another one.
std::string proper_name(FrameRole role, const std::string& frame, const std::string& extension) {
  const RoleNaming& naming = naming_of(role);
  return (frame.empty() ? "<name>" : frame) + std::string(naming.suffix) +
         (naming.has(extension) ? extension : std::string(naming.extension));
}

/// Why a file is not read, and the remedy.
std::string reason_and_remedy(FrameRole role, const std::string& frame, const std::string& extension) {
  const std::string name = proper_name(role, frame, extension);
  if (naming_of(role).has(extension)) return "only other names are read: rename it to " + name;
  const bool is_jpeg = is_jpeg_extension(extension);
  const std::string python = extension == ".npy" || extension == ".npz" ? " (arrays can be given in Python)" : "";
  switch (role) {
    case FrameRole::kColor:
      return "colour is read from PNG or JPEG files: convert it to " + name + python;
    case FrameRole::kDepth:
      return std::string(is_jpeg ? "JPEG changes the values of depth" : "depth is read from PNG files") +
             ": write it as 16-bit PNG in millimetres, named " + name + python;
    case FrameRole::kTruth:
      return std::string(is_jpeg ? "JPEG changes the class colours" : "ground truth is read from PNG files") +
             ": write the labels as PNG in class colours, named " + name + python;
    case FrameRole::kInstances:
      return "instances are read from PNG files: write the numbers of the objects as 16-bit PNG, named " + name;
    case FrameRole::kUp:
      return "it is read from text files: write three numbers into " + name;
    case FrameRole::kMaps:
      return "feature maps are read from arrays [maps][rows][cols]: write them with numpy.save(\"" + name + "\", maps)";
  }
  return "";
}

/// The role of an image by its header, if its name does not indicate one.
std::optional<FrameRole> role_by_content(const fs::path& path) {
  try {
    const ImageHeader header = read_image_header(path);
    if (header.is_palette) return FrameRole::kTruth;
    if (header.bits == 16 && header.num_channels == 1) return FrameRole::kDepth;
    if (header.is_grey()) return FrameRole::kTruth;
    return FrameRole::kColor;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Supported and common names of a text file of a folder.
struct TextNaming {
  std::string_view stem, extension;     ///< Of the supported name.
  std::vector<std::string_view> stems;  ///< Other common names, with any text extension.
  std::string_view remedy;              ///< For other formats.
  bool has_typos = true;                ///< Similar names count, too.
};

const std::vector<TextNaming>& text_namings() {
  static const std::vector<TextNaming> kTexts = {
      {"dataset", ".toml", {"dataset", "datasets", "data_set"}, "write what it says into dataset.toml"},
      {"groups", ".txt", {"group", "groups"}, "write a line of frame and group for each frame into groups.txt"},
      {"times",
       ".txt",
       {"time", "times", "timestamp", "timestamps"},
       "write a line of frame and seconds for each frame into times.txt",
       false},
      {"poses",
       ".txt",
       {"pose", "poses", "trajectory"},
       "write a line of frame and pose for each frame into poses.txt",
       false},
      {"",
       "",
       {"camera", "cameras", "camera_info", "intrinsic", "intrinsics", "camera_intrinsics", "calib", "calibration"},
       "write camera = {width, height, fx, fy, cx, cy} into dataset.toml",
       false}};
  return kTexts;
}

bool is_text_file(const std::string& extension) {
  static constexpr std::array kExtensions = std::to_array<std::string_view>(
      {"", ".txt", ".json", ".yaml", ".yml", ".toml", ".tml", ".ini", ".cfg", ".conf", ".csv", ".xml"});
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

bool is_typo_of(const std::string& word, std::string_view name) {
  return word.size() > 1 && word.substr(0, 2) == name.substr(0, 2) && !nearest_name(word, {&name, 1}).empty();
}

/// The remedy for a file that is probably meant to be this text file; empty for others.
std::string misnamed_text(const std::string& file, const TextNaming& naming) {
  fs::path lower = lower_case(file);
  if (const std::string inner = lower.stem().extension().string(); !inner.empty() && is_text_file(inner))
    lower = lower.stem();  // "dataset.toml.txt", of which Windows hides the end
  const std::string stem = lower.stem().string(), extension = lower.extension().string();
  const bool is_typo = naming.has_typos && is_typo_of(stem, naming.stem) && is_typo_of(extension, naming.extension);
  const bool is_known = is_text_file(extension) && std::ranges::find(naming.stems, stem) != naming.stems.end();
  if (file.starts_with('.') || !(is_typo || is_known)) return "";
  const bool can_rename = !naming.stem.empty() && (is_typo || extension == naming.extension);
  return file + " is not read; " +
         (can_rename ? "rename it to " + std::string(naming.stem) + std::string(naming.extension)
                     : std::string(naming.remedy));
}

void add_misnamed_texts(const fs::path& folder, const std::vector<std::string>& files, bool knows_camera,
                        std::vector<DatasetProblem>* problems) {
  for (const TextNaming& naming : text_namings()) {
    const std::string name = std::string(naming.stem) + std::string(naming.extension);
    if (name.empty() ? knows_camera : fs::exists(folder / name) || fs::exists(folder / ".." / name)) continue;
    for (const std::string& file : files)
      if (const std::string text = misnamed_text(file, naming); !text.empty())
        problems->push_back({Severity::kWarning, folder.string() + ": " + text});
  }
}

/// Whether an image or array is among the first files of a folder or its sub-folders.
bool holds_pixels(const fs::path& folder) {
  std::error_code failure;
  std::size_t num_seen = 0;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (is_pixel_extension(lower_case(entry->path().extension().string())))
      return true;
    else if (++num_seen == kMaxFilesSeen)
      break;
  return false;
}

/// Extensions of annotations, which describe ground truth rather than a frame.
bool is_annotation(const std::string& extension) { return extension == ".json" || extension == ".xml"; }

}  // namespace

UnreadFiles::UnreadFiles(const fs::path& folder, const FolderListing& listing, bool needs_truth)
    : folder_(folder), listing_(listing), needs_truth_(needs_truth) {
  for (const FrameFiles& files : listing_.frames) {
    frames_.emplace(files.name, &files);
    for (const FrameRole role : {FrameRole::kColor, FrameRole::kDepth, FrameRole::kTruth})
      if (!(files.*naming_of(role).member).empty()) roles_read_.insert(role);
  }
  for (const std::string& file : listing_.others)
    if (auto likely = likely_file(file)) found_.push_back(std::move(*likely));
  for (const UnreadFile& file : found_) offered_[file.frame].insert(file.role);
}

/// A file with a role that is missing, or of another frame.
std::optional<UnreadFile> UnreadFiles::likely_file(const std::string& file) {
  auto likely = likely_frame_file(file, [&](const std::string& name) { return frames_.contains(name); });
  if (!likely) likely = by_extension(file);
  if (!likely) return std::nullopt;
  const std::optional<FrameRole> role = likely->role ? likely->role : role_of(file, *likely);
  if (!role || (role == FrameRole::kTruth && !needs_truth_)) return std::nullopt;
  if (likely->is_frame && !(frames_.at(likely->frame)->*naming_of(*role).member).empty()) return std::nullopt;
  return UnreadFile{file, likely->frame, likely->pattern, likely->extension, *role, likely->is_frame};
}

/// Guess by the extension, for names without other hints: a role that no frame has.
std::optional<LikelyFrameFile> UnreadFiles::by_extension(const std::string& file) const {
  const std::string extension = lower_case(fs::path(file).extension().string());
  const bool is_color = is_jpeg_extension(extension) && !is_read(FrameRole::kColor);
  const bool is_depth = is_depth_extension(extension) && !is_read(FrameRole::kDepth);
  if (file.starts_with('.') || !(is_color || is_depth) || is_own_output(file)) return std::nullopt;
  return LikelyFrameFile{is_color ? FrameRole::kColor : FrameRole::kDepth, "", "*" + extension, extension, false};
}

/// For a file whose name begins with that of a frame: its role, if that is missing.
std::optional<FrameRole> UnreadFiles::role_of(const std::string& file, const LikelyFrameFile& likely) {
  const auto lacks = [&](FrameRole role) {
    return (frames_.at(likely.frame)->*naming_of(role).member).empty() && (role != FrameRole::kTruth || needs_truth_);
  };
  const bool lacks_depth = lacks(FrameRole::kDepth), lacks_truth = lacks(FrameRole::kTruth);
  if (is_annotation(likely.extension) && lacks_truth) return FrameRole::kTruth;
  if (!is_pixel_extension(likely.extension) || !(lacks(FrameRole::kColor) || lacks_depth || lacks_truth))
    return std::nullopt;
  if (is_array_extension(likely.extension)) return lacks_depth ? FrameRole::kDepth : FrameRole::kTruth;
  if (is_jpeg_extension(likely.extension)) return FrameRole::kColor;
  const auto known = role_of_pattern_.find(likely.pattern);
  if (known != role_of_pattern_.end()) return known->second;
  if (role_of_pattern_.size() >= kMaxHeadersRead) return std::nullopt;
  return role_of_pattern_[likely.pattern] = role_by_content(folder_ / file);
}

/// Whether files form a complete frame rather than a part of one: at least two of the required roles, including an
/// image.
bool UnreadFiles::is_whole(const std::string& frame) const {
  std::size_t num_needed = needs_truth_ ? 1 : 0;
  for (const FrameRole role : {FrameRole::kColor, FrameRole::kDepth}) num_needed += is_read(role) ? 1 : 0;
  const std::set<FrameRole>& offered = offered_.at(frame);
  const bool has_picture = offered.contains(FrameRole::kColor) || offered.contains(FrameRole::kDepth);
  return has_picture && offered.size() >= std::min<std::size_t>(2, num_needed);
}

/// Groups of files with the same naming pattern, in order of the first name of each.
std::vector<UnreadFiles::Group> UnreadFiles::groups() const {
  std::map<std::pair<std::string, FrameRole>, std::size_t> place;
  std::vector<Group> groups;
  for (const UnreadFile& file : found_) {
    // Files of a role that other frames have are left to note_on(), unless they form a frame whose files are all
    // misnamed.
    if (is_read(file.role) && (file.is_frame || !is_whole(file.frame))) continue;
    const auto [at, is_new] = place.try_emplace({file.pattern, file.role}, groups.size());
    if (is_new) groups.push_back({&file});
    ++groups[at->second].num_files;
  }
  return groups;
}

/// Consequence for all frames of lacking the role that the files probably have.
std::string UnreadFiles::consequence(FrameRole role) const {
  if (is_read(role) || role == FrameRole::kUp || listing_.frames.empty()) return "";
  const char* const what = role == FrameRole::kColor ? "colour" : role == FrameRole::kDepth ? "depth" : "ground truth";
  return std::string(", so the frames have no ") + what;
}

std::string UnreadFiles::sentence_of(const Group& group) const {
  const UnreadFile& first = *group.first;
  const RoleNaming& naming = naming_of(first.role);
  const bool is_one = group.num_files == 1;
  const std::string article = is_one && first.role != FrameRole::kTruth ? "a " : "";
  return and_more(first.file, group.num_files, first.pattern) + (is_one ? " looks like " : " look like ") + article +
         std::string(is_one ? naming.noun : naming.plural) + " but " + (is_one ? "is" : "are") + " not read" +
         consequence(first.role) + "; " + reason_and_remedy(first.role, first.frame, first.extension);
}

void UnreadFiles::add_folders(const fs::path& folder, const std::vector<std::string>& sub_folders,
                              std::vector<DatasetProblem>* problems) const {
  for (const std::string& name : sub_folders) {
    const std::optional<FrameRole> role = likely_folder_role(name);
    if (!role || role == FrameRole::kUp || is_read(*role)) continue;
    if ((role == FrameRole::kTruth && !needs_truth_) || !holds_pixels(folder / name)) continue;
    problems->push_back({Severity::kWarning, (folder / name).string() + ": the files of this folder are not read" +
                                                 consequence(*role) +
                                                 "; put them next to the other files of the frames, "
                                                 "named " +
                                                 proper_name(*role, "", ".png")});
  }
}

/// Sub-folders with frames beside those that are read.
void UnreadFiles::add_unread_recordings(std::vector<DatasetProblem>* problems) const {
  std::set<fs::path> read;
  for (const FrameFiles& files : listing_.frames)
    read.insert((files.color.empty() ? files.depth : files.color).parent_path());
  for (std::size_t i = 0; i < std::min(listing_.folders.size(), kMaxFoldersRead); ++i) {
    const fs::path sub_folder = folder_ / listing_.folders[i];
    const bool is_split = listing_.folders[i] == "test" || listing_.folders[i] == "val";
    if (is_split || read.contains(sub_folder)) continue;
    const std::size_t num_frames = list_folder(sub_folder).frames.size();
    if (num_frames == 0) continue;
    const bool reads_recordings = !read.contains(folder_);
    problems->push_back(
        {Severity::kWarning,
         sub_folder.string() + " holds frames that are not read, " + std::to_string(num_frames) + " in all, because " +
             (reads_recordings ? "a recording of the data set has a times.txt, and no dataset.toml of its own"
                               : "frames lie in the folder above it, too") +
             "; name the folder by itself, or move its frames"});
  }
}

void UnreadFiles::add_unlisted_frames(std::vector<DatasetProblem>* problems) const {
  if (listing_.unlisted.empty()) return;
  const std::size_t num_more = listing_.unlisted.size() - 1;
  problems->push_back(
      {Severity::kWarning,
       folder_.string() + ": the frame" + (num_more == 0 ? " " : "s ") + listing_.unlisted.front() +
           (num_more == 0 ? " is" : " and " + std::to_string(num_more) + " more are") +
           " not read, since times.txt names only others; add a line of frame and seconds for each, or remove "
           "times.txt"});
}

std::vector<DatasetProblem> UnreadFiles::problems(const fs::path& asked, const DatasetConfig& config) const {
  std::vector<DatasetProblem> problems;
  for (const Group& group : groups()) {
    const UnreadFile& first = *group.first;
    const bool is_truth = first.role == FrameRole::kTruth;
    if (is_truth && is_annotation(first.extension) && first.pattern == "*" + first.extension) continue;
    const bool is_refused = is_truth && first.is_frame && !naming_of(first.role).has(first.extension);
    problems.push_back(
        {is_refused ? Severity::kError : Severity::kWarning, folder_.string() + ": " + sentence_of(group)});
  }
  const bool knows_camera = config.has_camera() || !is_read(FrameRole::kDepth);
  add_folders(folder_, listing_.folders, &problems);
  add_misnamed_texts(folder_, listing_.others, knows_camera, &problems);
  if (asked != folder_) {
    const FolderListing above = list_folder(asked);
    add_folders(asked, above.folders, &problems);
    add_misnamed_texts(asked, above.others, knows_camera, &problems);
  }
  add_unread_recordings(&problems);
  add_unlisted_frames(&problems);
  if (problems.size() > kMaxSentences) problems.erase(problems.begin() + kMaxSentences, problems.end());
  return problems;
}

std::string UnreadFiles::note_on(const MissingPartner& missing) const {
  const UnreadFile* nearest = nullptr;
  for (const UnreadFile& file : found_)
    if (file.role == missing.role && (file.frame == missing.frame || nearest == nullptr)) {
      nearest = &file;
      if (file.frame == missing.frame) break;
    }
  if (nearest == nullptr) return "";
  return nearest->file + " is there, but " + reason_and_remedy(nearest->role, nearest->frame, nearest->extension);
}

std::string UnreadFiles::note_on_no_frames() const {
  std::vector<std::string> parts;
  std::vector<std::string> with_frames;
  for (std::size_t i = 0; i < std::min(listing_.folders.size(), kMaxFoldersRead); ++i)
    if (!list_folder(folder_ / listing_.folders[i]).frames.empty()) with_frames.push_back(listing_.folders[i]);
  if (with_frames.size() == 1) return "frames are in its sub-folder " + with_frames[0] + ": name that one";
  if (with_frames.size() > kMaxFoldersNamed) {
    with_frames.resize(kMaxFoldersNamed);
    with_frames.push_back("...");
  }
  if (!with_frames.empty()) return "frames are in its sub-folders " + join(with_frames) + ": name one of them";
  const std::vector<Group> all = groups();
  for (std::size_t i = 0; i < all.size() && i < kMaxGroupsNamed; ++i) {
    const UnreadFile& first = *all[i].first;
    parts.push_back(and_more(first.file, all[i].num_files, first.pattern) + ": " +
                    reason_and_remedy(first.role, first.frame, first.extension));
  }
  std::vector<std::string> folders;
  for (const std::string& name : listing_.folders)
    if (likely_folder_role(name)) folders.push_back(name);
  if (!folders.empty())
    parts.push_back("its sub-folders " + join(folders) +
                    ": import them by fernwood dataset import folders, or put their files into one folder");
  if (!parts.empty() || listing_.others.empty()) return join(parts, "; ");
  return "it holds " + and_more(listing_.others.front(), listing_.others.size(), "others");
}

}  // namespace fernwood::dataset
