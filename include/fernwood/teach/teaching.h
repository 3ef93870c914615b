// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/teach/project.h"
#include "fernwood/train/train.h"
#include "fernwood/web/web_server.h"

namespace fernwood::teach {

/// Labelled frames from which the model is to be updated, and the frames that it then labels.
struct TrainingRequest {
  std::uint64_t version = 0;  ///< Version of the project.
  /// Labelled frames, with void at unlabelled pixels, whether labels were drawn or carried. Null or empty: no training.
  std::shared_ptr<const dataset::InMemoryFrames> taught = {};
  std::vector<std::size_t> taught_frames;  ///< [of taught] Numbers for `frame`.
  /// Frames with strokes, for cross-validation, if `taught` has carried labels: these would give a forest the strokes
  /// of frames that are held out. Null or empty: `taught` is used.
  std::shared_ptr<const dataset::InMemoryFrames> drawn = {};
  std::vector<std::size_t> drawn_frames = {};     ///< [of drawn] Numbers for `frame`.
  std::vector<image::ClassInfo> classes = {};     ///< Of the project, also where nothing is taught.
  std::vector<std::uint16_t> class_numbers = {};  ///< [of classes] Numbers for LearntLabels.
  std::vector<std::size_t> frames;                ///< Frames to label, the most useful first.
  /// Reads a frame; called on threads of the learner. A number means the same frame in all requests.
  std::function<image::Frame(std::size_t frame)> frame = {};
};

struct LearnerOptions {
  /// Training immediately after each request; `samples_per_frame` is reduced so that `quick_samples` are not exceeded.
  train::TrainOptions quick;
  int quick_samples = 4000;  ///< Samples of all frames together, so that the time does not depend on their number.
  std::optional<train::TrainOptions> thorough = {};  ///< Training when no request has come for `rest`.
  std::shared_ptr<const forest::Forest> known = {};  ///< Labels frames until something is taught; may be null.
  std::chrono::milliseconds rest{1500};              ///< Idle time before the thorough training.
  /// Computes the maps of frames, for training and labelling; null: frames have none.
  std::shared_ptr<const encoder::Encoder> encoder = {};
  train::TrainResources resources = {};
  predict::PredictOptions predict = {};
  std::size_t kept_bytes = 0;  ///< Cache size for decoded and prepared frames; 0: a quarter of the memory.
};

/// The benefit of labelling a frame.
struct FrameUncertainty {
  float mean = 0;                  ///< Mean uncertainty of its pixels, from 0 to 1.
  std::vector<float> shares = {};  ///< [class] Mean probability.
};

/// Labels of a frame by a forest of a request.
struct LearntLabels {
  std::uint64_t version = 0;  ///< Version of the request.
  bool is_thorough = false;
  std::size_t frame = 0;
  image::LabelImage labels;               ///< Indices of classes.
  Array2<std::uint8_t> uncertainty = {};  ///< [rows][cols] 255: two classes are equally likely; 0: one is certain.
  FrameUncertainty frame_uncertainty = {};
  std::vector<image::ClassInfo> classes = {};  ///< Classes of the forest.
  /// [of classes] Number of the request's class with this name; kVoid if there is none.
  std::vector<std::uint16_t> class_numbers = {};
};

/// Number of frames with strokes of a class from which it is cross-validated: one is held out, the others train.
inline constexpr std::size_t kFramesToJudge = 3;

/// Labels of frames by forests that have not seen them: cross-validation by frames (Hastie et al. 2009, section 7.10).
struct HeldOutPredictions {
  std::uint64_t version = 0;              ///< Version of the request.
  std::vector<std::size_t> frames;        ///< Frames with strokes.
  std::vector<image::LabelImage> labels;  ///< [of frames] Indices of the request's classes.
  /// [of frames][class] Whether the forest that labelled it was trained on kFramesToJudge - 1 frames with the class.
  std::vector<std::vector<bool>> learnt;
};

/// The forest of a request.
struct LearntForest {
  std::uint64_t version = 0;  ///< Version of the request.
  bool is_thorough = false;
  std::shared_ptr<const forest::Forest> forest;
  std::vector<std::uint16_t> class_numbers;  ///< As of LearntLabels.
};

/// Callbacks of a learner, on its own threads.
struct LearnerHooks {
  std::function<void(LearntLabels labels)> labelled = {};       ///< From several threads at once if a GPU labels.
  std::function<void(const LearntForest& forest)> learnt = {};  ///< Called before it labels frames.
  /// Called when idle, after the thorough forest, if two or more classes have strokes on kFramesToJudge frames.
  std::function<void(HeldOutPredictions held_out)> judged = {};
  std::function<void(const std::string& sentence)> failed = {};  ///< The request has failed; the next one may succeed.
  /// Called when it begins something else: "quick" or "thorough" training, "validation", or nothing, "".
  std::function<void(const std::string& activity)> working = {};
};

/// Trains on its own thread, so that drawing never waits. A new request cancels the previous one.
class Learner {
 public:
  Learner(const LearnerOptions& options, LearnerHooks hooks);
  /// Cancels the current request, soon.
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Submits a request; from any thread. Returns at once.
  void teach(TrainingRequest request);
  /// Labels a frame of the current request before the others; from any thread. Cancels nothing.
  void prioritize(std::size_t frame);
  /// Sets the smoothing of labels, extent 0 for none, and labels the frames of the request again with its newest
  /// forest; from any thread. Does not cancel training. @throws Error(kUsage) as Smoothing::check().
  void set_smoothing(const predict::Smoothing& smoothing);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

struct TeachingParts;

/// Connects a project, a learner and a server: messages of pages change the project, changes are sent to all pages, and
/// each change causes a new training request.
///
/// Messages are JSON objects. A page sends {"id": 5, "do": "stroke", "frame": 0, ...} and receives {"id": 5, "done":
/// true} or {"id": 5, "failed": "a sentence"}:
/// - "stroke": `frame`, and the members of a line of strokes.journal: `class`, `brush` and `points`, `polygon` or
///   `region`; or `cut` and `points`
/// - "fill": `frame`, `class`, `x`, `y`, `turn` (degrees): a region grown from this pixel
/// - "undo": `frame`, and `stroke` unless it is the newest; "redo": `frame`
/// - "add_class": `name`, and optionally `color`, else the offered one or a free one is chosen; the answer has the
///   `class`
/// - "change_class": `class`, `name`, `color`; "lock": `class`, `locked`; "merge": `class`, `into`; "delete_class":
///   `class`; "restore_class": `class`, which was merged or deleted
/// - "count_strokes": `class`; the answer has `num_strokes` and `num_frames`
/// - "view": `frame`, which is from now on labelled first
/// - "transfer": `frame`, to which labels of a neighbour, or by poses of any frame, are transferred. The answer is
///   {"suggested": 4, "from": 3, "share": 0.9}; /frames/4/suggested is their picture until "accept": `frame`, which
///   draws them
/// - "carry": `is_carried`, and optionally `frame`, else all: whether drawn labels are carried to the frames that see
///   the same places, see Project::carry(). The answer confirms the switch; carrying itself runs in the background
/// - "map": `frame`: a map of the labels in the room of this frame, built in the background; the answer has the `room`.
///   The page then receives {"map_left": 7}, the number of frames left, and {"map": {"number": 3, "room", "points",
///   "labelled", "classes": [[0, 120]], "shown", "frames", "left_out", "problem", "refused"}} for the script map.js:
///   number of voxels, of labelled ones in all and of each class, numbers of frames that were fused and that could not
///   be read, the error of the first of these, and the share of pixels that did not fit into memory. /map/3 are its
///   points, in that script's format. Another request builds the map anew; "leave_map" cancels it
/// - "accept_labels": `frame`: labels of the newest model become one stroke where nothing is drawn; all of them, or
///   those of a `class`, or those in the pixels of a stroke or a fill, given by its members; the answer has `pixels`
/// - "mark_done": `frame`, `is_done`
/// - "smooth": `is_smooth`: whether labels of the model are smoothed along edges, see predict::Smoothing, for all pages
///   and kept in the project
/// - "keep": `camera`, the number of a camera's frame, or the newest if that is no longer available; the answer has the
///   `frame` of the project
/// `class` may be the `request` of the message that added the class, so that a page can draw before it has an
/// answer. A stroke of a class that was merged meanwhile gets the class into which it was merged.
/// Strokes, changes of classes, "accept", "accept_labels", "undo" and "redo" may have `request`: a request id, unique
/// to the message. Requests are idempotent: a message sent again because its answer was lost is executed once. All
/// pages receive {"classes": [...], "gone": [...], "next_color": [1, 2, 3], "version": 9}, {"needs": "a sentence",
/// "drawn":
/// [[0, 2]]}: what is missing before training can start, and the number of frames of each class, {"cleared": true} when
/// labels are removed, {"truth": 0, "strokes": 3, "version": 9} for a frame whose ground truth changed, {"learnt": 9,
/// "thorough": false}, {"training": "thorough"} (as LearnerHooks::working), {"labels": 0, "of": 9, "thorough": false,
/// "uncertainty": 0.2}, {"marked": 0, "is_done": true},
/// {"smooth": true}, {"carrying": true, "carrying_frame": null}, {"carried": 3, "share": 0.12, "left": 7} for a frame
/// to which labels were carried and their share of its pixels, {"carried_all": true, "left": 0} at the end of carrying,
/// and whether anything has changed, {"next": [4, 2]}: the most useful frames to label, {"validation": {...}},
/// {"camera": 12} for a camera's newest frame, {"trouble": "a sentence"} about the camera, "" when it is over,
/// {"kept": {...}} for a new frame, and {"problem": "a sentence"}. A new page first receives {"project": ...}, all of
/// it.
/// /frames/0/color and /frames/0/depth are JPEG; /frames/0/millimetres PNG, depth in mm as 256 red + green;
/// /frames/0/fill?turn=20&x=320&y=240 PNG, white where a fill would draw; /frames/0/truth, /frames/0/labels and
/// /frames/0/carried (the carried labels) PNG in the colours of classes, black where there is no label;
/// /frames/0/uncertainty PNG, brighter where the forest is less certain; /frames/0/objects?of=both (or drawn,
/// predicted) JSON: the objects in these labels, see src/teach/frame_objects.h; /frames/0/why?x=320&y=240 JSON, see
/// src/web/page.h; /export/drawn/coco, /export/predicted/coco, /export/both/coco and the other formats of
/// fernwood/formats/export_labels.h, those with folders as ZIP archives; /camera/12/color and /camera/12/depth JPEG;
/// /export/model the newest model file.
class Teaching {
 public:
  /// @param project        Must outlive this object and not be used by others meanwhile.
  /// @param train_command  The command, shown on the page, that trains the model again.
  Teaching(Project& project, const LearnerOptions& learning, const web::WebOptions& web,
           const std::string& train_command = {});
  ~Teaching();
  Teaching(const Teaching&) = delete;
  Teaching& operator=(const Teaching&) = delete;

  std::string url() const;
  /// Sets warnings that pages show first, such as dataset::Dataset::input_warnings(). Call before run().
  void warn(std::vector<std::string> sentences);
  /// Sets classes whose names pages offer, and whose colours they get where they are free. Call before run().
  void offer(std::vector<image::ClassInfo> classes);
  /// Shows a camera, whose frames pages may add to the project, until this object is destroyed. Call before run().
  /// If the camera is lost for good, this is reported, and teaching continues.
  void watch(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options);
  /// Runs until a stop is requested; then carries the labels that are not carried yet, and writes the ground truth.
  /// @param progress  Of carrying, which can take minutes. @throws errors of journal and server.
  void run(std::stop_token stop, const ProgressCallback& progress = {});

 private:
  std::unique_ptr<TeachingParts> parts_;
};

}  // namespace fernwood::teach
