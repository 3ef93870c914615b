// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::teach {

/// Subpixel steps per pixel, the unit of points and radii; (0, 0) is the upper left corner of the first pixel.
inline constexpr std::int32_t kStepsPerPixel = 8;
inline constexpr std::size_t kMaxPoints = 100'000;     ///< Points of a stroke: half an hour at 60 per second.
inline constexpr std::int32_t kMaxSteps = 1 << 20;     ///< Magnitude of a coordinate or a radius.
inline constexpr std::uint16_t kErase = image::kVoid;  ///< The class of a stroke that erases labels.

struct Point {
  std::int32_t x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Consecutive pixels in reading order: index (row * columns + column) of the first, and their number.
struct PixelRun {
  std::uint32_t begin = 0, count = 0;
  bool operator==(const PixelRun&) const = default;
};

/// Kind of a stroke, which determines its pixels.
enum class Tool {
  kBrush,    ///< Pixels whose centre is within `radius` of the line through the points.
  kPolygon,  ///< Pixels whose centre is inside, by the even-odd rule; the last point is joined with the first.
  kRegion,   ///< Pixels of `runs`: the result of a fill, which later versions of the fill do not change.
  kLabels,   ///< Pixels of `runs`, each run with its own class: accepted labels of a model.
  kCut       ///< The pixels of a brush: a boundary between objects, which changes no label.
};
/// Its name in journals and messages: "brush", "polygon", "region", "labels", "cut".
std::string to_string(Tool tool);

/// Pixels of a frame that one gesture gives a class, or erases.
struct Stroke {
  Tool tool = Tool::kBrush;
  std::uint16_t class_id = kErase;                    ///< The number of a class, or kErase, as of kLabels and kCut.
  std::int32_t radius = 0;                            ///< For kBrush and kCut, in steps.
  std::vector<Point> points = {};                     ///< For kBrush, kCut and kPolygon.
  std::vector<PixelRun> runs = {};                    ///< For kRegion and kLabels: ascending and disjoint.
  std::vector<std::uint16_t> run_classes = {};        ///< [of runs] For kLabels: numbers of classes.
  std::vector<std::uint16_t> protected_classes = {};  ///< Locked classes, whose pixels the stroke does not change.

  /// @param rows, cols  Size of the frame. @throws Error(kUsage) naming the member that is out of range.
  void check(std::size_t rows, std::size_t cols) const;
  bool operator==(const Stroke&) const = default;
};

/// Labels of an image as one stroke. @param numbers  [label] Numbers of the classes; labels beyond this list, and those
/// whose number is kErase, are omitted.
Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers);

/// Cost of painting a stroke, in pixels written. @param stroke  Must satisfy check() for this size.
std::uint64_t work_of(const Stroke& stroke, std::size_t rows, std::size_t cols);
/// Limit of work_of() for a page's stroke, since all pages wait for it: about 50 ms, or 2500 points of a brush with a
/// radius of 100 pixels.
inline constexpr std::uint64_t kMaxStrokeWork = 33'000'000;

/// Writes the stroke's class to its pixels; a cut has none. Uses integer arithmetic only, so the pixels are the same on
/// all machines.
/// @param labels  [rows][cols] Numbers of classes; kErase: no label.
void paint(const Stroke& stroke, image::LabelImage& labels);

/// A class of a project. Its number never changes, unlike its name.
struct TaughtClass {
  std::uint16_t number = 0;
  std::string name;
  image::Rgb color;
  bool is_locked = false;                    ///< A protected class: strokes of other classes do not change its pixels.
  std::optional<std::uint16_t> merged_into;  ///< The class that has its pixels; this one is no longer shown.
  bool is_deleted = false;                   ///< Its strokes have no effect, as if they were not drawn.
  bool is_live() const { return !merged_into && !is_deleted; }
  bool operator==(const TaughtClass&) const = default;
};

/// Limit for classes that are neither merged nor deleted: that of boosted trees, which train while the user draws.
inline constexpr std::size_t kMaxTaughtClasses = 127;

/// A stroke stored in a project; immutable, so that any thread may read it.
struct DrawnStroke : Stroke {
  std::vector<std::uint16_t> classes = {};  ///< Numbers of its classes, ascending; empty for an eraser or a cut.
  std::uint64_t work = 0;                   ///< Its work_of().
};
/// Strokes of a frame, [number in the project].
using Strokes = std::map<std::uint64_t, std::shared_ptr<const DrawnStroke>>;

