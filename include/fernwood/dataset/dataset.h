// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/depth_check.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::dataset {

/// The files of one frame; a path is empty where the data set has no such file.
struct FrameFiles {
  std::string name;  ///< The part before `_colors`, `_depth`, `_ground_truth`, `_up`, `_maps`.
  std::filesystem::path color, depth, truth;
  std::filesystem::path up;    ///< Where up is, for this frame alone.
  std::filesystem::path maps;  ///< Feature maps that somebody else computed, see read_maps().
};

/// What a pixel of ground truth holds: the colour of its class, or the number of its class.
enum class LabelEncoding { kColors, kIndex };

/// What `dataset.toml` says about a folder of frames; every key is optional. See docs/reference/datasets.md.
struct DatasetConfig {
  std::vector<image::ClassInfo> classes;     ///< [[classes]] name, color; empty: discovered from the ground truth.
  std::vector<image::Rgb> ignored_colors;    ///< ignored_colors; black is always ignored.
  std::optional<LabelEncoding> labels;       ///< labels: "colors" or "index"; empty: what the first frame's truth is.
  std::vector<std::uint16_t> class_indices;  ///< [class] index: its number where labels are numbers.
  std::optional<std::vector<std::uint16_t>> ignore_index;  ///< ignore_index: numbers of void; empty: 255 and 65535.
  std::optional<double> depth_scale_to_mm;  ///< depth_scale: millimetres per step; empty: 1, and 1000 of float arrays.
  int depth_missing = 0;                    ///< depth_missing: the value that means unknown.
  std::string background;                   ///< background: class left out by the accuracy "without background".
  std::optional<image::Camera> camera;      ///< sensor or camera: what took the frames; empty: nobody says.
  /// depth_camera, depth_to_color: of depth that is not aligned to colour; empty: it is.
  std::optional<image::CameraPair> cameras;
  image::Vector3 up = image::kImageUp;  ///< up: about where up is in all frames, see Frame::up.
};

struct DatasetOptions {
  std::vector<image::Rgb> ignored_colors;  ///< Besides those of dataset.toml.
  bool needs_truth = true;                 ///< Training and evaluation need ground truth, prediction does not. Else
                                           ///< frames have it where it is there, and Dataset::truth_problem() is empty.
  std::size_t max_frames = 0;              ///< Take only so many frames, evenly spread over the folder; 0: all.

  static OptionTable<DatasetOptions> table();  ///< But for needs_truth.
};

/// Of a frame, in pixels.
struct FrameSize {
  std::size_t rows = 0, cols = 0;
};

/// Frames that a caller has in memory, or makes when they are asked for. Functions are called from many threads at
/// once, and again for the same frame where training has no room to keep it; they must give the same pixels then.
struct InMemoryFrames {
  std::size_t num_frames = 0;                                  ///< At least 1.
  std::function<image::Frame(std::size_t frame)> frame;        ///< All have colour, or none has; likewise depth.
  std::function<image::LabelImage(std::size_t frame)> labels;  ///< Indices of config.classes, or kVoid; may be empty.
  std::function<FrameSize(std::size_t frame)> size = {};  ///< Of a frame, where that is faster to say than to make it.
  /// Frames that are kept prepared from one training to the next; null where one is not, or may be empty.
  std::function<std::shared_ptr<const image::PreparedFrame>(std::size_t frame, const image::Preparation&)> prepared =
      {};
  /// Adds some depths of a frame as they were given, where frame() has converted them; empty: those of frame().
  std::function<void(std::size_t frame, DepthHistogram& depths)> add_depths = {};
  DepthOrigin depth_origin = DepthOrigin::kIntegers;  ///< Of what add_depths() adds.
  std::vector<std::string> names = {};                ///< [frame] for messages; empty: "0", "1" …
  std::vector<std::uint32_t> groups = {};             ///< [frame] as Dataset::groups(), or empty.
  DatasetConfig config = {};                          ///< Classes where there are labels; depth is in mm.
  std::string name = "the frames in memory";          ///< In place of a folder's, in messages.
};

