// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Data sets and labels of other programs, turned into a folder in the native layout.

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

struct ImportOptions {
  std::filesystem::path in = {};      ///< The file or the folder that the format has.
  std::filesystem::path images = {};  ///< Folder of the pictures that an annotation file names; empty: found beside it.
  /// Paths below `in` with {} for a frame's name, for the format folders; depth: for all formats. Of rosbag: topics.
  std::string colors = {}, depth = {}, labels = {};
  /// A list of classes: CSV of number and name, a name a line, or JSON; empty: as the format says.
  std::filesystem::path classes = {};
  std::string background = {};                   ///< Class of pixels that no annotation covers; empty: they are void.
  std::optional<double> depth_scale_to_mm = {};  ///< Millimetres per step of depth; empty: as the format says.
  /// Depth whose confidence is less is unknown, where a format has confidences (0 low, 1 medium, 2 high), [0, 2].
  std::optional<int> min_confidence = {};  ///< Empty: 1.

  static OptionTable<ImportOptions> table();  ///< But for `in`.
};

/// Where a camera was: p_world = rotation p_camera + position, the camera's x to the right, y down, z ahead.
struct CameraPose {
  std::array<double, 3> position_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< A quaternion of length 1: x, y, z, w.
};

/// A frame that was found.
struct ImportedFrame {
  std::string name;                    ///< As a file's, unique within its split.
  std::string split;                   ///< "train", "test" or "val"; empty: the format has none.
  std::string group;                   ///< Frames of one scene, which cross-fitting must not part; may be empty.
  std::filesystem::path color, depth;  ///< Files, or empty.
  std::function<Array2<image::Rgb>()> read_color = {};        ///< Where no file has it as it is.
  std::function<Array2<std::uint16_t>()> read_depth_mm = {};  ///< Where a file has it in a coding of its own.
  std::function<image::LabelImage(const FrameSize& of_color)> labels =
      {};  ///< Indices of classes or kVoid; empty: no truth.
  std::optional<image::Vector3> up = {};
  std::optional<CameraPose> pose = {};
  /// Files that are as the layout and ImportPlan::config have them, or empty: truth in place of `labels`, `up` and
  /// maps.
  std::filesystem::path truth_file = {}, up_file = {}, maps_file = {};

  bool has_labels() const { return labels != nullptr || !truth_file.empty(); }
  bool has_depth() const { return !depth.empty() || read_depth_mm != nullptr; }
};

/// What an import will write, and what was assumed.
struct ImportPlan {
  DatasetConfig config;  ///< Classes, camera, and how depth files are read.
  std::vector<ImportedFrame> frames;
  std::vector<std::string> notes = {};     ///< A sentence each: what was assumed, and what is not used.
  std::shared_ptr<const void> keeps = {};  ///< What functions of frames refer to.
  bool reads_in_order = false;             ///< read_color is for one frame after another, as of a video.
};

/// A row of the table of formats.
struct ImportFormat {
  std::string_view name;     ///< "coco"
  std::string_view summary;  ///< A line for help.
  std::string_view reads;    ///< What ImportOptions::in is: "annotations.json".
  std::string_view example;  ///< The same as somebody types it, with the options that it needs.
  ImportPlan (*plan)(const ImportOptions& options);
  std::vector<std::string_view> own_options = {};  ///< Rows of ImportOptions besides depth-scale, which all have.

  /// Whether the format has a use for an option of ImportOptions::table().
  bool has(std::string_view option) const;
};
/// All formats, in alphabetical order.
const std::vector<ImportFormat>& import_formats();
/// @throws Error(kUsage) for another name, with the nearest one.
const ImportFormat& find_import_format(const std::string& name);

/// Looks at what there is, without reading pixels. @throws Error(kData) for files that are damaged or of another
/// format, naming file, rule and remedy; Error(kUsage) for options that the format does not have or lacks.
ImportPlan plan_import(const std::string& format, const ImportOptions& options);

/// Writes the frames of a plan to a new folder in the native layout: files as hard links where they are as the layout
/// has them (copies on another file system), truth as palette PNG, dataset.toml, groups.txt, and poses.txt (a line a
/// frame: its name, position and quaternion, in the order of TUM). A folder beside `out`
/// takes them first and is renamed in the end, so that nothing half-written has its name.
/// @throws Error(kUsage) for a folder that holds files; Error(kData) for what cannot be read; kRuntime or kResource for
///         what cannot be written.
void write_import(const ImportPlan& plan, const std::filesystem::path& out, ThreadPool& pool,
                  const ProgressCallback& progress = {});

}  // namespace fernwood::dataset