/// Labels of a frame that come from strokes on other frames.
struct CarriedLabels {
  image::LabelImage numbers;              ///< [rows][cols] Numbers of classes; kVoid: no label.
  std::vector<std::size_t> sources = {};  ///< Frames from which they come, ascending.
};

/// A frame as it was added to a project.
struct FrameKept {
  std::string name;
  std::size_t rows = 0, cols = 0;
  bool has_color = false, has_depth = false;
  image::Vector3 up = image::kImageUp;
  std::optional<image::Camera> camera = {};
  std::size_t num_maps = 0;  ///< Of image::SuppliedMaps.
};
/// A frame of a project, with what the teacher did to it.
struct TaughtFrame : FrameKept {
  Strokes strokes = {};                         ///< Those that are not undone.
  bool is_done = false;                         ///< Marked as finished.
  std::optional<dataset::FramePose> pose = {};  ///< Of its camera.
  std::size_t num_carried = 0;                  ///< Pixels with a carried label, some of which may be drawn.
  std::vector<std::size_t> carried_from = {};   ///< Frames from which these came, ascending.
};

/// What an action has changed, for those that follow a project.
struct ProjectChange {
  enum class What {
    kFrame,       ///< A frame was added, or got its pose.
    kStrokes,     ///< A frame got other strokes.
    kClassList,   ///< A class was added, locked or unlocked; all labels are as before.
    kClassNames,  ///< A class was renamed or recoloured; the same pixels have it.
    kClasses,     ///< Classes were merged, deleted or restored: labels of all frames may change.
    kSetting      ///< A frame was marked, or carrying or smoothing was switched.
  };
  What what = What::kSetting;
  std::size_t frame = 0;  ///< For kFrame and kStrokes.
};

struct ProjectState;

/// A valid name for a frame of a project, similar to its name in the source. @param is_taken  Called with candidates.
std::string frame_name_like(const std::string& name, const std::function<bool(const std::string&)>& is_taken);

/// [frame] Valid names for the frames of a data set: their own, or similar ones.
std::vector<std::string> frame_names_of(const dataset::Dataset& data);

/// Writes the ground truth of a project folder if it is older than the journal. Does nothing for other folders, or if
/// another process has the project open. @param progress  Of carrying labels. @throws Errors of Project.
void bring_truth_up_to_date(const std::filesystem::path& folder, const ProgressCallback& progress = {});

/// A folder in the native layout (docs/reference/datasets.md) whose ground truth is drawn stroke by stroke. Frames are
/// NAME_colors.png and NAME_depth.png. Each action is a line of strokes.journal, on disk before the function returns.
/// write_truth() writes the files that `fernwood train --data` reads: ground truth, with void at pixels that were not
/// drawn.
///
/// One thread at a time. All functions throw Error(kUsage) for a frame, class or stroke that does not exist or is
/// invalid, and errors of Journal if it cannot be written; the project is then unchanged.
class Project {
 public:
  /// Opens a project, or creates one in an empty or new folder.
  /// @throws Error(kData) for a folder or a journal that is damaged or not of a project, Error(kUsage) if another
  ///         process has it open, Error(kRuntime) if it cannot be read or written.
  explicit Project(const std::filesystem::path& folder);
  ~Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  /// Calls a function after each action, before the function for the action returns.
  void follow(std::function<void(const ProjectChange&)> changed);

  const std::filesystem::path& folder() const;
  /// Number of lines of the journal: increases by one with each action, so that windows can detect old messages.
  std::uint64_t version() const;
  /// version() at the last possible change of labels() of any frame, or of their meaning.
  std::uint64_t labels_version() const;

