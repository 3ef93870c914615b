// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/predict/live.h"
#include "fernwood/teach/learner.h"
#include "fernwood/teach/project.h"
#include "fernwood/web/web_server.h"

namespace fernwood::teach {

/// A project, a learner and a server together: what pages say is done to the project, what changes is said to all
/// pages, and after each change the learner has a new request.
///
/// Messages are objects of JSON. A page says {"id": 5, "do": "stroke", "frame": 0, ...} and hears {"id": 5, "done":
/// true} or {"id": 5, "failed": "a sentence"}:
/// - "stroke": `frame`, and what a line of strokes.journal has: `gives`, `brush` and `points`, `polygon` or `region`
/// - "fill": `frame`, `gives`, `x`, `y`, `turn` (degrees): a region that is grown from there
/// - "undo": `frame`, and `stroke` where it is not the newest; "redo": `frame`
/// - "add_class": `name`, and `color` unless a free one is to be found; answered with the `class`
/// - "change_class": `class`, `name`, `color`; "lock": `class`, `locked`; "merge": `class`, `into`; "delete_class":
///   `class`; "restore_class": `class`, one that was merged or deleted
/// - "count_strokes": `class`; answered with `num_strokes` and `num_frames`
/// - "view": `frame`, which is labelled first from now on
/// - "transfer": `frame`, to which labels of a neighbour, or by poses of any frame, are transferred: answered with
/// {"suggested": 4, "from": 3, "share":
///   0.9}; /frames/4/suggested is their picture until "accept": `frame`, which draws them
/// - "carry": `is_carried`, and `frame` unless all are meant: whether what is drawn is carried to the frames that see
///   the same places, as Project::carry(); done is what was said, carrying goes on beside
/// - "map": `frame`: what is labelled in the room that it shows, in space, beside whatever else is asked; answered with
///   the `room`. The page then hears {"map_left": 7} of frames that are left, and {"map": {"number": 3, "room",
///   "points", "labelled", "classes": [[0, 120]], "shown", "frames", "left_out", "problem", "refused"}} with what the
///   script map.js needs to know: voxels, how many of them are labelled, of each class and in all, the frames that gave
///   them and that could not be read, why the first could not, and the share of pixels for which memory had no room.
///   /map/3 are its points, as that script reads them. What is asked again is made anew; "leave_map" gives it up
/// - "accept_labels": `frame`: labels of the newest model become one stroke where nothing is drawn; all of them, or
///   those of a `class`, or those in the pixels that the members of a stroke or a fill mean; answered with `pixels`
/// - "mark_done": `frame`, `is_done`
/// - "smooth": `is_smooth`: whether labels of the model are smoothed along edges, as predict::Smoothing does, for all
///   pages
/// - "keep": `camera`, the number of its frame, or the newest where that is gone; answered with the `frame` of the
///   project
/// `gives` and `class` may be what `said` called the message that added the class, so that a page draws before it is
/// answered. A stroke of a class that was merged meanwhile is one of what it became.
/// Strokes, what is done to classes, "accept", "accept_labels", "undo" and "redo" have `said`, if the page wants it: a
/// name that it gives to no other message; what is said twice, for the answer was lost, is done once. All pages hear
/// {"classes": [...], "gone": [...], "next_color": [1, 2, 3], "version": 9}, {"needs": "a sentence", "drawn": [[0,
/// 2]]}: what is missing until something can be learnt, and of how many frames each class is, {"cleared": true} when
/// labels are gone,
/// {"truth": 0, "strokes": 3, "version": 9} of a frame whose truth changed, {"learnt": 9, "thorough":
/// false}, {"labels": 0, "of": 9, "thorough": false, "uncertainty": 0.2}, {"marked": 0, "is_done": true}, {"smooth":
/// true}, {"carrying": true, "carrying_frame": null}, {"carried": 3, "share": 0.12, "left": 7} of a frame to which
/// labels were carried, to that share of its pixels, {"carried_all": true, "left": 0} when that is over, and whether
/// anything is other than it was,
/// {"next": [4, 2]}: the frame that would teach most, {"validation": {...}}, {"camera": 12} of a camera's newest frame,
/// {"trouble": "a sentence"} of the camera, "" when it is over,
/// {"kept": {...}} of a new frame, and {"problem": "a sentence"}; a new page first {"project":
/// ...}, which is all of it. /frames/0/color and /frames/0/depth are JPEG; /frames/0/truth and /frames/0/labels PNG in
/// the colours of classes, black where there is none, as /frames/0/carried, what is carried there;
/// /frames/0/uncertainty PNG, brighter where the forest is uncertain more; /frames/0/why?x=320&y=240 JSON, see
/// src/web/page.h; /export/drawn/coco, /export/predicted/coco, /export/both/coco and the other formats of
/// fernwood/dataset/export_labels.h, those of a folder as ZIP archives; /camera/12/color and /camera/12/depth JPEG;
/// /export/model the newest model file.
class Teaching {
 public:
  /// @param project        Outlives this; nobody else uses it as long.
  /// @param train_command  What the page tells to grow the model again.
  Teaching(Project& project, const LearnerOptions& learning, const web::WebOptions& web,
           const std::string& train_command = {});
  ~Teaching();
  Teaching(const Teaching&) = delete;
  Teaching& operator=(const Teaching&) = delete;

  std::string url() const;
  /// What pages show first of all: what dataset::Dataset::input_warnings() and its like found. Before run().
  void warn(std::vector<std::string> sentences);
  /// Shows a camera, of which pages may keep frames, until this ends. Before run().
  /// @param options  As of predict::run_live(); a camera that is lost for good is told, and teaching goes on.
  void watch(std::shared_ptr<dataset::FrameSource> source, const predict::LiveOptions& options);
  /// Until it is asked to stop; the truth is written then. @throws what journal and server do.
  void run(std::stop_token stop);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace fernwood::teach
