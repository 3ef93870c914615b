// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <memory>
#include <mutex>
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
#include "fernwood/objects/objects.h"

namespace fernwood::predict {

/// Edge-aware smoothing of class probabilities before labels are chosen, by the recursive filter of the domain
/// transform (Gastal and Oliveira, SIGGRAPH 2011): a cell of image::kContextStep x image::kContextStep pixels is
/// averaged with others along rows and columns, with weights that decrease with the distance, which is larger across
/// edges of colour and depth. Pixels between cells are interpolated along these edges. Smoothed labels therefore need
/// only one pixel of each cell evaluated, whatever PredictOptions::interpolate is.
struct Smoothing {
  /// Standard deviation over a surface without edges, in pixels, [0, 1000]; 0: no smoothing. Unset: kVideoSmoothingPx
  /// for steady labels and for maps, kObjectSmoothingPx where objects are found, else 0.
  std::optional<int> extent_px = std::nullopt;

  int extent() const { return extent_px.value_or(0); }
  static OptionTable<Smoothing> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// Smoothing for videos, in which the noise of the predictions of single frames is visible as flicker. Labels smoothed
/// with this extent (4 cells) change a third less often from frame to frame and are more accurate
/// (docs/notes/benchmarks_steady.md).
inline constexpr int kVideoSmoothingPx = 16;

/// Smoothing for labels in which objects are found: each wrong patch could be an object.
inline constexpr int kObjectSmoothingPx = 80;

struct PredictOptions {
  std::string device = "auto";  ///< "auto", "cpu" or "cuda:0" …
  int threads = 0;              ///< CPU threads; 0: all.
  std::string layout = "auto";  ///< "auto", the fastest, or one of predict_layouts().
  Smoothing smoothing = {};     ///< Affects the labels and probabilities of the forest, never those of single trees.
  /// Evaluate only one pixel of each cell of kContextStep x kContextStep pixels (image::kContextStep), like context
  /// stages, and interpolate the probabilities of the others; cells between others of one class are interpolated, too
  /// (predict/cell_refinement.h): for forests of many trees, and best with smoothing, which
  /// restores the edges. Results of single trees are not available then. Unset: on for boosted forests and for steady
  /// labels.
  std::optional<bool> interpolate = std::nullopt;

  /// Frames are those of a video, in order: class probabilities are transferred along the camera's motion (given, or
  /// estimated from depth) where the same surface is still visible, and blended with those of the frame. This reduces
  /// flicker, and only uncertain cells and some of the others are evaluated, as with `interpolate`. With a backbone,
  /// cells are evaluated only in key frames, every second frame: to the others, probabilities are only transferred,
  /// without channels, trees or backbone. A frame whose motion is unknown, or of which a fifth was not visible before,
  /// is always a key frame.
  bool steady = false;

  /// Least probability of a pixel's class, [0, 1]: labels of lower probability become kVoid. The probabilities are
  /// those of Prediction, of which labels of single trees have none.
  float min_confidence = 0;