  /// Adds a frame. @param name  Letters, digits, "_", "-" and "."; new.
  /// @param pose  See set_pose(); one action for those that follow the project.
  /// @return  Its index. @throws Error(kUsage) if it has other kinds of images than the first frame, or no pixel.
  std::size_t add_frame(const std::string& name, const image::Frame& frame,
                        const std::optional<dataset::FramePose>& pose = {});
  std::size_t num_frames() const;
  bool has_frame(const std::string& name) const;
  /// Valid until the next action.
  const TaughtFrame& frame(std::size_t frame) const;
  image::Frame read_frame(std::size_t frame) const { return frame_reader(frame)(); }
  /// A function that reads the frame, on any thread and as long as its files exist.
  std::function<image::Frame()> frame_reader(std::size_t frame) const;
  /// A function that reads only a frame's depth, which takes less time; it returns an empty frame if there is none.
  std::function<image::Frame()> depth_reader(std::size_t frame) const;

  /// Marks a frame as finished, or no longer finished.
  void mark_done(std::size_t frame, bool is_done);

  /// Sets the camera pose of a frame. @throws Error(kUsage) for an invalid pose.
  void set_pose(std::size_t frame, const dataset::FramePose& pose);
  bool has_poses() const;  ///< Whether any frame has a pose.
  bool has_depth() const;  ///< Whether all frames have depth.

  /// Switches carrying on or off: labels drawn on a frame, or on all frames including later ones, are carried to the
  /// frames that see the same places. The journal stores only the switch; LabelCarrier derives the labels from
  /// strokes, depth and poses.
  void carry(std::optional<std::size_t> frame, bool is_carried);
  bool is_carrying(std::size_t frame) const;
  bool is_carrying() const;  ///< Whether any frame carries, with or without strokes.

  /// Sets whether labels of the model are smoothed along edges, as they are in a new project.
  void smooth(bool is_smooth);
  bool is_smooth() const;
  /// version() at the last possible change of the labels that a frame passes on or may receive: strokes, classes, its
  /// pose.
  std::uint64_t strokes_version(std::size_t frame) const;
  /// A function for any thread, like labels_reader(), that returns 1 at the pixels [rows][cols] of cuts that were not
  /// erased; an empty image if there are none.
  std::function<Array2<std::uint8_t>()> cuts_reader(std::size_t frame) const;
  /// Whether the objects of a frame are ground truth, too: it has depth, and a cut or the mark that it is finished.
  bool has_instances(std::size_t frame) const;
  /// A function for any thread, like labels_reader(), that returns the pixels [rows][cols] that were drawn and then
  /// erased; no labels are carried to them.
  std::function<image::LabelImage()> erased_reader(std::size_t frame) const;
  /// Sets the labels that LabelCarrier found for a frame; without pixels: none.
  void set_carried(std::size_t frame, const CarriedLabels& carried);
  /// Sets whether carried labels are complete and as new as the strokes; ground truth is not written before.
  void set_carried_is_current(bool is_current);
  /// A function for any thread that returns the labels carried to a frame at present: [rows][cols] indices of
  /// live_classes(); kVoid: no label is carried.
  std::function<image::LabelImage()> carried_reader(std::size_t frame) const;
  /// labels(), completed by carried labels where nothing was drawn: used for training and as ground truth.
  image::LabelImage taught_labels(std::size_t frame) const;

  /// Adds a class. @param name  UTF-8 without control characters, new. @return  Its number.
  /// @throws Error(kUsage) also if there are kMaxTaughtClasses.
  /// @param request_id  Request id as in add_stroke(), here and below; class_of_request() finds the class by it.
  std::uint16_t add_class(const std::string& name, image::Rgb color, const std::string& request_id = {});
  /// Sets a name and a colour that no other class has; black is not allowed.
  void change_class(std::uint16_t number, const std::string& name, image::Rgb color,
                    const std::string& request_id = {});
  void lock_class(std::uint16_t number, bool locked);
  /// Merges a class, which is not locked, into another: its strokes then belong to the other one.
  void merge_class(std::uint16_t number, std::uint16_t into, const std::string& request_id = {});
  /// Deletes a class that is not locked: its strokes, and those of classes merged into it, no longer have an effect,
  /// and labels that they covered reappear.
  void delete_class(std::uint16_t number, const std::string& request_id = {});
  /// Restores a class that was merged or deleted, with all its strokes. @throws Error(kUsage) if another class now has
  /// its name or colour.
  void restore_class(std::uint16_t number, const std::string& request_id = {});
  /// The class that the request with this id added or changed.
  std::optional<std::uint16_t> class_of_request(const std::string& request_id) const;
  /// The class into which a class was finally merged, or itself. @throws Error(kUsage) if it does not exist.
  std::uint16_t merged_class(std::uint16_t number) const;
  /// A colour that differs clearly from black and from all classes, including merged and deleted ones.
  image::Rgb free_color() const;
  /// [number]
  const std::vector<TaughtClass>& classes() const;
  /// A message, if a journal has more than kMaxTaughtClasses classes, so that training is not possible; else empty.
  std::string too_many_classes() const;
  /// Classes that are neither merged nor deleted, in the order of labels() and of the model.
  std::vector<TaughtClass> live_classes() const;
  std::vector<image::ClassInfo> class_infos() const;  ///< Their names and colours.
  std::vector<std::uint16_t> class_numbers() const;   ///< Their numbers.
  /// [number] The index among them of the class that each class became, kVoid if that was deleted.
  std::vector<std::uint16_t> live_indices() const;

