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
#include "teach/camera_view.h"
#include "teach/label_carrier.h"
#include "teach/packed_labels.h"
#include "teach/validation.h"
#include "web/page.h"

namespace fernwood::teach {

/// More than the frames of any project or camera.
inline constexpr std::uint64_t kMostFrames = std::uint64_t{1} << 32;
/// Of a frame's strokes so much may be painted by the server's thread, as work_of() counts: some 12 ms.
inline constexpr std::uint64_t kMostWorkHere = kMostStrokeWork / 4;
/// Of a page that waits for a frame to be painted.
inline constexpr std::size_t kMostPutOffBytes = std::size_t{32} << 20;

/// Of a frame's pixels, so many have labels that are carried there.
inline double share_carried(const Project& project, std::size_t frame) {
  return static_cast<double>(project.num_carried(frame)) /
         static_cast<double>(project.frame_rows(frame) * project.frame_cols(frame));
}

/// What Teaching is made of. All but what the learner and the camera call is for the server's thread.
struct Teaching::Session {
  /// A frame as the newest forest sees it.
  struct Labelled {
    std::uint64_t version = 0;
    bool is_thorough = false;
    FrameUncertainty uncertainty;
    web::WebAnswer labels_picture, uncertainty_picture;
    PackedLabels packed;                       ///< Indices of the forest's classes.
    std::vector<std::uint16_t> class_numbers;  ///< Of them, as the project numbers classes.
  };

  Session(Project& taught, const LearnerOptions& learning, const web::WebOptions& web, std::string command);

  // What pages fetch: session_pictures.cpp.
  web::WebAnswer get(const std::string& path);
  web::WebAnswer get_frame(std::size_t frame, const std::string& what);
  web::WebAnswer get_export(const std::string& what);
  web::WebAnswer explain(std::size_t frame, const std::string& path);

  // What pages say: session_messages.cpp.
  struct Request {
    int client;
    const JsonField& message;
  };
  struct Verb;
  static const std::vector<Verb>& verbs();
  void on_message(int client, const std::string& text);
  /// @return  Whether it was done, or failed; else go_on() comes to it again, when a frame that it needs is painted.
  bool does(int client, const std::string& text);
  /// Does what a page has said meanwhile, in its order, one message in each call.
  void go_on(int client);
  void answer(int client, const nlohmann::json& answer);
  nlohmann::json view(const Request& request);
  /// @return  The stroke that was drawn or taken away, if one was.
  using ChangeStrokes = std::function<std::optional<std::uint64_t>(std::size_t frame, const std::string& said)>;
  nlohmann::json draw(const Request& request, const ChangeStrokes& change);
  nlohmann::json draw_stroke(const Request& request);
  nlohmann::json draw_fill(const Request& request);
  nlohmann::json undo(const Request& request);
  nlohmann::json redo(const Request& request);
  /// @throws Error(kUsage) for a stroke that all pages would wait for.
  void check_painting_work(const Stroke& stroke, std::size_t frame) const;
  Stroke fill_area(std::size_t frame, const JsonField& message) const;
  /// Changes what labels mean: those of all frames are told anew.
  using ChangeClass = std::function<void(std::uint16_t number, const std::string& said)>;
  nlohmann::json alter_class(const Request& request, const ChangeClass& change);
  nlohmann::json change_class(const Request& request);
  nlohmann::json merge_class(const Request& request);
  nlohmann::json delete_class(const Request& request);
  nlohmann::json restore_class(const Request& request);
  nlohmann::json lock_class(const Request& request);
  nlohmann::json add_class(const Request& request);
  nlohmann::json count_strokes(const Request& request);
  /// A class may be called by what a page called the message that adds it, so that a page draws before it is answered.
  void number_classes(nlohmann::json& message) const;
  static std::optional<std::uint64_t> given_stroke(const JsonField& message);
  nlohmann::json keep(const Request& request);
  nlohmann::json accept(const Request& request);
  std::size_t frame_of(const JsonField& message) const;

  // What frames have of each other: session_carrying.cpp.
  /// Answers when the labels have been transferred, by another thread. @return  Null.
  nlohmann::json transfer(const Request& request);
  nlohmann::json carry(const Request& request);
  /// Carries what was drawn to the frames that see it, one at a time, by another thread. When all is done, and
  /// something is other than it was, it is learnt.
  void carry_on();
  void say_carried();
  /// What gives, on any thread, what was drawn on a frame, and what is carried there elsewhere.
  std::function<image::LabelImage()> taught_reader(std::size_t frame);
  /// Frames that have labels, and their numbers. @param carried_too  Else those that have strokes, and these alone.
  std::pair<dataset::InMemoryFrames, std::vector<std::size_t>> taught_frames(bool carried_too);

  // What of a room is labelled: session_map.cpp.
  struct MapBuild;
  /// Answered at once; the page hears of the map when it is there. A page has one wish: the newest.
  nlohmann::json make_map(const Request& request);
  nlohmann::json leave_map(const Request& request);
  void forget_map_of(int client);
  /// The room that a frame shows. @throws Error(kUsage) where there is no map of it, saying what to do.
  std::string room_to_map(std::size_t frame) const;
  /// Does what is next, if something is: each step is a frame's work at most, by another thread.
  void map_on();
  void begin_map();
  void add_to_map(std::size_t frame);
  void finish_map();
  web::WebAnswer get_map(const std::string& address) const;

