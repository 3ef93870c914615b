// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json_field.h"
#include "fernwood/teach/teaching.h"
#include "teach/camera_capture.h"
#include "teach/label_carrier.h"
#include "teach/painting.h"
#include "teach/validation.h"
#include "web/page.h"

namespace fernwood::teach {

/// More than the frames of any project or camera.
inline constexpr std::uint64_t kMaxFrames = std::uint64_t{1} << 32;
/// Maximum cost of painting that the server's thread may do for a frame, as computed by work_of(): about 12 ms.
inline constexpr std::uint64_t kMaxWorkHere = kMaxStrokeWork / 4;
/// Maximum size of the deferred messages of a page that waits for a frame to be painted.
inline constexpr std::size_t kMaxPutOffBytes = std::size_t{32} << 20;

/// Share of a frame's pixels with carried labels.
inline double share_carried(const Project& project, std::size_t frame) {
  return static_cast<double>(project.num_carried(frame)) /
         static_cast<double>(project.frame_rows(frame) * project.frame_cols(frame));
}

/// Some frames of a project with labels, for any thread.
class ProjectFrames final : public dataset::InMemoryFrames {
 public:
  void add(const Project& project, std::size_t frame, std::function<image::LabelImage()> labels) {
    names.push_back(project.frame_name(frame));
    frames_.push_back(project.frame_reader(frame));
    labels_.push_back(std::move(labels));
    sizes_.push_back({project.frame_rows(frame), project.frame_cols(frame)});
    ++num_frames;
  }
  image::Frame frame(std::size_t number) const override { return frames_[number](); }
  image::LabelImage labels(std::size_t number) const override { return labels_[number](); }
  dataset::FrameSize size(std::size_t number) const override { return sizes_[number]; }

 private:
  std::vector<std::function<image::Frame()>> frames_;
  std::vector<std::function<image::LabelImage()>> labels_;
  std::vector<dataset::FrameSize> sizes_;
};

/// Implementation of Teaching. Everything except the callbacks of the learner and the camera is for the server's
/// thread.
struct Teaching::Session {
  /// A frame as labelled by the newest forest.
  struct Labelled {
    std::uint64_t version = 0;
    bool is_thorough = false;
    FrameUncertainty uncertainty;
    web::WebAnswer labels_picture, uncertainty_picture;
    PackedLabels packed;                       ///< Indices of the forest's classes.
    std::vector<std::uint16_t> class_numbers;  ///< Their numbers in the project.
  };

  Session(Project& taught, const LearnerOptions& learning, const web::WebOptions& web, std::string command);

  // Data that pages fetch: session_pictures.cpp.
  web::WebAnswer get(const std::string& path);
  web::WebAnswer get_frame(std::size_t frame, const std::string& what);
  web::WebAnswer get_export(const std::string& what);
  web::WebAnswer explain(std::size_t frame, const std::string& path);