  /// Adds a stroke. Strokes of the frame that were undone can then no longer be redone.
  /// @param stroke  `protected_classes` is ignored and set to the locked classes.
  /// @param request_id  Request id, unique, or empty; find_request() finds the stroke by it, also after a restart.
  /// @return  The stroke's number.
  std::uint64_t add_stroke(std::size_t frame, Stroke stroke, const std::string& request_id = {});
  /// Undoes the stroke with the given number, or the newest that counts(). @return  Its number; empty if there is none.
  std::optional<std::uint64_t> undo(std::size_t frame, std::optional<std::uint64_t> stroke = {},
                                    const std::string& request_id = {});
  /// Restores the stroke that was undone last, at its place in the order. @return  Its number; empty if there is none.
  std::optional<std::uint64_t> redo(std::size_t frame, const std::string& request_id = {});
  /// The stroke that the request with this id drew, undid or redid. Requests are idempotent: callers check this first.
  std::optional<std::uint64_t> find_request(const std::string& request_id) const;
  std::size_t num_strokes(std::size_t frame) const;  ///< Number of strokes that count().
  /// Whether a stroke has a class that is not deleted, or erases.
  bool counts(const DrawnStroke& stroke) const;

  /// [rows][cols] Indices of live_classes(); kVoid: not drawn.
  image::LabelImage labels(std::size_t frame) const { return labels_reader(frame)(); }
  /// A function that returns labels() on any thread and paints strokes that are not painted yet; strokes added before
  /// it is called may be included.
  std::function<image::LabelImage()> labels_reader(std::size_t frame) const;
  /// Upper bound for the painting that labels() needs, in the unit of work_of().
  std::uint64_t painting_work(std::size_t frame) const;

  /// Writes dataset.toml and the ground truth, and that of objects, of frames that changed since the last call, as
  /// atomic files. Readers of the folder can detect whether it is as new as the journal (src/dataset/taught_truth.h).
  void write_truth();
  /// Writes one of these files. @return  Whether more files remain.
  bool write_some_truth();
  /// The frame whose labels() the next write_some_truth() needs; empty if it writes another file.
  std::optional<std::size_t> next_written_frame() const;
  /// Size of an incomplete last line that a crash left in the journal and that was removed, in bytes.
  std::size_t torn_bytes() const;

 private:
  std::unique_ptr<ProjectState> state_;
};

// Import of existing classes and ground truth into a project; ground truth is drawn as regions.

/// Adds the classes whose names the project does not have. @return  [class] Its number in the project.
/// @throws Error(kUsage) if the project already has the colour of a new class, cannot have its name, or would have more
/// than kMaxTaughtClasses.
std::vector<std::uint16_t> take_classes(Project& project, const std::vector<image::ClassInfo>& classes);

/// Draws a label image: a region for each class that has a pixel, which can be undone like any stroke. Regions that an
/// earlier call drew, undone or not, are skipped, so that an interrupted import continues.
/// @param numbers  [label] From take_classes(). @throws Error(kUsage) if the size differs from the frame's.
void draw_truth(Project& project, std::size_t frame, const image::LabelImage& labels,
                const std::vector<std::uint16_t>& numbers);

/// Whether draw_truth() has drawn a region on a frame. @param num_classes  Number of classes of the data.
bool has_drawn_truth(const Project& project, std::size_t frame, std::size_t num_classes);

}  // namespace fernwood::teach
