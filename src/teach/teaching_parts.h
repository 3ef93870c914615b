// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/json_text.h"
#include "fernwood/teach/teaching.h"
#include "teach/camera_capture.h"
#include "teach/label_carrier.h"
#include "teach/label_map.h"
#include "teach/label_transfer.h"
#include "teach/model.h"
#include "teach/truth.h"
#include "web/page.h"

namespace fernwood::teach {

/// The files of src/teach/page.
extern const std::span<const web::PageFile> kPageFiles;

/// Requests of pages, read and answered in the order in which each page sent them: messages.cpp.
class Messages {
 public:
  explicit Messages(TeachingParts& all) : all_(all) {}

  void receive(int client, const std::string& text);
  void answer(int client, const nlohmann::json& answer);
  void forget(int client) { put_off_.erase(client); }

 private:
  struct PutOff {
    std::deque<std::string> messages;
    std::size_t num_bytes = 0;
  };
  /// @return  Whether the request is finished, successfully or not; otherwise go_on() handles it when a frame that it
  /// needs has been painted.
  bool handle(int client, const std::string& text);
  /// Handles deferred requests of a page in their order, one in each call.
  void go_on(int client);

  TeachingParts& all_;
  std::map<int, PutOff> put_off_;  // [client] messages that wait for a frame to be painted
};

/// The objects of a Teaching, connected in its constructor. All of them work on the server's thread and its queue,
/// apart from the learner and the camera, which post to it.
struct TeachingParts {
  TeachingParts(Project& taught, const LearnerOptions& learning, const web::WebOptions& web, std::string command);
  /// To be called after any change of labels or frames.
  void update();
  void tell_all(const nlohmann::json& news) { server.send_to_all(json_text(news)); }
  void opened(int client);
  web::WebAnswer get(const std::string& path);
  web::WebAnswer get_frame(std::size_t frame, const std::string& what, const std::string& path);
  nlohmann::json frame_json(std::size_t frame) const;
  nlohmann::json classes_json() const;

  Project& project;
  const std::string train_command;
  std::vector<std::string> warnings;  // about the data, before anything is taught
  std::vector<image::ClassInfo> offered;
  std::string source, trouble;  // of the camera, if there is one
  CameraView camera;
  // The server ends before those that its work uses, and after the learner and the camera, which post to it.
  Truth truth;
  Labels labels;
  Suggestions suggestions;
  Carrying carrying;
  MapView map;
  Messages messages;
  web::WebServer server;
  Model model;
  std::jthread watching;  // captures the camera, if there is one
};

}  // namespace fernwood::teach
