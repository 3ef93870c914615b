// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::dataset {

// Plausibility of depths, judged by the usual size of rooms and the range of depth cameras.

/// Origin of depths, which determines the remedy for implausible ones.
enum class DepthOrigin {
  kFolder,    ///< Files in a folder, described by dataset.toml.
  kFile,      ///< One file, in millimetres.
  kIntegers,  ///< An array of whole millimetres.
  kFloats,    ///< An array of metres.
  kSource     ///< A camera or a recording, in millimetres.
};

/// Histogram of original depth values, before a scale is applied and before values out of range become unknown.
class DepthHistogram {
 public:
  /// @param to_mm    Millimetres per step of the values; floating-point values are in metres.
  /// @param missing  Value that means unknown, besides 0.
  explicit DepthHistogram(DepthOrigin origin, double to_mm = 1, int missing = 0);

  /// Adds pixels with a value. Values of 0 or below and NaN count as unknown.
  void add(double value, std::uint64_t num_pixels = 1);
  /// Adds about a thousand evenly spread pixels of a frame in host memory, which suffice to assess it; nothing for a
  /// frame without depth. Millimetres and metres are converted to the unit of the origin.
  void add_some(const image::FrameImages& frame);
  /// The same for any image. @param value_at  Returns the depth at (row, col).
  template <typename ValueAt>
  void add_some(std::size_t rows, std::size_t cols, bool is_in_metres, const ValueAt& value_at) {
    constexpr std::size_t kSampledPixels = 1024;
    const double unit = (is_in_metres ? 1000 : 1) * (origin_ == DepthOrigin::kFloats ? 0.001 : 1);
    std::size_t stride = std::max<std::size_t>(1, rows * cols / kSampledPixels);
    while (stride > 1 && std::gcd(stride, cols) > 1) ++stride;  // columns differ from row to row
    for (std::size_t pixel = stride / 2; pixel < rows * cols; pixel += stride)
      add(unit * value_at(pixel / cols, pixel % cols));
  }
  /// Adds many values. @param counts  [value] Number of pixels with the value.
  void add_counts(std::span<const std::uint64_t> counts);

  /// Whether no known depth has been added.
  bool is_empty() const { return given_.empty(); }
  /// Describes why the depths are implausible, with the likely unit: one sentence; empty if they are plausible.
  /// @param place  Beginning of the sentence.
  std::string note(const std::string& place) const;

 private:
  DepthOrigin origin_;
  double to_mm_;
  int missing_;
  std::uint64_t num_unknown_ = 0;
  std::vector<std::pair<double, std::uint64_t>> given_;  // (value, pixels), in any order
};

/// DepthHistogram::note() for a single depth image in millimetres. @throws Error as read_depth() does.
std::string depth_file_note(const std::filesystem::path& path);

/// The files of one frame; the path of a missing file is empty.
struct FrameFiles {
  std::string name;  ///< The part before `_colors`, `_depth`, `_ground_truth`, `_instances`, `_up`, `_maps`.
  std::filesystem::path color = {}, depth = {}, truth = {};
  std::filesystem::path instances = {};  ///< Ground truth of objects: 16-bit grey, the number of each pixel's object.
  std::filesystem::path up = {};         ///< Up direction of this frame only.
  std::filesystem::path maps = {};       ///< Feature maps supplied by the user, see read_maps().
};

/// Encoding of ground-truth images: a pixel holds the colour or the number of its class.
enum class LabelEncoding { kColors, kIndex };

