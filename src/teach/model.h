// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "fernwood/teach/teaching.h"
#include "teach/labels.h"
#include "teach/truth.h"

namespace fernwood::teach {

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
  /// Whether its labels are smoothed.
  void smooth(bool is_smooth);

  /// Members of the project's description.
  nlohmann::json facts() const { return {{"needs", needs_}, {"drawn", drawn_}, {"smooth", is_smooth_}}; }

 private:
  void prepare_request();
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
  bool is_smooth_ = false, is_preparing_ = false;
  Learner learner_;  // last: stopped before the members that its callbacks use
};

}  // namespace fernwood::teach
