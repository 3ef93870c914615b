// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Contents of a folder of frames: the files of each frame, the text files beside them, and the classes of the colours
// in the ground truth.

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
#include "fernwood/dataset/frame_poses.h"

namespace fernwood::dataset {

/// Required files of a folder, for error messages.
inline constexpr const char* kExpectedFiles = "<name>_colors.png or .jpg, <name>_depth.png and <name>_ground_truth.png";

/// Assumed frames per second of a recording without timestamps.
inline constexpr double kUnknownRateHz = 30;

/// As read_times(), from a text: lines of a frame's name and its seconds; lines that begin with # and an incomplete
/// last line are skipped. @param path  For messages. @throws Error(kData) naming the first invalid line.
std::map<std::string, double> parse_times(const std::filesystem::path& path, const std::string& text);

/// Contents of a folder; lists are sorted by name.
struct FolderListing {
  /// Frames with their existing files. Of several colour files of one frame the PNG is chosen; of a recording that
  /// stopped early, only complete frames are listed.
  std::vector<FrameFiles> frames;
  std::vector<std::string> unlisted;  ///< Frames that seem complete, though times.txt lists only others.
  std::vector<std::string> others;    ///< Files that do not belong to a frame.
  std::vector<std::string> folders;
};
/// If the folder has no frames of its own, those of the recordings in it: sub-folders with frames and times.txt and
/// without dataset.toml. A frame's name then begins with that of its recording: "room0000_frame0012".
/// @throws Error(kData) when the folder is missing or not a folder, and when recordings give two frames one name;
///         Error(kRuntime) when it cannot be read.
FolderListing list_folder(const std::filesystem::path& folder);

/// The folder itself when it holds frames, else its sub-folder for the split ("val" and "validation" serve as "test").
/// @throws Error(kData) as list_folder(), and when neither holds a frame.
std::filesystem::path find_frame_folder(const std::filesystem::path& folder, const std::string& split_hint);

/// The folder of a file: "." for a bare name, for which the standard library returns an empty path.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// dataset.toml of the folder, else of its parent.
std::optional<std::filesystem::path> find_config_file(const std::filesystem::path& folder);

/// `max_frames` of the frames, evenly spread; all of them for 0.
std::vector<FrameFiles> take_evenly(std::vector<FrameFiles> frames, std::size_t max_frames);

/// A missing file of a frame: its role, and its name for messages.
struct MissingPartner {
  FrameRole role;
  std::string frame, file_name;
};
/// Files that a frame lacks although other frames have them; ground truth counts only when it is needed.
std::vector<MissingPartner> missing_partners(const std::vector<FrameFiles>& frames, bool needs_truth);
/// The sentence about a missing file. @param note  The remedy; empty: adding the file.
std::string sentence(const std::filesystem::path& folder, const MissingPartner& missing, const std::string& note = "");

/// Reads dataset.toml. @throws Error(kData) naming file, line and key, for a syntax error, an unknown key or a value of
/// the wrong type or range.
DatasetConfig read_dataset_config(const std::filesystem::path& path);

/// As read_dataset_config(), from a text. @param path  For messages.
DatasetConfig parse_dataset_config(std::string_view text, const std::filesystem::path& path);

/// List of the cameras of single frames, beside them: lines NAME WIDTH HEIGHT FX FY CX CY.
inline constexpr const char* kFrameCameras = "frame_cameras.txt";
/// [frame] @param path  For messages. @throws Error(kData) naming the line, for an invalid one and for a frame listed
/// twice.
std::map<std::string, image::Camera> parse_frame_cameras(const std::string& text, const std::filesystem::path& path);
/// A line of frame_cameras.txt.
std::string camera_line(const std::string& frame, const image::Camera& camera);

/// The settings of a folder for all commands: dataset.toml in it or above it, and the camera of each frame. In order of
/// precedence: frame_cameras.txt beside the frame; `camera` of dataset.toml; camera-intrinsics.txt (the camera's
/// matrix, 3 x 3 or 4 x 4 numbers) beside the frame or in the folder above. @throws Error(kData) for a damaged file.
DatasetConfig read_folder_config(const std::filesystem::path& folder, const std::vector<FrameFiles>& frames);
/// Adds the cameras that files beside the frames describe, as read_folder_config() does.
void find_cameras(const std::vector<FrameFiles>& frames, DatasetConfig& config);
/// Where all frames have the same camera of their own, makes it that of the data set.
void settle_cameras(std::size_t num_frames, DatasetConfig& config);

/// A camera from the first two rows of its matrix, for images of a size. @param matrix  With `stride` columns.
image::Camera camera_of_matrix(const std::vector<double>& matrix, std::size_t stride, const FrameSize& size);

/// Reads NAME_up.txt: three numbers. @throws Error(kData) for other contents, Error(kRuntime) when it cannot be read.
image::Vector3 read_up_file(const std::filesystem::path& path);
/// As read_up_file(), from a text. @param path  For messages.
image::Vector3 parse_up(const std::string& text, const std::filesystem::path& path);

/// Parses groups.txt: each line has the name of a frame, white space, and the name of its group; empty lines and those
/// that begin with # are skipped.
/// @param path       For messages.
/// @param names      [frame] Other names in the file are ignored, since only some of the frames may be used.
/// @param needs_all  False: each frame that the file does not list is a group of its own.
/// @return  [frame] Number of its group, in order of the groups' first frames.
/// @throws Error(kData) naming the line, for a line without two words or a frame listed twice, and for a frame without
///         a group.
std::vector<std::uint32_t> parse_groups(const std::string& text, const std::filesystem::path& path,
                                        const std::vector<std::string>& names, bool needs_all = true);

// From colours in ground-truth images to classes.

inline constexpr std::size_t kMaxDiscoveredColors = 4096;

struct ColorCount {
  image::Rgb color;
  std::uint64_t num_pixels = 0;
  std::uint64_t num_solid = 0;    ///< Images in which it fills 3 x 3 pixels somewhere.
  std::uint64_t num_tested = 0;   ///< Pixels in other images that were compared with their neighbours.
  std::uint64_t num_between = 0;  ///< Of these, pixels whose colour lies between those on two sides.
  std::uint64_t num_near = 0;     ///< Of these, other pixels whose colour is near that of a neighbour.