/// Contents of `dataset.toml`; every key is optional. See docs/reference/datasets.md. In addition, the cameras that
/// files beside the frames describe.
struct DatasetConfig {
  std::vector<image::ClassInfo>
      classes;  ///< [[classes]] name, color, and things; empty: discovered from the ground truth.
  std::vector<image::Rgb> ignored_colors;    ///< ignored_colors; black is always ignored.
  std::optional<LabelEncoding> labels;       ///< labels: "colors" or "index"; empty: detected in the first frame.
  std::vector<std::uint16_t> class_indices;  ///< [class] index: its number, for labels of kIndex.
  std::optional<std::vector<std::uint16_t>> ignore_index;  ///< ignore_index: numbers of void; empty: 255 and 65535.
  std::optional<double> depth_scale_to_mm;  ///< depth_scale: millimetres per step; empty: 1, or 1000 for float arrays.
  int depth_missing = 0;                    ///< depth_missing: the value that means unknown.
  std::string background;                   ///< background: class excluded from the accuracy "without background".
  std::optional<image::Camera> camera;      ///< sensor or camera: the camera of the frames; empty: unknown.
  std::map<std::string, image::Camera> frame_cameras;  ///< [frame] Cameras of frames that do not have `camera`.
  std::string camera_origin;                           ///< File or topic that describes the cameras; empty: assumed.
  /// depth_camera, depth_to_color: both cameras, for depth that is not registered to colour; empty: it is registered.
  std::optional<image::CameraPair> cameras;
  image::Vector3 up = image::kImageUp;  ///< up: approximate up direction of all frames, see Frame::up.

  bool has_camera() const { return camera || !frame_cameras.empty(); }
  std::optional<image::Camera> camera_of(const std::string& frame) const;
};

/// Cameras in words, for reports: "varies from frame to frame, fx 30 to 60, from FILE"; empty if none is known.
/// @param cameras  [frame] @param origin  As DatasetConfig::camera_origin.
std::string describe_cameras(const std::vector<std::optional<image::Camera>>& cameras, const std::string& origin);

struct DatasetOptions {
  std::vector<image::Rgb> ignored_colors;  ///< In addition to those of dataset.toml.
  bool needs_truth = true;     ///< Ground truth is required, as for training and evaluation. False: it is used where it
                               ///< exists and Dataset::truth_problem() is empty.
  std::size_t max_frames = 0;  ///< Maximum number of frames, evenly spread over the folder; 0: all.

  static OptionTable<DatasetOptions> table();  ///< All options but needs_truth.
};

class ColorLookup;

/// Size of a frame, in pixels.
struct FrameSize {
  std::size_t rows = 0, cols = 0;
};

/// Random access to the frames of a data set, by their numbers: files in a folder, or frames in memory. The functions
/// are called from many threads concurrently.
class DatasetFrames {
 public:
  virtual ~DatasetFrames() = default;
  /// @param content  That of the first frame.
  virtual image::Frame read_frame(std::size_t number, const image::FrameContent& content) const = 0;
  /// @param lookup  Labels of the colours of the data's classes, among `classes`.
  virtual image::LabelImage read_labels(std::size_t number, const image::ClassMap& classes,
                                        const ColorLookup& lookup) const = 0;
  /// Whether the frame has instance truth, which read_instances() gives.
  virtual bool has_instances(std::size_t) const { return false; }
  virtual image::InstanceImage read_instances(std::size_t) const { return {}; }
  virtual FrameSize size(std::size_t number) const = 0;
  /// The camera that the frame itself has, in place of one of DatasetConfig.
  virtual std::optional<image::Camera> camera(std::size_t) const { return std::nullopt; }
  /// Adds a sample of the frame's depths in their original unit.
  virtual void add_depths(std::size_t number, DepthHistogram& depths) const = 0;
  /// The prepared frame, if it is cached between trainings; else null.
  virtual std::shared_ptr<const image::PreparedFrame> prepared(std::size_t, const image::Preparation&) const {
    return nullptr;
  }
};

