// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/labels.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::predict {

/// Edge-aware smoothing of class probabilities before labels are chosen, by the recursive filter of the domain
/// transform (Gastal and Oliveira, SIGGRAPH 2011): a pixel takes from neighbours along rows and columns what the way
/// there lets through. A step from pixel to pixel is 1 + extent_px (colour difference / color + depth difference /
/// depth) long.
struct Smoothing {
  /// Standard deviation over a surface without edges, [0, 1000]; 0: no smoothing. Unset: kVideoSmoothingPx where labels
  /// are steady or for a map, else 0.
  std::optional<int> extent_px = std::nullopt;
  int color = 100;  ///< |red| + |green| + |blue| difference that is as far as extent_px, [0, 10^6]; 0: not looked at.
  float depth = 0.2f;  ///< The same for a depth difference as a share of the smaller depth, [0, 100]; 0: not looked at.

  int extent() const { return extent_px.value_or(0); }
  static OptionTable<Smoothing> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// What one frame says of a cell is noisy, and in a video is seen to be: labels that are smoothed this far, by 4 cells,
/// change a third less often from frame to frame and are more accurate (docs/notes/benchmarks_steady.md).
inline constexpr int kVideoSmoothingPx = 16;

inline constexpr int kMaxStride = 16;

struct PredictOptions {
  std::string device = "auto";  ///< "auto", "cpu" or "cuda:0" …
  int threads = 0;              ///< CPU threads; 0: all.
  std::string layout = "auto";  ///< "auto", the fastest here, or one of predict_layouts().
  Smoothing smoothing = {};     ///< Changes labels and probabilities over all trees, never those of a tree alone.
  std::string gather = "auto";  ///< Of the CPU's loops, one of forest::gather_names().
  /// Coarse to fine: trees are asked about one pixel of each cell of so many pixels each way, [1, kMaxStride], and
  /// about the others only in cells that have an edge of depth (of colour where the model reads no depth) or whose
  /// label differs from a neighbour's. The same labels on every device; 1: all pixels. Not looked at where
  /// probabilities are interpolated.
  int stride = 1;
  /// Trees are asked about one pixel of each cell alone, of image::kContextStep pixels each way, as context stages are,
  /// and probabilities are interpolated between them: for forests of many trees, and best with smoothing, which finds
  /// the edges again. Trees alone cannot be asked then. Unless it is said, for boosted forests alone.
  std::optional<bool> interpolate = std::nullopt;

  /// Frames are those of a video, in order: class probabilities are carried along the camera's motion, given or found
  /// by depth, where the same surface is still seen, and blended with those of the frame. Labels then flicker less, and
  /// no more cells are evaluated than `refresh` says; trees are asked about cells as with `interpolate`.
  bool steady = false;
  /// Of the cells of which enough is known, one in so many is evaluated in each frame, in rotation, [1, 16]; 1: all.
  int refresh = 5;
  /// Cells are evaluated in one frame of so many, key frames, [1, 16]; to those between, probabilities are carried
  /// alone, which asks neither channels nor trees nor a backbone. A frame that stands alone, or of which a fifth was
  /// not seen before, is a key frame. 0: 2 for models with a backbone and 1 for others.
  int keyframe_every = 0;