  // What becomes of labels of a model: predictions.cpp.
  /// What gives, on any thread, indices of live classes, kVoid where a label's class is gone. @throws Error(kUsage)
  /// where there are none yet.
  std::function<image::LabelImage()> prediction(std::size_t frame) const;
  nlohmann::json accept_labels(const Request& request);
  /// Draws labels as one stroke where nothing is drawn. @param found  Indices of live classes.
  nlohmann::json draw_labels(std::size_t frame, image::LabelImage found, const std::string& said);
  nlohmann::json mark_done(const Request& request);
  nlohmann::json smooth(const Request& request);
  /// @param what  "drawn", "predicted", or "both": what is predicted, and what was drawn over it.
  web::WebAnswer get_labels_export(const std::string& what, const std::string& format);

  // What pages hear, and requests to the learner: teaching.cpp.
  void opened(int client);
  nlohmann::json classes_json() const;
  void say_classes();
  void say_truth(std::size_t frame);
  /// Requests a training, once it is known what is drawn on all its frames: one at a time, so that pages are answered
  /// between two.
  void schedule_update();
  void prepare_request();
  /// Tells what is missing until something can be learnt. @return  Whether nothing can.
  bool note_needs();
  void clear_labels();
  void watch(std::shared_ptr<dataset::FrameSource> source, const predict::LiveOptions& options);
  void note_trouble(const std::string& sentence);
  void note_labels(std::size_t frame, Labelled labelled);
  /// Which frames would teach most first, of those that are labelled.
  std::vector<std::size_t> ranked_frames() const;
  /// The first of them, which pages are told.
  std::vector<std::size_t> next_frames() const;

  std::vector<image::ClassInfo> class_infos() const;
  /// [index] Numbers of live classes.
  std::vector<std::uint16_t> class_numbers() const;
  nlohmann::json frame_json(std::size_t frame) const;

  // What was drawn, which may take seconds to paint: session_truth.cpp.
  /// What is drawn on a frame, in a tenth of the memory of an image.
  struct Truth {
    std::shared_ptr<const PackedLabels> labels;  // indices of live classes
    std::vector<bool> classes;                   // [of live classes] whether it has pixels of it
  };
  static Truth truth_in(const image::LabelImage& labels, std::size_t num_classes);
  const Truth& truth_of(std::size_t frame);
  /// What gives the labels of a frame on any thread.
  std::function<image::LabelImage()> drawn_reader(std::size_t frame) const;
  /// Has a frame painted by another thread where this one has not the time for it, and then does `then` while it is
  /// kept painted. @return  Whether it does.
  bool paint_aside(std::size_t frame, std::function<void()> then);
  /// Has the truth written, a file at a time, so that pages are answered between two.
  void write_truth();
  void write_next_truth();
  void note_held_out(HeldOutPredictions held_out);
  void judge_next(const std::shared_ptr<CrossValidation>& validation);

  Project& project;
  LabelCarrier carrier{project};
  bool is_carrying_on = false;       // a step is on its way
  bool has_carried_on = false;       // since pages heard that nothing is left
  bool has_carried_changed = false;  // the same, for another result
  const std::string train_command;
  std::map<int, std::size_t> views;                      // [client] frame
  std::map<std::size_t, Labelled> labels;                // [frame]
  std::size_t num_unranked = 0;                          // that came since they were ranked
  nlohmann::json validations = nlohmann::json::array();  // of this session, the newest last
  std::shared_ptr<const forest::Forest> forest;          // the newest; null: nothing was learnt yet
  /// The frame that was explained last, for the thread that explains.
  struct Explained {
    std::size_t frame = 0;
    std::shared_ptr<const forest::Forest> forest;
    image::PreparedFrame prepared;
  };
  std::shared_ptr<Explained> explained = std::make_shared<Explained>();
  std::map<std::size_t, Truth> truths;             // of frames that have strokes, until it changes
  std::uint64_t num_class_changes = 0;             // after each of which there are other truths
  bool has_known = false;                          // a model to begin with
  nlohmann::json drawn = nlohmann::json::array();  // [of live classes] its number, and of how many frames
  std::string needs;                               // what is missing until something can be learnt
  std::uint64_t cleared_version = 0;               // labels of older requests are not looked at
  std::map<std::size_t, PackedLabels> suggested;   // [frame] transferred from another, not accepted yet
  struct PutOff {
    std::deque<std::string> messages;
    std::size_t num_bytes = 0;
  };
  std::map<int, PutOff> put_off;                       // [client] what waits for a frame that is being painted
  std::deque<std::pair<int, std::string>> map_wishes;  // a client, and the room that it wants to see
  std::shared_ptr<MapBuild> map_build;                 // null: none is made
  std::map<std::uint64_t, web::WebAnswer> maps;        // [number] points of the newest
  std::uint64_t num_maps = 0;
  bool is_smooth = false;  // labels of the model
  bool is_writing_truth = false;
  bool is_preparing_request = false;
  std::string source, trouble;        // of the camera, if there is one
  std::vector<std::string> warnings;  // of the data, before anything is taught
  CameraView camera;
  web::WebServer server;
  Learner learner;  // ends before those that it tells
  std::optional<CameraCapture> watching;
};

}  // namespace fernwood::teach