/// Frames that the caller holds in memory, or computes on request, repeatedly for the same frame where training lacks
/// the memory to keep it; the pixels must be the same each time.
class InMemoryFrames : public DatasetFrames {
 public:
  virtual image::Frame frame(std::size_t number) const = 0;  ///< Colour is in all frames or in none; likewise depth.
  virtual image::LabelImage labels(std::size_t number) const = 0;  ///< Indices of config.classes, or kVoid.
  /// The object of each pixel, see Dataset::read_instances(); empty without instance truth.
  virtual image::InstanceImage instances(std::size_t) const { return {}; }
  // These compute the frame, unless they are overridden.
  FrameSize size(std::size_t number) const override;
  std::optional<image::Camera> camera(std::size_t number) const override;
  void add_depths(std::size_t number, DepthHistogram& depths) const override;

  image::Frame read_frame(std::size_t number, const image::FrameContent& content) const final;
  image::LabelImage read_labels(std::size_t number, const image::ClassMap& classes,
                                const ColorLookup& lookup) const final;
  bool has_instances(std::size_t number) const final { return !instances(number).empty(); }
  image::InstanceImage read_instances(std::size_t number) const final;
  std::string frame_name(std::size_t number) const { return names.empty() ? std::to_string(number) : names[number]; }
  void check() const;  ///< @throws Error(kUsage) as Dataset::from_memory().

  std::size_t num_frames = 0;                         ///< At least 1.
  bool has_labels = true;                             ///< False: labels() is not called.
  DepthOrigin depth_origin = DepthOrigin::kIntegers;  ///< Origin of the depths of add_depths().
  std::vector<std::string> names = {};                ///< [frame] Names in messages; empty: "0", "1" …
  std::vector<std::uint32_t> groups = {};             ///< [frame] See Dataset::groups(); or empty.
  DatasetConfig config = {};                          ///< Must list the classes if there are labels; depth is in mm.
  std::string name = "the frames in memory";          ///< Name in messages, in place of a folder's.
  std::optional<encoder::EncoderInfo> encoder = {};   ///< What computed the maps of the frames, if it was an encoder.
};

/// A frame with its ground truth.
struct LabelledFrame {
  image::Frame frame;
  image::LabelImage labels;             ///< Indices of classes, or kVoid.
  image::InstanceImage instances = {};  ///< See Dataset::read_instances(), which alone gives them; empty: unknown.
};
/// Labelled frames that are held in memory. @param classes  See name_classes().
std::shared_ptr<InMemoryFrames> supply_of(std::vector<LabelledFrame> frames, std::vector<image::ClassInfo> classes);

/// Classes with the given names and the colours of PASCAL VOC, which are distinct and not black.
std::vector<image::ClassInfo> name_classes(const std::vector<std::string>& names);

/// Labelled frames on disk or in memory. Opening reads only file names and dataset.toml; pixels are decoded on request,
/// so a data set need not fit into memory. Const members may be called from many threads.
class Dataset {
 public:
  /// @param folder  Contains the frames, or a sub-folder `split_hint` ("train", "test" or "val") with the frames. In
  ///                place of frames, either may contain recordings (sub-folders with frames and times.txt), whose
  ///                frames are combined.
  /// @throws Error(kData) when the folder is missing or empty, or a frame lacks one of its images.
  static Dataset open(const std::filesystem::path& folder, const DatasetOptions& options = {},
                      const std::string& split_hint = "");
  /// A data set in memory. Models trained on it are byte for byte those trained on files with the same pixels, classes
  /// and groups. @throws Error(kUsage) for an inconsistent supply. Reading a frame throws Error(kData) when the sizes
  /// of its images differ, when it lacks an image that the first frame has, or when a label is not a class.
  static Dataset from_memory(std::shared_ptr<const InMemoryFrames> supply);

