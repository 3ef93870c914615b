// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a folder of frames holds: which files belong to which frame, what the texts beside them say, and the classes
// that colours of its ground truth mean.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/frame_file_names.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// What a folder must hold, for error messages.
inline constexpr const char* kExpectedFiles = "<name>_colors.png or .jpg, <name>_depth.png and <name>_ground_truth.png";

/// Frames per second of a recording that does not tell when they were taken.
inline constexpr double kUnknownRateHz = 30;

/// Seconds of each frame that times.txt of a recording's folder names; empty when there is none.
/// @throws Error(kData) as parse_times(), and when the file cannot be read.
std::map<std::string, double> read_times(const std::filesystem::path& folder);
/// The same of a text: lines of a frame's name and its seconds; those that begin with # and a last one that was not
/// written to its end are left out. @param path  For messages. @throws Error(kData) naming the first line that is not
/// so.
std::map<std::string, double> parse_times(const std::filesystem::path& path, const std::string& text);

/// What a folder holds; lists are sorted by name.
struct FolderListing {
  /// With the files that are there. Of several colour files of one frame the PNG is taken, of a recording that was
  /// ended early the frames that are whole.
  std::vector<FrameFiles> frames;
  std::vector<std::string> unlisted;  ///< Frames that seem whole, but times.txt names only others.
  std::vector<std::string> others;    ///< Files of no frame.
  std::vector<std::string> folders;
};
/// Where the folder has no frames of its own, those of the recordings in it: sub-folders with frames and times.txt and
/// without dataset.toml. A frame's name then begins with that of its recording: "room0000_frame0012".
/// @throws Error(kData) when the folder is missing or is none, Error(kRuntime) when it cannot be read.
FolderListing list_folder(const std::filesystem::path& folder);

/// The folder itself when it holds frames, else its sub-folder for the split ("val" and "validation" serve as "test").
/// @throws Error(kData) as list_folder(), and when neither holds a frame.
std::filesystem::path find_frame_folder(const std::filesystem::path& folder, const std::string& split_hint);

/// The folder that a file lies in: "." for a name alone, where the standard library has an empty path.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// dataset.toml of the folder, else of its parent.
std::optional<std::filesystem::path> find_config_file(const std::filesystem::path& folder);

/// `max_frames` of the frames, evenly spread over them; all for 0.
std::vector<FrameFiles> take_evenly(std::vector<FrameFiles> frames, std::size_t max_frames);

/// A file that a frame should have: what kind, and its name for messages.
struct MissingPartner {
  FrameRole role;
  std::string frame, file_name;
};
/// Partners that other frames have and a frame lacks; truth counts only when it is needed.
std::vector<MissingPartner> missing_partners(const std::vector<FrameFiles>& frames, bool needs_truth);
/// The sentence about it. @param note  The remedy; empty: to add the file.
std::string sentence(const std::filesystem::path& folder, const MissingPartner& missing, const std::string& note = "");

/// Reads dataset.toml. @throws Error(kData) naming file, line and key for a syntax error, an unknown key or a value of
/// the wrong type or range.
DatasetConfig read_dataset_config(const std::filesystem::path& path);

/// The same of a text. @param path  For messages.
DatasetConfig parse_dataset_config(std::string_view text, const std::filesystem::path& path);

/// NAME_up.txt: three numbers. @throws Error(kData) for anything else, Error(kRuntime) when it cannot be read.
image::Vector3 read_up_file(const std::filesystem::path& path);
/// The same of a text. @param path  For messages.
image::Vector3 parse_up(const std::string& text, const std::filesystem::path& path);

/// Reads groups.txt: in each line the name of a frame, space, and the name of its group; lines that begin with # and
/// empty ones are passed over.
/// @param names  [frame] Names in the file that are none of these are passed over: a part of the frames may be used.
/// @return  [frame] Number of its group, in order of the groups' first frames.
/// @throws Error(kData) naming the line: for one without two words, a frame that is named twice; or a frame without a
///         group; Error(kRuntime) when the file cannot be read.
std::vector<std::uint32_t> read_groups(const std::filesystem::path& path, const std::vector<std::string>& names);
/// The same of a text. @param path  For messages.
std::vector<std::uint32_t> parse_groups(const std::string& text, const std::filesystem::path& path,
                                        const std::vector<std::string>& names);

// From colours in ground-truth images to classes.

inline constexpr std::size_t kMaxDiscoveredColors = 4096;

struct ColorCount {
  image::Rgb color;
  std::uint64_t num_pixels = 0;
  std::uint64_t num_solid = 0;    ///< Images in which it fills 3 x 3 pixels somewhere.
  std::uint64_t num_tested = 0;   ///< Pixels in other images that were compared with those around.
  std::uint64_t num_between = 0;  ///< Of these, whose colour lies between those on two sides.
  std::uint64_t num_near = 0;     ///< Of these, others whose colour is near that beside them.

  ColorCount& operator+=(const ColorCount& more);
};

std::uint32_t packed(image::Rgb color);   ///< 0xrrggbb
std::string to_hex(image::Rgb color);     ///< "#rrggbb"
std::string to_option(image::Rgb color);  ///< "r,g,b": a shell takes "#rrggbb" for a comment.
std::string to_string(image::Rgb color);  ///< "(r, g, b)"
std::string to_string(
    const std::vector<image::ClassInfo>& classes);  ///< 'floor (7, 54, 66), ...', shortened when long.

/// The colours of an image and how often they occur, ascending by packed(). Counting ends when there are more than
/// kMaxDiscoveredColors of them, with at least one more than that in the result.
/// @param may_be_blended  Not of numbers, whose colours say nothing: a number between two others may well be a class.
std::vector<ColorCount> count_colors(const Array2<image::Rgb>& image, bool may_be_blended = true);
/// @throws Error(kData) when there are more than kMaxDiscoveredColors, naming `where`, a file or a folder.
void check_few_colors(const std::vector<ColorCount>& counts, const std::filesystem::path& where);
/// The same for colours that are a class's each, where so many are blended that classes would be made of them.
void check_not_blended(const std::vector<ColorCount>& found, const std::filesystem::path& folder);
/// Adds `more` to `total`; both ascending.
void add_counts(const std::vector<ColorCount>& more, std::vector<ColorCount>* total);

/// The name of one of the four NYU Depth v2 classes in their customary colours, else "#rrggbb".
std::string class_name_of(image::Rgb color);

/// Colours that are void in a data set: black unless it is a class, those of dataset.toml and of the options.
std::vector<image::Rgb> void_colors_of(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors);
/// The classes of dataset.toml, or of the colours found when it lists none; without the void colours.
/// @throws Error(kData) when the background class that dataset.toml names is not there.
image::ClassMap make_class_map(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors,
                               const std::vector<ColorCount>& found);
/// What is probably wrong with classes that were discovered, for users: one sentence each.
std::vector<std::string> discovery_warnings(const image::ClassMap& classes, const std::vector<ColorCount>& found,
                                            const std::filesystem::path& folder);

}  // namespace fernwood::dataset