/// A frame with its truth.
struct LabelledFrame {
  image::Frame frame;
  image::LabelImage labels;  ///< Indices of classes, or kVoid.
};
/// Frames that are held in memory, all of them with labels. @param classes  See name_classes().
InMemoryFrames supply_of(std::vector<LabelledFrame> frames, std::vector<image::ClassInfo> classes);

/// Classes that have names alone: with colours that differ from each other and from black, those of PASCAL VOC.
std::vector<image::ClassInfo> name_classes(const std::vector<std::string>& names);

/// Labelled frames on disk or in memory. Opening reads names and dataset.toml only; pixels are decoded when asked for,
/// so a data set need not fit into memory. Const members may be called from many threads.
class Dataset {
 public:
  /// @param folder  Holds the frames, or has a sub-folder `split_hint` ("train", "test" or "val") that does; or, of
  ///                each, recordings: sub-folders with frames and times.txt, whose frames are taken together.
  /// @throws Error(kData) when the folder is missing or empty or a frame misses a partner.
  static Dataset open(const std::filesystem::path& folder, const DatasetOptions& options = {},
                      const std::string& split_hint = "");
  /// The same from memory: what is trained on it is, byte for byte, what is trained on files with the same pixels,
  /// classes and groups. @throws Error(kUsage) for a supply that contradicts itself; reading a frame throws
  /// Error(kData) when its sizes differ, it lacks what the first frame has, or a label is not a class.
  static Dataset from_memory(InMemoryFrames supply);

  std::size_t size() const { return frames_.size(); }
  const FrameFiles& files(std::size_t index) const { return frames_[index]; }
  const std::filesystem::path& folder() const { return folder_; }  ///< Or InMemoryFrames::name.
  const DatasetConfig& config() const { return config_; }
  bool has_color() const { return has_color_; }
  bool has_depth() const { return has_depth_; }
  bool has_maps() const { return num_maps_ > 0; }     ///< That come with the frames, see image::SuppliedMaps.
  std::size_t num_maps() const { return num_maps_; }  ///< Of each frame.
  image::FrameContent content() const { return {has_color_, has_depth_, num_maps_}; }

  /// Colour, depth, and what is known of the camera. @throws Error(kData) for a damaged file or sizes that differ
  /// within the frame.
  image::Frame read_frame(std::size_t index) const;
  /// Without decoding it. @throws Error(kData) for a damaged file.
  FrameSize frame_size(std::size_t index) const;
  /// The frame as InMemoryFrames::prepared keeps it; null where nobody does. @param preparation  Without context.
  std::shared_ptr<const image::PreparedFrame> kept_frame(std::size_t index,
                                                         const image::Preparation& preparation) const;
  /// What names and headers of the files show to be probably wrong: one sentence each.
  std::vector<std::string> file_warnings() const;
  /// What is probably wrong with the frames, for users to know before work begins: one sentence each. Reads the depth
  /// of a few frames; those that cannot be read are passed over.
  std::vector<std::string> input_warnings() const;
  /// Why the folder's ground truth is not used, so that no frame has any: a project of `fernwood teach` whose truth is
  /// not that of its strokes. A sentence with the remedy; empty where nothing is wrong.
  const std::string& truth_problem() const { return truth_problem_; }
  /// For those that take ground truth where it is there. @throws Error(kData) with truth_problem().
  void check_truth_is_current() const;
  /// The class of every pixel. @throws Error(kData) for a colour that is neither a class nor ignored.
  image::LabelImage read_labels(std::size_t index, const image::ClassMap& classes) const;

  /// The same data set with some of its frames. @param frames  Their indices, ascending.
  Dataset with_frames(const std::vector<std::uint32_t>& frames) const;

  /// [frame] Number of the group that the frame belongs to, by the recording that it is of, or the folder's groups.txt:
  /// frames of one scene, which cross-fitting must not part. Empty when there is neither.
  std::vector<std::uint32_t> groups() const;