  std::size_t size() const { return numbers_.size(); }
  /// In memory, only the name.
  const FrameFiles& files(std::size_t index) const { return (*files_)[numbers_[index]]; }
  std::vector<std::string> names() const;  ///< [frame]
  bool is_in_memory() const { return depth_origin_ != DepthOrigin::kFolder; }
  const std::filesystem::path& folder() const { return folder_; }  ///< In memory: InMemoryFrames::name.
  const DatasetConfig& config() const { return config_; }
  bool has_color() const { return content_.color; }
  bool has_depth() const { return content_.depth; }
  bool has_maps() const { return num_maps() > 0; }  ///< Whether frames have feature maps, see image::SuppliedMaps.
  std::size_t num_maps() const { return content_.num_maps; }  ///< Feature maps per frame.
  const image::FrameContent& content() const { return content_; }

  /// Reads colour, depth, feature maps, and the camera if known. @throws Error(kData) for a damaged file or for images
  /// of different sizes.
  image::Frame read_frame(std::size_t index) const;
  /// The camera of frames without their own: that of config(), else that of the first frame.
  std::optional<image::Camera> camera() const;
  /// describe_cameras() of all frames.
  std::string camera_text() const;
  /// image::camera_note() for these frames.
  std::string camera_note(const image::Preparation& preparation) const;
  /// Size of a frame, without decoding it. @throws Error(kData) for a damaged file.
  FrameSize frame_size(std::size_t index) const { return frames_->size(numbers_[index]); }
  /// As DatasetFrames::prepared(). @param preparation  Without context.
  std::shared_ptr<const image::PreparedFrame> kept_frame(std::size_t index,
                                                         const image::Preparation& preparation) const {
    return frames_->prepared(numbers_[index], preparation);
  }
  /// Probable faults that the names and headers of the files reveal: one sentence each.
  std::vector<std::string> file_warnings() const;
  /// Probable faults of the frames, for the user before work begins: one sentence each. Reads the depth of a few
  /// frames; frames that cannot be read are skipped.
  std::vector<std::string> input_warnings() const;
  /// Why the folder's ground truth is not used, in which case frames have none: in a project of `fernwood teach`, it
  /// does not match the strokes. A sentence with the remedy; empty if there is no problem.
  const std::string& truth_problem() const { return truth_problem_; }
  /// For callers that use ground truth where it exists. @throws Error(kData) with truth_problem(), if any.
  void check_truth_is_current() const;
  /// Reads the class of every pixel. Listed classes are those of `classes` with their name, or with their colour where
  /// either has only a colour or a number; pixels of others are void.
  /// @throws Error(kData) for a colour that is neither a class nor ignored, and if no listed class is in `classes`.
  image::LabelImage read_labels(std::size_t index, const image::ClassMap& classes) const;
  /// Whether a frame has instance truth; without index, whether any has.
  bool has_instances(std::size_t index) const { return frames_->has_instances(numbers_[index]); }
  bool has_instances() const;
  /// Reads the number of the object of every pixel, kNoInstance for none. An object's class is that of the ground truth
  /// at its pixels. In generated recordings and others that say so, an object has the same number in all frames.
  /// @throws Error(kData) for a frame without instance truth, and for a damaged file or one of another size.
  image::InstanceImage read_instances(std::size_t index) const;
  /// Names the listed classes that `classes` lacks, with their pixels, which read_labels() makes void; empty if it has
  /// all. Reads the ground truth only if it lacks some. @param ranks  See scan_truth().
  std::vector<std::string> class_warnings(ThreadPool& pool, const image::ClassMap& classes,
                                          Communicator* ranks = nullptr) const;

  /// The data set with maps that an encoder computes, each time a frame is read; see encoder::keep_maps().
  /// @throws Error(kUsage) if the frames have maps already; as Encoder::encode() for the first frame.
  Dataset with_encoder(std::shared_ptr<const encoder::Encoder> encoder) const;
  /// The encoder of the frames' maps; empty for other maps.
  const std::optional<encoder::EncoderInfo>& encoder() const { return encoder_; }

  /// The data set reduced to some of its frames. @param frames  Their indices, ascending.
  Dataset with_frames(const std::vector<std::uint32_t>& frames) const;

