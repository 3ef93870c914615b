// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Conversion of data sets and labels of other programs into a folder in the native layout.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/frame_poses.h"

namespace fernwood::formats {

struct ImportOptions {
  std::filesystem::path in = {};      ///< The file or folder to import, see ImportFormat::reads.
  std::filesystem::path images = {};  ///< Folder of the pictures that annotations refer to; empty: found beside them.
  /// Paths below `in` with {} for a frame's name, for the format folders; `depth` also for formats of annotations. For
  /// rosbag: topics.
  std::string colors = {}, depth = {}, labels = {};
  /// List of classes: CSV of number and name, one name per line, or JSON; empty: as defined by the format.
  std::filesystem::path classes = {};
  std::string background = {};                   ///< Class of pixels that no annotation covers; empty: they are void.
  std::optional<double> depth_scale_to_mm = {};  ///< Millimetres per step of depth; empty: as defined by the format.
  /// Depth of lower confidence becomes unknown, in formats with confidences (0 low, 1 medium, 2 high), [0, 2].
  std::optional<int> min_confidence = {};  ///< Empty: 1.
  std::stop_token stop = {};               ///< Ends reading by Error(kInterrupted).

  static OptionTable<ImportOptions> table();  ///< All options but `in` and `stop`.
};

/// Ground truth of a frame.
struct ImportedTruth {
  image::LabelImage labels;        ///< Class indices or kVoid.
  image::InstanceImage instances;  ///< See dataset::Dataset::read_instances(); empty: unknown.

  ImportedTruth(image::LabelImage of_classes, image::InstanceImage of_objects = {})
      : labels(std::move(of_classes)), instances(std::move(of_objects)) {}
};

/// A frame found by an import.
struct ImportedFrame {
  std::string name;                    ///< One plain file name, unique within its split.
  std::string split;                   ///< "train", "test", "val" or another plain file name; empty: none.
  std::string group;                   ///< Its scene; cross-fitting must not separate a group. May be empty.
  std::filesystem::path color, depth;  ///< Files, or empty.
  std::function<Array2<image::Rgb>()> read_color = {};        ///< For colour that is not stored as an image file.
  std::function<Array2<std::uint16_t>()> read_depth_mm = {};  ///< For depth in an encoding specific to the format.
  std::function<ImportedTruth(const dataset::FrameSize& of_color)> truth = {};  ///< Empty: no ground truth.
  std::optional<image::Vector3> up = {};
  std::optional<dataset::CameraPose> pose = {};
  std::optional<image::Camera> camera = {};  ///< Empty: that of ImportPlan::config.
  /// Files that conform to the native layout and ImportPlan::config already, or empty: ground truth (in place of
  /// `truth`) and instances, up direction (in place of `up`) and feature maps.
  std::filesystem::path truth_file = {}, instances_file = {}, up_file = {}, maps_file = {};

  bool has_labels() const { return truth != nullptr || !truth_file.empty(); }
  bool has_color() const { return !color.empty() || read_color != nullptr; }
  bool has_depth() const { return !depth.empty() || read_depth_mm != nullptr; }
};

/// What an import leaves out or changes, counted by reason: while it is planned, and while its frames are read.
class ImportReport {
 public:
  /// @param reason  "left out: points, which cover no pixel". Threads may add at the same time.
  void add(const std::string& reason, std::size_t count = 1);
  const std::map<std::string, std::size_t>& counts() const { return counts_; }

 private:
  std::mutex mutex_;
  std::map<std::string, std::size_t> counts_;
};

/// Everything that an import will write, and its assumptions.
struct ImportPlan {
  dataset::DatasetConfig
      config;  ///< Classes, depth scale, and the camera; without camera_origin, the usual one of the format.
  std::vector<ImportedFrame> frames;
  std::vector<std::string> notes = {};  ///< Assumptions, and data that is not used: one sentence each.
  std::shared_ptr<ImportReport> report = std::make_shared<ImportReport>();
  std::shared_ptr<const void> keeps = {};  ///< Owner of the data that functions of frames refer to.
  bool reads_in_order = false;             ///< read_color must be called in the order of frames, as for a video.

  std::vector<std::string> all_notes() const;  ///< With those of the report, which is complete when all was read.
};

/// A row of the table of formats.
struct ImportFormat {
  std::string_view name;     ///< "coco"
  std::string_view summary;  ///< One line for the help text.
  std::string_view reads;    ///< What ImportOptions::in must be: "annotations.json".
  std::string_view example;  ///< Arguments on a command line, with the options that the format needs.
  ImportPlan (*plan)(const ImportOptions& options);
  std::vector<std::string_view> own_options = {};  ///< Supported options besides depth-scale, which all formats have.

