// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/frame_poses.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/teach/stroke.h"

namespace fernwood::teach {

/// A class that a teacher gives pixels. Its number stays what it is, whatever becomes of its name.
struct TaughtClass {
  std::uint16_t number = 0;
  std::string name;
  image::Rgb color;
  bool is_locked = false;                    ///< Strokes of other classes spare its pixels.
  std::optional<std::uint16_t> merged_into;  ///< Its pixels are of that class; it is shown no more.
  bool is_deleted = false;                   ///< Its strokes count no more, as if they were not drawn.
  bool is_live() const { return !merged_into && !is_deleted; }
  bool operator==(const TaughtClass&) const = default;
};

/// Classes that are neither merged nor deleted: what boosted trees, which learn while a teacher draws, can tell apart.
inline constexpr std::size_t kMostTaughtClasses = 127;

/// A stroke as a project keeps it: any thread may read it.
struct DrawnStroke : Stroke {
  std::vector<std::uint16_t> classes =
      {};                  ///< Numbers of those that it gives, each once, ascending; an eraser's: none.
  std::uint64_t work = 0;  ///< As work_of() counts.
};
/// Strokes of a frame, [number in the project].
using Strokes = std::map<std::uint64_t, std::shared_ptr<const DrawnStroke>>;

/// Labels that are carried to a frame from what is drawn on others.
struct CarriedLabels {
  image::LabelImage numbers;              ///< [rows][cols] numbers of classes, kVoid where nothing is carried to.
  std::vector<std::size_t> sources = {};  ///< Frames that gave them, ascending.
};

/// A name that a frame can have in a project, like that of the source. @param is_taken  Told of names that are tried.
std::string frame_name_like(const std::string& name, const std::function<bool(const std::string&)>& is_taken);

/// Writes the truth of a folder that is a project whose truth is older than its journal; does nothing with others, and
/// where another process teaches. @throws what Project does.
void bring_truth_up_to_date(const std::filesystem::path& folder);

/// A folder in the native layout (docs/reference/datasets.md) whose truth is drawn stroke by stroke. Frames are
/// NAME_colors.png and NAME_depth.png; what is done to them is a line each in strokes.journal, on disk before the
/// function that does it returns. write_truth() makes what `fernwood train --data` reads of it: truth with void where
/// nobody drew.
///
/// One thread at a time. All functions throw Error(kUsage) for a frame, a class or a stroke that is not there or not
/// possible, and as Journal when it cannot be written; nothing has changed then.
class Project {
 public:
  /// Opens a project, or makes one of an empty or new folder.
  /// @throws Error(kData) for a folder or a journal that is damaged or something else, Error(kUsage) when another
  ///         process has it open, Error(kRuntime) when it cannot be read or written.
  explicit Project(const std::filesystem::path& folder);
  ~Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  const std::filesystem::path& folder() const;
  /// Lines of the journal: grows by one with whatever is done, so that two windows know who is behind.
  std::uint64_t version() const;
  /// version() when labels() of any frame, or what they mean, may have changed last.
  std::uint64_t labels_version() const;

  /// Keeps a frame. @param name  Letters, digits, "_", "-" and "."; new.
  /// @return  Its index. @throws Error(kUsage) when it has not the images of the first, or no pixel.
  std::size_t add_frame(const std::string& name, const image::Frame& frame);
  std::size_t num_frames() const;
  bool has_frame(const std::string& name) const;
  const std::string& frame_name(std::size_t frame) const;
  std::size_t frame_rows(std::size_t frame) const;
  std::size_t frame_cols(std::size_t frame) const;
  image::Frame read_frame(std::size_t frame) const { return frame_reader(frame)(); }
  /// What reads the frame, on any thread and as long as its files are there.
  std::function<image::Frame()> frame_reader(std::size_t frame) const;
  /// The same of a frame's depth alone, which takes less time; of an empty frame where there is none.
  std::function<image::Frame()> depth_reader(std::size_t frame) const;

  /// Says that nothing more is to be drawn on a frame, or takes that back.
  void mark_done(std::size_t frame, bool is_done);
  bool is_done(std::size_t frame) const;

  /// Says where a frame was taken. @throws Error(kUsage) for a pose that is none.
  void set_pose(std::size_t frame, const dataset::FramePose& pose);
  std::optional<dataset::FramePose> pose(std::size_t frame) const;
  bool has_poses() const;  ///< Of any frame.
  bool has_depth() const;  ///< Of all frames.

