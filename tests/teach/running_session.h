// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A project with a running session, and windows connected to it, for the tests of sessions.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "dataset/test_files.h"
#include "fernwood/generate/generate.h"
#include "fernwood/teach/teaching.h"
#include "wait_for.h"
#include "web/web_page.h"

namespace fernwood::teach {

using nlohmann::json;

inline LearnerOptions quick_learner() {
  LearnerOptions options;
  options.quick = train::defaults_of(forest::ForestKind::kBoosted);
  options.quick.trees = 3;
  options.quick.features = 40;
  options.quick.samples_per_frame = 100;
  options.resources.device = options.predict.device = "cpu";
  return options;
}

inline void keep_rooms(const std::filesystem::path& folder) {
  Project project(folder);
  generate::GenerateOptions size;
  size.width = 64;
  size.height = 48;
  for (std::uint32_t i = 0; i < 3; ++i)
    project.add_frame("room" + std::to_string(i), generate::generate_frame(size, i).frame);
}

/// A session that runs during its lifetime.
class RunningSession {
 public:
  explicit RunningSession(const std::filesystem::path& folder)
      : project_(folder),
        teaching_(project_, quick_learner(), {}),
        thread_([this](std::stop_token stop) { teaching_.run(stop); }) {}
  web::WebPlace place() const { return web::WebPlace(teaching_.url()); }

 private:
  Project project_;
  Teaching teaching_;
  std::jthread thread_;
};

/// A connected window that has received the project's description.
class Window {
 public:
  explicit Window(const RunningSession& session) : page_(session.place()) { project = heard("project"); }

  /// Sends a message and waits for its answer.
  json says(json message) {
    message["id"] = ++id_;
    page_.say(message.dump());
    while (true) {
      const json answer = hear();
      if (answer.contains("id") && answer["id"] == id_) return answer;
    }
  }
  json says_raw(const std::string& text) {
    page_.say(text);
    return heard("id");
  }
  /// Waits for a message with this key.
  json heard(const std::string& key) {
    while (true) {
      const json message = hear();
      if (message.contains(key)) return message;
    }
  }

  json project;

 private:
  json hear() {
    const std::string text = page_.hear();
    if (page_.failure) throw std::runtime_error(page_.failure.message());
    return json::parse(text);
  }

  web::WebPage page_;
  int id_ = 0;
};

inline json dot_message(int frame, int col, int row, json class_id) {
  return {{"do", "stroke"}, {"frame", frame}, {"class", class_id}, {"brush", 40}, {"points", {8 * col, 8 * row}}};
}

/// Adds two classes with a stroke each.
inline void teach_a_little(Window& window) {
  EXPECT_TRUE(window.says({{"do", "add_class"}, {"name", "floor"}, {"color", {10, 20, 30}}})["done"]);
  EXPECT_TRUE(window.says({{"do", "add_class"}, {"name", "wall"}, {"color", {200, 20, 30}}})["done"]);
  EXPECT_EQ(window.says(dot_message(0, 30, 44, 0))["stroke"], 1);
  EXPECT_EQ(window.says(dot_message(0, 30, 5, 1))["stroke"], 2);
}

/// Waits until all frames have the labels of this version.
inline bool are_labelled(const RunningSession& session, int version) {
  const auto is_labelled = [&](const json& frame) { return frame["labels_of"] == version; };
  return wait_for([&] {
    const json frames = Window(session).project["project"]["frames"];
    return std::ranges::all_of(frames, is_labelled);
  });
}

}  // namespace fernwood::teach