  // Requests of pages: session_messages.cpp.
  struct Request {
    int client;
    const JsonField& message;
  };
  struct Verb;
  static const std::vector<Verb>& verbs();
  void on_message(int client, const std::string& text);
  /// @return  Whether the request is finished, successfully or not; otherwise go_on() handles it when a frame that it
  /// needs has been painted.
  bool handle(int client, const std::string& text);
  /// Handles deferred requests of a page in their order, one in each call.
  void go_on(int client);
  void answer(int client, const nlohmann::json& answer);
  nlohmann::json view(const Request& request);
  /// @return  The stroke that was drawn or undone, if any.
  using ChangeStrokes = std::function<std::optional<std::uint64_t>(std::size_t frame, const std::string& request_id)>;
  nlohmann::json draw(const Request& request, const ChangeStrokes& change);
  nlohmann::json draw_stroke(const Request& request);
  nlohmann::json draw_fill(const Request& request);
  nlohmann::json undo(const Request& request);
  nlohmann::json redo(const Request& request);
  /// @throws Error(kUsage) for a stroke that would delay all pages.
  void check_painting_work(const Stroke& stroke, std::size_t frame) const;
  Stroke fill_area(std::size_t frame, const JsonField& message) const;
  /// Changes the meaning of labels, so those of all frames are sent again.
  using ChangeClass = std::function<void(std::uint16_t number, const std::string& request_id)>;
  nlohmann::json alter_class(const Request& request, const ChangeClass& change);
  nlohmann::json change_class(const Request& request);
  nlohmann::json merge_class(const Request& request);
  nlohmann::json delete_class(const Request& request);
  nlohmann::json restore_class(const Request& request);
  nlohmann::json lock_class(const Request& request);
  nlohmann::json add_class(const Request& request);
  image::Rgb color_for(const std::string& name) const;
  nlohmann::json count_strokes(const Request& request);
  /// Resolves classes named by the request id of the message that added them, so that a page can draw before it
  /// receives the number.
  void number_classes(nlohmann::json& message) const;
  static std::optional<std::uint64_t> given_stroke(const JsonField& message);
  nlohmann::json keep(const Request& request);
  nlohmann::json accept(const Request& request);
  std::size_t frame_of(const JsonField& message) const;

  // Carrying and transferring labels between frames: session_carrying.cpp.
  /// Answers when another thread has transferred the labels. @return  Null.
  nlohmann::json transfer(const Request& request);
  nlohmann::json carry(const Request& request);
  /// Carries labels to the frames that see the same surface, one frame at a time, on another thread. When all is done
  /// and something has changed, a training is requested.
  void carry_on();
  void say_carried();
  /// A function, for any thread, that returns the labels drawn on a frame, and elsewhere those carried to it.
  std::function<image::LabelImage()> taught_reader(std::size_t frame);
  /// Frames with labels, and their numbers. @param carried_too  Whether to include carried labels; otherwise only
  /// strokes count.
  std::pair<std::shared_ptr<const dataset::InMemoryFrames>, std::vector<std::size_t>> taught_frames(bool carried_too);

  // The map of the labels of a room: session_map.cpp.
  struct MapBuild;
  /// Answered at once; the page is notified when the map is ready. Only the newest request of a page counts.
  nlohmann::json make_map(const Request& request);
  nlohmann::json leave_map(const Request& request);
  void forget_map_of(int client);
  /// The room of a frame. @throws Error(kUsage), with the remedy, if it cannot be mapped.
  std::string room_to_map(std::size_t frame) const;
  /// Starts the next step, if any: each is at most the work of a frame, on another thread.
  void map_on();
  void begin_map();
  void add_to_map(std::size_t frame);
  void finish_map();
  web::WebAnswer get_map(const std::string& address) const;

  // Use of the model's labels: predictions.cpp.
  /// A function, for any thread, that returns indices of live classes, kVoid where a label's class was deleted. @throws
  /// Error(kUsage) if there are no labels yet.
  std::function<image::LabelImage()> prediction(std::size_t frame) const;
  nlohmann::json accept_labels(const Request& request);
  /// Draws labels as one stroke where nothing is drawn. @param found  Indices of live classes.
  nlohmann::json draw_labels(std::size_t frame, image::LabelImage found, const std::string& request_id);
  nlohmann::json mark_done(const Request& request);
  nlohmann::json smooth(const Request& request);
  /// @param what  "drawn", "predicted", or "both": predictions with the drawn labels over them.
  web::WebAnswer get_labels_export(const std::string& what, const std::string& format);

  // Notifications to pages, and requests to the learner: teaching.cpp.
  void opened(int client);
  nlohmann::json classes_json() const;
  void say_classes();
  void say_truth(std::size_t frame);
  /// Requests a training once the labels of all frames are painted: one frame at a time, so that pages are answered in
  /// between.
  void schedule_update();
  void prepare_request();
  /// Notifies pages of what is missing before anything can be learnt. @return  Whether anything is missing.
  bool note_needs();
  void clear_labels();
  void watch(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options);
  void note_trouble(const std::string& sentence);
  void note_labels(std::size_t frame, Labelled labelled);
  /// Labelled frames in order of how useful labelling them is for training.
  std::vector<std::size_t> ranked_frames() const;
  /// The first of them, which are sent to pages.
  std::vector<std::size_t> next_frames() const;