  /// Whether the format supports an option of ImportOptions::table().
  bool has(std::string_view option) const;
};
/// All formats, in alphabetical order.
const std::vector<ImportFormat>& import_formats();
/// @throws Error(kUsage) for an unknown name, suggesting the nearest one.
const ImportFormat& find_import_format(const std::string& name);

/// Finds the frames to import, without reading pixels. @throws Error(kData) for files that are damaged or of another
/// format, with file, rule and remedy; Error(kUsage) for options that the format does not support, or missing ones.
ImportPlan plan_import(const std::string& format, const ImportOptions& options);

/// Writes the frames of a plan to a new folder in the native layout: files that conform to the layout as hard links
/// (copies on another file system), ground truth as palette PNG, dataset.toml, groups.txt, and poses.txt (one line per
/// frame: name, position and quaternion, in the order of TUM). They are first written to a folder beside `out`, which
/// is renamed at the end, so that `out` is never incomplete.
/// @throws Error(kUsage) for a folder that contains files; Error(kData) for a file that cannot be read, and for names
///         of frames and splits that are not plain file names or not unique; Error(kRuntime) or Error(kResource) when
///         writing fails.
void write_import(const ImportPlan& plan, const std::filesystem::path& out, ThreadPool& pool,
                  const ProgressCallback& progress = {});

/// Reads all that write_import() reads, without writing. @throws Error(kData) as write_import().
void check_import(const ImportPlan& plan, ThreadPool& pool, const ProgressCallback& progress = {});

/// describe_cameras() of the frames.
std::string camera_text(const ImportPlan& plan);

/// The folder to open after write_import(): that of the split "train", else `out` if it holds frames, else that of the
/// first split.
std::filesystem::path folder_to_open(const ImportPlan& plan, const std::filesystem::path& out);

/// Makes one split of all, as if the format had none: a name then begins with that of its split.
void join_splits(std::vector<ImportedFrame>& frames);

// Operations on data sets before training: each returns the plan of a new folder, which write_import() writes with hard
// links in place of copies.

struct SplitOptions {
  double test = 0.2;       ///< Share of the frames for the split "test", [0, 1).
  double val = 0;          ///< Share for the split "val", [0, 1); the sum of both is less than 1.
  std::uint64_t seed = 1;  ///< The same seed gives the same splits.

  static OptionTable<SplitOptions> table();
  void check() const;  ///< @throws Error(kUsage) naming the first invalid option.
};
/// Divides frames into "train", "test" and optionally "val". Frames of one group (groups.txt) stay together. Of 200
/// random divisions, the plan uses the one whose splits are nearest to the requested shares, in pixels of each class
/// and in frames.
/// @throws Error(kData) for data without ground truth or with fewer groups than splits.
ImportPlan plan_split(const dataset::Dataset& data, const SplitOptions& options, ThreadPool& pool);

/// Selects `count` frames, evenly spread. @throws Error(kUsage) for a count of 0 or beyond the number of frames.
ImportPlan plan_sample(const dataset::Dataset& data, std::size_t count, ThreadPool& pool);

/// Combines the frames of several folders. Classes of the same name are merged; the groups of different folders stay
/// separate, and a folder without groups becomes one group.
/// @throws Error(kData) for folders with different kinds of images, cameras or depth scales.
ImportPlan plan_merge(const std::vector<dataset::Dataset>& all, ThreadPool& pool);

/// Renames and merges classes. @param table  [old name] The new name; empty: void. Classes not listed are unchanged.
/// @throws Error(kUsage) for a name that is not a class.
ImportPlan plan_remap(const dataset::Dataset& data, const std::map<std::string, std::string>& table, ThreadPool& pool);
/// Reads a table for plan_remap(): lines of an old and a new name separated by a comma, a tab or "->", or a JSON
/// object.
/// @throws Error(kData) for another text.
std::map<std::string, std::string> read_class_table(const std::filesystem::path& path);

struct ImportNyuOptions {
  std::filesystem::path labeled_mat;  ///< nyu_depth_v2_labeled.mat (MATLAB 7.3).
  std::filesystem::path splits_mat;   ///< splits.mat: trainNdxs and testNdxs.
  std::filesystem::path out;          ///< Folder to create, or an empty one; never incomplete.
  int classes = 4;                    ///< 4 (structural), 13 or 40.
  bool raw_depth = false;             ///< Depth as measured, with holes, instead of filled in.

  static OptionTable<ImportNyuOptions> table();  ///< All options but the files and the folder.
  void check() const;                            ///< @throws Error(kUsage) naming the first invalid option.
};

/// Converts the labelled part of NYU Depth v2 (Silberman et al., ECCV 2012) to the native layout: `out`/train and
/// `out`/test with NNNN_colors.png, NNNN_depth.png (mm) and NNNN_ground_truth.png, NNNN being the frame's 1-based
/// number in the .mat file, and `out`/dataset.toml with the classes. Frames in neither split are left out.
///
/// Labels are identified by name if the file has the variable `names`, else by the standard numbering 1 ... 894;
/// datasets/nyu maps names to classes. Only a few frames are in memory at a time.
/// @param progress  Counts frames.
/// @throws Error(kData) for input that is missing, damaged or not of the form above, before anything is written, except
///         for labels and damage that are detected only while pixels are read; Error(kUsage) for invalid options, for
///         an output folder in use and in a build without matio; Error(kRuntime) for an output folder that cannot be
///         written.
void import_nyu(const ImportNyuOptions& options, ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::formats