  bool interpolates(forest::ForestKind kind) const {
    return interpolate.value_or(steady || kind == forest::ForestKind::kBoosted);
  }
  /// A copy in which an unset smoothing extent is replaced by its default.
  PredictOptions with_usual_smoothing() const {
    PredictOptions options = *this;
    if (!smoothing.extent_px) options.smoothing.extent_px = steady ? kVideoSmoothingPx : 0;
    return options;
  }
  /// A copy in which an unset smoothing extent is replaced by that for objects.
  PredictOptions for_objects() const {
    PredictOptions options = *this;
    if (!smoothing.extent_px) options.smoothing.extent_px = kObjectSmoothingPx;
    return options;
  }
  static OptionTable<PredictOptions> table();
  /// @throws OptionError naming the option out of its range. The layout is not checked: it depends on the device.
  void check() const;
};

/// The options that affect labels, as on a command line: processes that label together must agree on them.
std::string describe_labelling(const PredictOptions& options);

/// Sets options by name, like `fernwood predict`.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, PredictOptions& options);

/// Names of the options that affect labels, but not the device or the speed; they may change between frames.
std::vector<std::string> label_options();

/// Layouts of frames and trees that a device supports; all give the same labels. On the CPU: its instruction sets. On a
/// GPU: "l1", reading through the first-level cache, and "texture", through texture objects (thesis 5.5).
std::vector<std::string> predict_layouts(Device device);

/// Optional outputs of a prediction, besides labels.
struct PredictRequest {
  bool probabilities = false;  ///< Class probabilities of the forest.
  bool per_tree = false;       ///< Labels (and, if requested, probabilities) of each tree.
  /// Finds the objects of the frame, which must have depth; null: none. On a GPU it works there.
  objects::ObjectFinder* objects = nullptr;
};

/// Labels of one frame; class c of pixel (x, y) has probability `probabilities[c](y, x)`.
struct Prediction {
  image::LabelImage labels;  ///< [rows][cols]; kVoid where every class has probability 0, and below min_confidence.
  std::vector<Array2<float>> probabilities;  ///< [class][rows][cols], if requested.
  std::vector<Prediction> trees;             ///< [tree], if requested.
  objects::FrameObjects objects = {};        ///< If requested.
};

/// Output buffers of a prediction, in the memory of the predictor's device.
struct PredictionTarget {
  std::uint16_t* labels = nullptr;     ///< [rows][cols], written.
  std::size_t labels_pitch_bytes = 0;  ///< Between the beginnings of rows; 0: rows are contiguous.
  float* probabilities = nullptr;      ///< [class][rows][cols], written. Null: not requested.
};

/// Result of the temporal fusion of a frame (PredictOptions::steady).
struct SteadyFrame {
  std::optional<image::RigidMotion> motion = {};  ///< From this frame's coordinates to the previous one's, if known.
  std::string why_not = {};                       ///< Why the motion is not known.
  double followed = 0;                            ///< Share of its cells with probabilities from earlier frames.
  double evaluated = 1;                           ///< Share of its cells that trees evaluated.
};

/// Time of a frame on a GPU, in seconds of the GPU's clock.
struct PredictTimes {
  double upload = 0;    ///< To the GPU's memory, including the host's part.
  double prepare = 0;   ///< Channels, filling and integral images: kernels only.
  double label = 0;     ///< All trees of all stages, and the labels: kernels only.
  double download = 0;  ///< Of the labels to the host.
};

/// Labels frames with a forest. A predictor may be used from only one thread at a time.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Prepares and labels a frame in host memory. On the CPU, images with contiguous rows are not copied.
  /// @throws Error(kData) when the frame lacks the source of a channel, Error(kResource) when memory runs out,
  ///         Error(kUsage) when the requested layout cannot hold the frame or the forest.
  virtual Prediction predict(const image::FrameImages& frame, const PredictRequest& request = {}) = 0;
  /// The device that labels.
  virtual Device device() const { return {}; }
  /// Labels a frame whose images are in the memory of device(), and writes the result there. GPU work is enqueued in
  /// the caller's stream, after its earlier work, and the host does not wait, except for the first frame and for a
  /// frame whose size differs from the previous one, when memory is allocated. Frame and target
  /// must remain valid until the stream has completed the work. Frames may be enqueued in several streams; each frame
  /// waits for the previous one. On a GPU, depth is assumed to have unknown pixels, because the host does not search
  /// for them; the labels equal those of predict().
  /// @param stream  A cudaStream_t of that GPU; null: its default stream. Ignored on the CPU, where the work is
  ///                complete on return.
  /// @throws Error as predict() does; Error(kDevice) for memory that is not on the GPU, Error(kData) for an invalid
  ///         target or pitch, Error(kUsage) where the model fills depth by colourisation, which GPUs do not support.
  virtual void predict_on_device(const image::FrameImages& frame, const PredictionTarget& target,
                                 void* stream = nullptr);
  /// Whether predict_on_device() is supported: on a GPU, it is not for models that fill depth by colourisation.
  virtual bool predicts_on_device() const { return true; }
  /// Labels of many frames; a GPU overlaps their uploads, work and downloads. See also make_label_stream().
  virtual std::vector<image::LabelImage> label(std::span<const image::Frame> frames);
  /// Times of the last frame that predict() or label() labelled; empty on the CPU.
  virtual std::optional<PredictTimes> last_times() const { return std::nullopt; }
  /// Temporal fusion of the last frame labelled; empty unless labels are steady.
  virtual std::optional<SteadyFrame> last_steady() const { return std::nullopt; }
  /// The layout in use.
  virtual std::string layout() const { return "auto"; }
};

/// @throws Error(kDevice) for a device that this build or machine does not have, Error(kUsage) for a layout that the
///         device does not have, Error(kModel) for a forest without trees.
std::unique_ptr<Predictor> make_predictor(const forest::Forest& forest, const PredictOptions& options = {});

/// Checks that frames have the images that a forest's channels read, before any frame is decoded.
/// @param place  Name of the data, for the message.
/// @throws Error(kModel) when they lack colour or depth.
void check_images(const forest::Forest& forest, const image::FrameContent& frames, const std::string& place);

/// Checks that an encoder is that of the maps on which a forest was trained, as far as that is known.
/// @throws Error(kModel) when its checksum is another one, Error(kUsage) for a forest that reads no supplied maps.
void check_encoder(const forest::Forest& forest, const encoder::EncoderInfo& given);

/// Labels the frames of a video in order, with several frames in flight: a GPU uploads one frame while it labels
/// another and downloads the labels of a third. May be used from only one thread at a time:
///
///     while (camera.read(&frame)) {
///       if (stream->is_full()) show(stream->pop());
///       stream->push(frame);
///     }
///     while (stream->num_in_flight() > 0) show(stream->pop());
class LabelStream {
 public:
  virtual ~LabelStream() = default;
  /// Maximum number of frames in flight.
  virtual int capacity() const = 0;
  virtual int num_in_flight() const = 0;
  bool is_full() const { return num_in_flight() == capacity(); }