  /// What a look at all ground truth finds. Reads every truth image once, on all threads.
  struct Scan {
    image::ClassMap classes;                  ///< From dataset.toml, else the colours found, in ascending order of RGB.
    std::vector<std::uint64_t> class_pixels;  ///< [class] labelled pixels over all frames.
    std::uint64_t void_pixels = 0;
    std::vector<std::string> warnings = {};  ///< Of colours that were found, sentences for the user.
  };
  /// @throws Error(kData) for colours that are blended of others, where no classes are listed.
  /// @param known  When given, colours outside it are an error: used with a model's classes.
  /// @param ranks  Processes that look at it together: each reads its share of the frames, and all get to know the
  /// same.
  Scan scan_truth(ThreadPool& pool, const image::ClassMap* known = nullptr, Communicator* ranks = nullptr) const;

  /// XXH3 over the pixels and classes of all frames, in order: what a model remembers of its training data. Reads them.
  /// @param ranks  As of scan_truth().
  /// @param keep   Is given each frame that is read here, on any thread: for who needs the pixels, too.
  std::uint64_t content_checksum(ThreadPool& pool, const image::ClassMap& classes, Communicator* ranks = nullptr,
                                 const std::function<void(std::size_t index, LabelledFrame frame)>& keep = {}) const;

  /// XXH3 over the names of all frames and the sizes of their files: tells folders apart without reading images.
  std::uint64_t listing_checksum() const;

 private:
  void add_depths(std::size_t index, DepthHistogram& depths) const;

  std::filesystem::path folder_;
  std::vector<FrameFiles> frames_;
  DatasetConfig config_;
  DatasetOptions options_;
  bool has_color_ = false, has_depth_ = false;
  std::size_t num_maps_ = 0;
  std::vector<std::string> folder_warnings_;  // of files that are not read
  std::string truth_problem_;
  std::shared_ptr<const InMemoryFrames> supply_;  // null: frames are files
  std::vector<std::uint32_t> supplied_;           // [frame] index in the supply
};

/// Ground truth as class colours, of both encodings: PNG and what a plug-in reads, no JPEG; for numbers also NumPy
/// arrays.
/// @param config  Its labels (empty: colours), classes and ignore_index. Without classes each number has a colour of
/// its own.
/// @throws Error(kData) for a damaged file, for what `config` does not let it be, and for a number that is no class.
Array2<image::Rgb> read_truth(const std::filesystem::path& path, const DatasetConfig& config = {});

/// Index of each colour in a class map; kVoid for void colours. Built once, asked for every pixel.
class ColorLookup {
 public:
  explicit ColorLookup(const image::ClassMap& classes);
  /// Empty for a colour that is neither a class nor void.
  std::optional<std::uint16_t> find(image::Rgb color) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint16_t>> sorted_;  // (0xrrggbb, class), ascending
};

/// Class colours for the labels of a prediction; void is black.
Array2<image::Rgb> colorize_labels(const image::LabelImage& labels, const image::ClassMap& classes);
/// Index of void in label files: the last one, which tools take for "ignore", and no class's.
inline constexpr std::uint8_t kVoidIndex = 255;
/// Writes labels as PNG in the colours of colorize_labels: up to 255 classes an 8-bit palette file, whose indices are
/// the classes and kVoidIndex; with more classes an RGB file. @param void_color  Of kVoidIndex in the palette.
void write_labels(const std::filesystem::path& path, const image::LabelImage& labels, const image::ClassMap& classes,
                  const image::Rgb& void_color = {});
/// Depth for people: near is warm, far is cool, unknown is black.
Array2<image::Rgb> colorize_depth(const Array2<std::uint16_t>& depth_mm);
/// The frame's picture (or its depth in grey) with the class colours over it at the given opacity, [0, 1].
Array2<image::Rgb> overlay_labels(const image::Frame& frame, const image::LabelImage& labels,
                                  const image::ClassMap& classes, float opacity = 0.5f);

}  // namespace fernwood::dataset