  bool interpolates(forest::ForestKind kind) const {
    return interpolate.value_or(steady || kind == forest::ForestKind::kBoosted);
  }
  int keyframes(const forest::Forest& forest) const {
    return keyframe_every > 0 ? keyframe_every : forest.preparation.num_backbone_maps() > 0 ? 2 : 1;
  }
  /// The same, with the smoothing that is done.
  PredictOptions with_usual_smoothing() const {
    PredictOptions options = *this;
    if (!smoothing.extent_px) options.smoothing.extent_px = steady ? kVideoSmoothingPx : 0;
    return options;
  }
  static OptionTable<PredictOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range. Layouts depend on the device.
};

/// The options that labels depend on, as one would write them: processes that label together must have the same.
std::string describe_labelling(const PredictOptions& options);

/// Sets options by their names, as `fernwood predict` does.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, PredictOptions& options);

/// Names of the options that say what labels a frame gets, not where and how fast; they may change while frames come.
std::vector<std::string> label_options();

/// Ways to read frames and trees on a device; all give the same labels. On the CPU: its instruction sets. On a GPU:
/// "texture", through texture objects (thesis 5.5); "l1", through the first-level cache; and for trees, as ferns have
/// no nodes to read, "packed", the same with nodes of 16 bytes, and "shared", packed with the top of each tree in
/// shared memory.
std::vector<std::string> predict_layouts(Device device, forest::ForestKind kind = forest::ForestKind::kForest);

/// What is asked of a prediction besides labels.
struct PredictRequest {
  bool probabilities = false;  ///< Per class, over all trees.
  bool per_tree = false;       ///< Labels (and probabilities, if asked for) of each tree alone.
};

/// Labels of one frame; class c of pixel (x, y) has probability `probabilities[c](y, x)`.
struct Prediction {
  image::LabelImage labels;                  ///< [rows][cols]; kVoid where every class has probability 0.
  std::vector<Array2<float>> probabilities;  ///< [class][rows][cols], if asked for.
  std::vector<Prediction> trees;             ///< [tree], if asked for.
};

/// Where a prediction goes: memory of the device that labels.
struct PredictionTarget {
  std::uint16_t* labels = nullptr;     ///< [rows][cols], written.
  std::size_t labels_pitch_bytes = 0;  ///< From row to row; 0: rows follow each other.
  float* probabilities = nullptr;      ///< [class][rows][cols], written. Null: they are not asked for.
};

/// How a frame followed the one before it, where labels are steady.
struct SteadyFrame {
  std::optional<image::RigidMotion> motion =
      {};                    ///< Of its places to those of the frame before; none: it stands alone.
  std::string why_not = {};  ///< Why it stands alone.
  double followed = 0;       ///< Share of its cells of which something was known.
  double evaluated = 1;      ///< Share of its cells that trees were asked about.
};

/// Seconds that a frame took on a GPU, by the GPU's clock.
struct PredictTimes {
  double upload = 0;    ///< To the GPU's memory, the host's part included.
  double prepare = 0;   ///< Channels, filling and integral images: kernels only.
  double label = 0;     ///< All trees of all stages, and the labels: kernels only.
  double download = 0;  ///< Of the labels.
};

/// Labels frames with a forest. One predictor may be used from one thread at a time.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Prepares and labels a frame that lies on the host. Where its rows follow each other, a CPU copies none.
  /// @throws Error(kData) when the frame lacks a channel's source, Error(kResource) when memory runs out, Error(kUsage)
  ///         when a layout was named that has no room for the frame or the forest.
  virtual Prediction predict(const image::FrameImages& frame, const PredictRequest& request = {}) = 0;
  /// The device that labels.
  virtual Device device() const { return {}; }
  /// Labels a frame whose images lie in the memory of device(), and leaves the answer there. A GPU's work is enqueued
  /// in a stream of the caller's, behind what is in it already: the host waits for nothing, but for the first frame and
  /// for one of another size than the frame before, for which memory is taken and a layout chosen. Frame and target
  /// stay until the stream has passed them. Frames may come in several streams; each waits for the frame before. Depth
  /// is taken to have unknown pixels, which the host of a GPU does not look for; the labels are those of predict().
  /// @param stream  A cudaStream_t of that GPU; null: its default stream. Not looked at on the CPU, whose work is done
  ///                when this returns.
  /// @throws Error as predict() does; Error(kDevice) for memory that does not lie on the GPU, Error(kData) for a target
  ///         or rows that cannot be, Error(kUsage) where the model fills depth by colourisation, which GPUs do not.
  virtual void predict_on_device(const image::FrameImages& frame, const PredictionTarget& target,
                                 void* stream = nullptr);
  /// Whether predict_on_device() labels, which it does unless a GPU's model fills depth by colourisation.
  virtual bool predicts_on_device() const { return true; }
  /// Labels of many frames; a GPU overlaps their uploads, work and downloads. See also make_label_stream().
  virtual std::vector<image::LabelImage> label(std::span<const image::Frame> frames);
  /// Of the frame that predict() or label() labelled last; nothing on the CPU.
  virtual std::optional<PredictTimes> last_times() const { return std::nullopt; }
  /// Of the frame that was labelled last; nothing unless labels are steady.
  virtual std::optional<SteadyFrame> last_steady() const { return std::nullopt; }
  /// The way that frames and trees are read, those of the stage that labels if stages differ; for "auto" on a GPU known
  /// after the first frame, "auto" before.
  virtual std::string layout() const { return "auto"; }
};

/// @throws Error(kDevice) for a device that this build or machine does not have, Error(kUsage) for a layout that the
///         device does not have, Error(kModel) for a forest without trees.
std::unique_ptr<Predictor> make_predictor(const forest::Forest& forest, const PredictOptions& options = {});

/// That frames have the images which a forest's channels read, before any is decoded.
/// @param place  Names the data in the message.
/// @throws Error(kModel) when they lack colour or depth.
void check_images(const forest::Forest& forest, const image::FrameContent& frames, const std::string& place);

/// Labels the frames of a video in order, several of them in flight: a GPU uploads one while it labels another and
/// downloads the labels of a third. To be used from one thread at a time:
///
///     while (camera.read(&frame)) {
///       if (stream->is_full()) show(stream->pop());
///       stream->push(frame);
///     }
///     while (stream->num_in_flight() > 0) show(stream->pop());
class LabelStream {
 public:
  virtual ~LabelStream() = default;
  /// Most frames in flight.
  virtual int capacity() const = 0;
  virtual int num_in_flight() const = 0;
  bool is_full() const { return num_in_flight() == capacity(); }

  /// Begins with a frame, which may go afterwards.
  /// @throws Error(kUsage) when the stream is full, Error(kData) when the frame lacks a channel's source.
  virtual void push(const image::FrameImages& frame) = 0;
  /// Labels of the frame that was pushed first of those in flight, as a Predictor gives them; waits for them.
  /// @throws Error(kUsage) when none is in flight.
  virtual image::LabelImage pop() = 0;
  /// Of the frame popped last; nothing on the CPU. Work of other frames that ran beside it is included.
  virtual std::optional<PredictTimes> last_times() const { return std::nullopt; }
};

/// @param frames_in_flight  At least 1; 3 keep a GPU busy.
/// @throws Error as make_predictor() does.
std::unique_ptr<LabelStream> make_label_stream(const forest::Forest& forest, const PredictOptions& options = {},
                                               int frames_in_flight = 3);

/// Prepares a frame as forest.trees read it: with the class probabilities that its context stages find.
/// @param pool  Whose threads do it; null: the calling one alone.
/// @throws Error as PreparedFrame does, Error(kModel) when a stage has no tree.
image::PreparedFrame prepare_for(const forest::Forest& forest, const image::FrameImages& frame,
                                 ThreadPool* pool = nullptr);

}  // namespace fernwood::predict
