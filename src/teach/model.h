// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/image/prepared_frame.h"
#include "fernwood/teach/teaching.h"
#include "teach/advice.h"
#include "teach/painting.h"
#include "teach/truth.h"

namespace fernwood::teach {

/// What the newest forest makes of the frames: their labels and uncertainty, the order in which frames are best
/// labelled next, and its cross-validation. Announced to pages, which then fetch pictures. For the server's thread,
/// except learnt(), labelled() and judged(), which the learner calls.
class Labels {
 public:
  /// @param encoder  Of the frames' maps, or null.
  Labels(Project& project, web::WebServer& server, std::shared_ptr<const encoder::Encoder> encoder)
      : project_(project), server_(server), encoder_(std::move(encoder)) {}

  /// @param then  Called on the server's thread, unless the labels were cleared since.
  void learnt(LearntForest learnt, std::function<void()> then);
  void labelled(const LearntLabels& found);
  void judged(HeldOutPredictions held_out);
  /// Gives the classes of the forest the names and colours that those of the project have now.
  void rename();
  /// Removes all of it, because there is nothing left to learn from. What older requests still bring is ignored.
  void clear();

  /// A function, for any thread, that returns indices of live classes, kVoid where a label's class was deleted. @throws
  /// Error(kUsage) if there are no labels yet.
  std::function<image::LabelImage()> prediction(std::size_t frame) const;
  /// Labelled frames in order of how useful labelling them is for training.
  std::vector<std::size_t> ranked_frames() const;
  /// Tells pages the first of them.
  void tell_next() const;

  // What pages show.
  nlohmann::json next_frames() const;
  const nlohmann::json& validations() const { return validations_; }
  /// Members of a frame's description.
  nlohmann::json facts_of(std::size_t frame) const;
  /// @param what  "labels" or "uncertainty".
  web::WebAnswer picture(std::size_t frame, const std::string& what) const;
  /// @param path  Ends with the pixel: "?x=320&y=240".
  web::WebAnswer why(std::size_t frame, const std::string& path) const;
  web::WebAnswer model() const;
  /// A function, for any thread, that returns indices of live classes; empty if the frame has no such labels.
  /// @param what  "drawn", "predicted", or "both": predictions with the drawn labels over them.
  std::function<image::LabelImage()> reader(const std::string& what, std::size_t frame, const Truth& truth) const;
  /// @param what  As of reader().
  web::WebAnswer exported(const std::string& what, const std::string& format, const Truth& truth) const;

 private:
  struct Labelled {
    std::uint64_t version = 0;
    bool is_thorough = false;
    FrameUncertainty uncertainty;
    web::WebAnswer uncertainty_picture;
    PackedLabels packed;                       ///< Indices of the forest's classes.
    std::vector<std::uint16_t> class_numbers;  ///< Their numbers in the project.
  };
  /// The frame explained last, for the thread that explains.
  struct Explained {
    std::size_t frame = 0;
    std::shared_ptr<const forest::Forest> forest;
    image::PreparedFrame prepared;
  };

  void note(std::size_t frame, Labelled labelled);
  void judge_next(const std::shared_ptr<CrossValidation>& validation);

  Project& project_;
  web::WebServer& server_;
  std::shared_ptr<const encoder::Encoder> encoder_;
  std::map<std::size_t, Labelled> labels_;        // [frame]
  std::shared_ptr<const forest::Forest> forest_;  // null: nothing was learnt yet
  std::vector<std::uint16_t> class_numbers_;      // of the forest's classes
  std::uint64_t cleared_version_ = 0;
  std::size_t num_unranked_ = 0;                          // labelled since the last ranking
  nlohmann::json validations_ = nlohmann::json::array();  // of this session, the newest last
  std::shared_ptr<Explained> explained_ = std::make_shared<Explained>();
};

/// The model that follows the labels of a project: requests a training after changes, once the labels of all frames are
/// painted, and tells pages what is missing before anything can be learnt. For the server's thread.
class Model {
 public:
  Model(Project& project, Truth& truth, Labels& labels, web::WebServer& server, const LearnerOptions& options);

  /// To be called after any change of labels or frames. Paints one frame at a time, so that pages are answered in
  /// between.
  void update();
  /// Frames that pages show are labelled first.
  void show(int client, std::size_t frame) { views_[client] = frame; }
  void prioritize(int client);
  void forget(int client) { views_.erase(client); }
  /// Sets whether its labels are smoothed, in the project.
  void smooth(bool is_smooth);

  /// Members of the project's description.
  nlohmann::json facts() const {
    return {{"needs", needs_}, {"drawn", drawn_}, {"smooth", project_.is_smooth()}, {"training", activity_}};
  }

 private:
  void prepare_request();
  /// Tells pages what the learner is doing.
  void tell(const std::string& activity);
  /// @return  Whether anything is missing.
  bool note_needs();

  Project& project_;
  Truth& truth_;
  Labels& labels_;
  web::WebServer& server_;
  const bool has_known_;                            // the session started with a model
  std::map<int, std::size_t> views_;                // [client] frame
  std::string needs_;                               // what is missing before anything can be learnt
  nlohmann::json drawn_ = nlohmann::json::array();  // [live class] its number, and its number of frames
  std::string activity_;                            // of the learner
  bool is_preparing_ = false;
  Learner learner_;  // last: stopped before the members that its callbacks use
};

}  // namespace fernwood::teach