  std::vector<image::ClassInfo> class_infos() const;
  /// [index] Numbers of live classes.
  std::vector<std::uint16_t> class_numbers() const;
  nlohmann::json frame_json(std::size_t frame) const;

  // Drawn labels, which may take seconds to paint: session_truth.cpp.
  /// Labels drawn on a frame, in a tenth of the memory of an image.
  struct Truth {
    std::shared_ptr<const PackedLabels> labels;  // indices of live classes
    std::vector<bool> classes;                   // [live class] whether the frame has pixels of it
  };
  static Truth truth_in(const image::LabelImage& labels, std::size_t num_classes);
  const Truth& truth_of(std::size_t frame);
  /// A function, for any thread, that returns the labels drawn on a frame.
  std::function<image::LabelImage()> drawn_reader(std::size_t frame) const;
  /// Paints a frame on another thread if it is too much work for this one, and then calls `then` while the result is
  /// cached. @return  Whether it does.
  bool paint_aside(std::size_t frame, std::function<void()> then);
  /// Writes the truth, one file at a time, so that pages are answered in between.
  void write_truth();
  void write_next_truth();
  void note_held_out(HeldOutPredictions held_out);
  void judge_next(const std::shared_ptr<CrossValidation>& validation);

  Project& project;
  LabelCarrier carrier{project};
  bool is_carrying_on = false;       // a step is in progress
  bool has_carried_on = false;       // since pages were last notified of completion
  bool has_carried_changed = false;  // likewise, with a changed result
  const std::string train_command;
  std::map<int, std::size_t> views;                      // [client] frame
  std::map<std::size_t, Labelled> labels;                // [frame]
  std::size_t num_unranked = 0;                          // labelled since the last ranking
  nlohmann::json validations = nlohmann::json::array();  // of this session, the newest last
  std::shared_ptr<const forest::Forest> forest;          // the newest; null: nothing was learnt yet
  /// The frame explained last, for the thread that explains.
  struct Explained {
    std::size_t frame = 0;
    std::shared_ptr<const forest::Forest> forest;
    image::PreparedFrame prepared;
  };
  std::shared_ptr<Explained> explained = std::make_shared<Explained>();
  std::map<std::size_t, Truth> truths;             // of frames with strokes; invalidated by changes
  std::uint64_t num_class_changes = 0;             // each invalidates all truths
  bool has_known = false;                          // the session started with a model
  nlohmann::json drawn = nlohmann::json::array();  // [live class] its number, and its number of frames
  std::string needs;                               // what is missing before anything can be learnt
  std::uint64_t cleared_version = 0;               // labels of older requests are ignored
  std::map<std::size_t, PackedLabels> suggested;   // [frame] transferred from another, not accepted yet
  struct PutOff {
    std::deque<std::string> messages;
    std::size_t num_bytes = 0;
  };
  std::map<int, PutOff> put_off;                       // [client] messages that wait for a frame to be painted
  std::deque<std::pair<int, std::string>> map_wishes;  // a client, and the room that it requested
  std::shared_ptr<MapBuild> map_build;                 // null: none is being built
  std::map<std::uint64_t, web::WebAnswer> maps;        // [number] points of the newest maps
  std::uint64_t num_maps = 0;
  bool is_smooth = false;  // whether labels of the model are smoothed
  bool is_writing_truth = false;
  bool is_preparing_request = false;
  std::string source, trouble;        // of the camera, if there is one
  std::vector<std::string> warnings;  // about the data, before anything is taught
  std::vector<image::ClassInfo> offered;
  CameraView camera;
  web::WebServer server;
  Learner learner;  // last: stopped before the members that its callbacks use
  std::optional<CameraCapture> watching;
};

}  // namespace fernwood::teach