  /// [frame] Number of the frame's group, from the folder's groups.txt, else by recording. A group contains frames of
  /// one scene, which cross-fitting must not separate. Empty without groups.txt and recordings.
  /// @param needs_all  False: a frame that groups.txt does not list is a group of its own.
  std::vector<std::uint32_t> groups(bool needs_all = true) const;

  /// Result of scan_truth().
  struct Scan {
    image::ClassMap classes;                  ///< From dataset.toml, else the colours found, in ascending order of RGB.
    std::vector<std::uint64_t> class_pixels;  ///< [class] labelled pixels over all frames.
    std::uint64_t void_pixels = 0;
    std::vector<std::string> warnings = {};  ///< On the colours found: sentences for the user.
  };
  /// Reads every ground-truth image once, on all threads, and counts the pixels of each class.
  /// @param known  If given, colours outside it are an error: used with a model's classes.
  /// @param ranks  Processes that scan together: each reads its share of the frames, and all return the same result.
  /// @throws Error(kData) for colours that are blends of others, where no classes are listed.
  Scan scan_truth(ThreadPool& pool, const image::ClassMap* known = nullptr, Communicator* ranks = nullptr) const;

  /// The ground truth of a frame as runs of one colour.
  struct ColorRuns {
    std::size_t rows = 0, cols = 0;
    std::vector<std::pair<image::Rgb, std::uint32_t>> runs = {};  ///< (colour, number of pixels), row by row
  };
  /// Result of find_classes().
  struct FoundClasses {
    image::ClassMap classes;
    std::vector<std::string> warnings = {};  ///< See Scan.
    /// [frame of this rank] The ground truth, if it was read to find the classes; empty if they are listed.
    std::vector<ColorRuns> truth = {};
  };
  /// The classes of scan_truth(), before read_all(): ground truth is only read if dataset.toml does not list them.
  FoundClasses find_classes(ThreadPool& pool, Communicator* ranks = nullptr) const;

  /// Result of read_all().
  struct Content {
    /// XXH3 over the pixels and classes of all frames, in order, which a model stores to identify its training data.
    std::uint64_t checksum = 0;
    Array2<std::uint64_t> class_pixels = {};  ///< [frame][class] labelled pixels
  };
  /// Reads every frame once, on all threads; ground truth that `found` contains is not decoded again.
  /// @param ranks  See scan_truth().
  /// @param keep   Receives each frame read by this rank, on any thread, for callers that need the pixels as well.
  Content read_all(ThreadPool& pool, FoundClasses found, Communicator* ranks = nullptr,
                   const std::function<void(std::size_t index, LabelledFrame frame)>& keep = {}) const;

  /// XXH3 over the names of all frames, the sizes of their files and the encoder: distinguishes folders without reading
  /// images.
  std::uint64_t listing_checksum() const;

 private:
  void set_files(std::vector<FrameFiles> files);
  std::vector<FrameFiles> files_of_all() const;
  /// scan_truth() where no classes are listed. @param truth  Null, or has an item for each frame of this rank.
  Scan discover_classes(ThreadPool& pool, Communicator* ranks, std::vector<ColorRuns>* truth) const;

  std::filesystem::path folder_;
  DatasetConfig config_;
  DatasetOptions options_;
  image::FrameContent content_;  // of the first frame
  std::optional<encoder::EncoderInfo> encoder_;
  std::vector<std::string> folder_warnings_;  // found by open()
  std::string truth_problem_;
  DepthOrigin depth_origin_ = DepthOrigin::kFolder;
  std::vector<std::uint32_t> groups_;  // [number] of frames in memory, or empty
  // Shared with reduced data sets, which differ in `numbers_`.
  std::shared_ptr<const std::vector<FrameFiles>> files_;  // [number]
  std::shared_ptr<const DatasetFrames> frames_;
  std::vector<std::uint32_t> numbers_;  // [frame] its number in files_ and frames_
};