  /// Starts labelling a frame, whose memory may be released on return.
  /// @throws Error(kUsage) when the stream is full, Error(kData) when the frame lacks a channel's source.
  virtual void push(const image::FrameImages& frame) = 0;
  /// Waits for the oldest frame in flight, and returns the labels that a Predictor would.
  /// @throws Error(kUsage) when no frame is in flight.
  virtual image::LabelImage pop() = 0;
  /// Times of the frame popped last; empty on the CPU. They include concurrent work on other frames.
  virtual std::optional<PredictTimes> last_times() const { return std::nullopt; }
};

/// @param frames_in_flight  At least 1; 3 keep a GPU busy.
/// @throws Error as make_predictor() does.
std::unique_ptr<LabelStream> make_label_stream(const forest::Forest& forest, const PredictOptions& options = {},
                                               int frames_in_flight = 3);

/// Prepares a frame for the last stage of a forest, with the class probabilities of its context stages.
/// @param pool  Threads to use; null: only the calling one.
/// @throws Error as PreparedFrame does, Error(kModel) when a stage is without trees.
image::PreparedFrame prepare_for(const forest::Forest& forest, const image::FrameImages& frame,
                                 ThreadPool* pool = nullptr);

/// A predictor whose options may change between frames; changes apply from the next frame on.
class AdjustablePredictor : public Predictor {
 public:
  /// @param forest  Must outlive this. @throws Error as make_predictor() does.
  AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options);

  /// Changes one of label_options(); may be called from any thread. @throws Error(kUsage) for an unknown option or a
  /// malformed value, OptionError for a value out of range; the options are unchanged then.
  void set(const std::string& name, const std::string& value);
  /// Switches between labelling each frame independently and steady labels, which continue from their last state; may
  /// be called from any thread.
  void choose_single(bool single);

  Prediction predict(const image::FrameImages& frame, const PredictRequest& request = {}) override;
  Device device() const override { return current_->device(); }
  std::optional<PredictTimes> last_times() const override { return current_->last_times(); }
  std::optional<SteadyFrame> last_steady() const override { return current_->last_steady(); }
  std::string layout() const override { return current_->layout(); }

 private:
  void choose();

  const forest::Forest& forest_;
  std::mutex mutex_;  // protects the next two
  PredictOptions options_;
  bool has_changed_ = false;                              // by other means than choose_single()
  std::array<std::unique_ptr<Predictor>, 2> predictors_;  // [is steady], created at first use
  Predictor* current_ = nullptr;
};

}  // namespace fernwood::predict