  ColorCount& operator+=(const ColorCount& more);
};

std::uint32_t packed(image::Rgb color);   ///< 0xrrggbb
std::string to_hex(image::Rgb color);     ///< "#rrggbb"
std::string to_option(image::Rgb color);  ///< "r,g,b": shells treat "#rrggbb" as a comment.
std::string to_string(image::Rgb color);  ///< "(r, g, b)"
std::string to_string(
    const std::vector<image::ClassInfo>& classes);  ///< 'floor (7, 54, 66), ...', shortened when long.

/// Where a colour may have a class number: bit 0 in three equal channels, bits 1 to 3 in red, green or blue alone.
unsigned number_channels(image::Rgb color);

/// "the classes a and b have the same colour (1, 2, 3)", for the first such classes; empty if all colours differ.
std::string same_color_problem(const std::vector<image::ClassInfo>& classes);

/// The colours of an image with their counts, ascending by packed(). Counting stops when it finds more than
/// kMaxDiscoveredColors colours; the result then has more than that number.
/// @param may_be_blended  False for class numbers, whose colours are arbitrary: a number between two others may well be
/// a class.
std::vector<ColorCount> count_colors(const Array2<image::Rgb>& image, bool may_be_blended = true);
/// @throws Error(kData) for more than kMaxDiscoveredColors colours. @param where  File or folder for the message.
void check_few_colors(const std::vector<ColorCount>& counts, const std::filesystem::path& where);
/// Adds `more` to `total`; both are ascending.
void add_counts(const std::vector<ColorCount>& more, std::vector<ColorCount>* total);

/// The name of one of the four NYU Depth v2 classes in their customary colours, else "#rrggbb".
std::string class_name_of(image::Rgb color);

/// Void colours of a data set: black unless it is a class, and those of dataset.toml and of the options.
std::vector<image::Rgb> void_colors_of(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors);
/// The classes of dataset.toml or, if it lists none, of the colours found; without the void colours.
/// @throws Error(kData) when the background class named by dataset.toml is missing.
image::ClassMap make_class_map(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors,
                               const std::vector<ColorCount>& found);
/// Probable problems of discovered classes, for users: one sentence each.
std::vector<std::string> discovery_warnings(const image::ClassMap& classes, const std::vector<ColorCount>& found,
                                            const std::filesystem::path& folder);

}  // namespace fernwood::dataset