/// Reads ground truth of either encoding as class colours, from PNG or a format of a plug-in, but not from JPEG; class
/// numbers also from NumPy arrays.
/// @param config  Uses labels (empty: colours), classes and ignore_index. Without classes, each number is mapped to a
///                colour of its own.
/// @throws Error(kData) for a damaged file, one that `config` does not allow, and a number that is not a class.
Array2<image::Rgb> read_truth(const std::filesystem::path& path, const DatasetConfig& config = {});

/// Table from colours to the indices of a class map. Built once and queried for every pixel.
class ColorLookup {
 public:
  /// @param first  Labels of colours that precede those of `classes`.
  explicit ColorLookup(const image::ClassMap& classes,
                       const std::vector<std::pair<image::Rgb, std::uint16_t>>& first = {});
  /// Index of the class with a colour, kVoid for void colours; empty for other colours.
  std::optional<std::uint16_t> find(image::Rgb color) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint16_t>> sorted_;  // (0xrrggbb, class), ascending
};

/// Converts labels to class colours; void is black.
Array2<image::Rgb> colorize_labels(const image::LabelImage& labels, const image::ClassMap& classes);
/// Index of void in label files: the last one, by which many tools mean "ignore", and never a class.
inline constexpr std::uint8_t kVoidIndex = 255;
/// Writes labels as PNG in the colours of colorize_labels(): for up to 255 classes an 8-bit palette file, whose indices
/// are the classes and kVoidIndex; for more classes an RGB file. @param void_color  Palette colour of kVoidIndex.
void write_labels(const std::filesystem::path& path, const image::LabelImage& labels, const image::ClassMap& classes,
                  const image::Rgb& void_color = {});
/// Checks that labels of an earlier run in a folder, NAME_labels.png, have the palette that write_labels() would write,
/// by one of the files; files without a palette are not checked.
/// @throws Error(kUsage) for the palette of other classes, whose labels would mix with those of the model.
void check_same_palette(const std::filesystem::path& folder, const image::ClassMap& classes);
/// Colours depth for display: near is warm, far is cool, unknown is black.
Array2<image::Rgb> colorize_depth(const Array2<std::uint16_t>& depth_mm);
/// Blends class colours over the frame's colour image (or its depth in grey). @param opacity  Of the classes, [0, 1].
Array2<image::Rgb> overlay_labels(const image::Frame& frame, const image::LabelImage& labels,
                                  const image::ClassMap& classes, float opacity = 0.5f);

// Writes data sets as folders in the native layout.

/// The text of dataset.toml for `config`.
std::string config_text(const DatasetConfig& config);
/// Writes frame_cameras.txt to a folder of frames, if any frame has a camera of its own.
void write_frame_cameras(const std::filesystem::path& folder, const std::map<std::string, image::Camera>& cameras);

/// Writes a frame losslessly in the native layout: NAME_colors.png, NAME_depth.png and, where its up direction differs
/// from `usual_up` (that of dataset.toml), NAME_up.txt. The camera is not written: it belongs in dataset.toml.
/// @throws Error as write_file_atomically().
void write_frame(const std::filesystem::path& folder, const std::string& name, const image::Frame& frame,
                 const image::Vector3& usual_up = image::kImageUp);

/// Writes frames and labels losslessly to a folder in the native layout, with dataset.toml and, where frames have
/// groups, groups.txt: models trained on the folder are byte for byte those trained on `data`. Frames keep their names
/// where these are file names in ascending order; otherwise each name is preceded by the frame's number.
/// @param labelled  Indices of the frames that have labels, ascending.
/// @param folder    New or empty. It is first written beside its place, so that it is never incomplete.
/// @throws Error(kUsage) for a folder that contains files, and for a black class, because black is void; Error(kData)
/// for a frame that cannot be read; Error(kRuntime) or Error(kResource) when
///         writing fails.
void save_dataset(const Dataset& data, const std::vector<std::uint32_t>& labelled, const std::filesystem::path& folder,
                  ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::dataset