  /// Whether what is drawn on a frame is carried to the others that see the same places, or on all frames, also those
  /// that are drawn on later. Journalled as that; what it gives follows from strokes, depth and poses (LabelCarrier).
  void carry(std::optional<std::size_t> frame, bool is_carried);
  bool is_carrying(std::size_t frame) const;
  bool is_carrying() const;  ///< Any frame, that has strokes or not.
  /// version() when what a frame hands on, or may be handed, may have changed last: strokes, classes, its pose.
  std::uint64_t strokes_version(std::size_t frame) const;
  /// [rows][cols] Pixels that were drawn and then erased: the teacher wants no label there. For any thread, as
  /// labels_reader().
  std::function<image::LabelImage()> erased_reader(std::size_t frame) const;
  /// What LabelCarrier found for a frame; without pixels: nothing.
  void set_carried(std::size_t frame, const CarriedLabels& carried);
  /// Frames that gave what is carried to a frame, ascending.
  const std::vector<std::size_t>& carried_from(std::size_t frame) const;
  /// Whether what set_carried() had last is all, and as new as the strokes: truth is not written before.
  void set_carried_is_current(bool is_current);
  /// [rows][cols] indices of live_classes(), kVoid where nothing is carried to.
  image::LabelImage carried(std::size_t frame) const { return carried_reader(frame)(); }
  /// The same as it is now, on any thread.
  std::function<image::LabelImage()> carried_reader(std::size_t frame) const;
  std::size_t num_carried(std::size_t frame) const;  ///< Pixels, of which some may be drawn.
  /// labels(), and where nobody drew what is carried: what is learnt, and written as truth.
  image::LabelImage taught_labels(std::size_t frame) const;

  /// @param name  UTF-8 without control characters, new. @return  Its number.
  /// @throws Error(kUsage) also where there are kMostTaughtClasses.
  /// @param said  As of add_stroke(), here and below: what class_of_request() knows.
  std::uint16_t add_class(const std::string& name, image::Rgb color, const std::string& said = {});
  /// A name and a colour that no other class has, black for none.
  void change_class(std::uint16_t number, const std::string& name, image::Rgb color, const std::string& said = {});
  void lock_class(std::uint16_t number, bool locked);
  /// All that was drawn as the one is of the other from now on. The one is not locked.
  void merge_class(std::uint16_t number, std::uint16_t into, const std::string& said = {});
  /// Strokes of a class that is not locked, and of those merged into it, count no more, and what they covered shows
  /// again.
  void delete_class(std::uint16_t number, const std::string& said = {});
  /// A class that was merged or deleted is one of its own again, with all that was drawn as it. @throws Error(kUsage)
  /// where another has its name or colour now.
  void restore_class(std::uint16_t number, const std::string& said = {});
  /// The class of which that was said.
  std::optional<std::uint16_t> class_of_request(const std::string& said) const;
  /// The class that a class was merged into, in the end, or itself. @throws Error(kUsage) where there is none such.
  std::uint16_t merged_class(std::uint16_t number) const;
  /// A colour that looks like that of no class, also of those that are merged or deleted, nor like black.
  image::Rgb free_color() const;
  /// [number]
  const std::vector<TaughtClass>& classes() const;
  /// What must happen before anything is learnt, where a journal has more classes than kMostTaughtClasses; else empty.
  std::string too_many_classes() const;
  /// Those that were neither merged nor deleted, in the order of labels() and of the model.
  std::vector<TaughtClass> live_classes() const;

  /// Draws; strokes of the frame that were taken back are gone for good then.
  /// @param stroke  `protected_classes` is not looked at: locked classes are spared.
  /// @param said    A name that whoever says it gives once, or none: what find_request() knows, also after a
  /// restart.
  /// @return  The stroke's number.
  std::uint64_t add_stroke(std::size_t frame, Stroke stroke, const std::string& said = {});
  /// Takes a stroke of the frame back, the newest that counts unless its number is given; nothing when there is none.
  std::optional<std::uint64_t> undo(std::size_t frame, std::optional<std::uint64_t> stroke = {},
                                    const std::string& said = {});
  /// Draws again what was taken back last, where it was among the others; nothing when there is none.
  std::optional<std::uint64_t> redo(std::size_t frame, const std::string& said = {});
  /// The stroke that was drawn, taken back or drawn again so: what is said twice is to be done once.
  std::optional<std::uint64_t> find_request(const std::string& said) const;
  std::size_t num_strokes(std::size_t frame) const;  ///< Those that count.
  /// Those that are not taken back.
  const Strokes& strokes(std::size_t frame) const;
  /// Whether it gives a class that is not deleted, or erases.
  bool counts(const DrawnStroke& stroke) const;

  /// [rows][cols] indices of live_classes(), kVoid where nobody drew.
  image::LabelImage labels(std::size_t frame) const { return labels_reader(frame)(); }
  /// The same on any thread, which paints what nobody has painted yet; strokes that are drawn until then may be in it.
  std::function<image::LabelImage()> labels_reader(std::size_t frame) const;
  /// What labels() would have to paint, at most, as work_of() counts.
  std::uint64_t painting_work(std::size_t frame) const;

  /// Writes dataset.toml and the truth of frames that changed since it was written; each file appears whole. Readers
  /// of the folder know whether it is as new as the journal (src/dataset/taught_truth.h).
  void write_truth();
  /// Writes one file of it. @return  Whether that was not the last.
  bool write_some_truth();
  /// The frame whose labels() are asked for by that; none where it writes something else.
  std::optional<std::size_t> next_written_frame() const;
  /// Bytes of a last line that a stopped machine left torn, and that were cut off.
  std::size_t torn_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::teach
