// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sentences.h"
#include "teach/mapped_sequence.h"
#include "teach/running_session.h"
#include "teach/signed_journal.h"

namespace fernwood::teach {
namespace {

/// Frames of a camera's path through several rooms, `num_frames` in each.
void keep_rooms_with_poses(const std::filesystem::path& folder, std::uint32_t num_frames, std::uint32_t num_rooms = 1) {
  Project project(folder);
  for (std::uint32_t room = 0; room < num_rooms; ++room)
    for (const generate::SyntheticFrame& seen : mapped_sequence(num_frames, room)) {
      const std::size_t frame = project.add_frame("seen" + std::to_string(project.num_frames()), seen.frame);
      project.set_pose(frame, {"room" + std::to_string(room), seen.pose});
    }
}

/// Requests a map and waits for it.
json map_of(Window& window, int frame) {
  const json answer = window.says({{"do", "map"}, {"frame", frame}});
  EXPECT_TRUE(answer.contains("done")) << answer;
  return window.heard("map")["map"];
}

std::size_t num_of_class(const json& map, int number) {
  for (const json& one : map["classes"])
    if (one[0] == number) return one[1];
  return 0;
}

TEST(SessionMap, ShowsWhatIsDrawnAndCarriedInTheRoomOfAFrame) {
  const dataset::TestFolder folder;
  keep_rooms_with_poses(folder / "p", 4, 2);
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_EQ(window.project["project"]["frames"][5]["room"], "room1");
  const json bare = map_of(window, 1);
  EXPECT_EQ(bare["room"], "room0");
  EXPECT_EQ(bare["frames"], 4) << "those of the other room are elsewhere";
  EXPECT_EQ(bare["labelled"], 0);
  EXPECT_GT(bare["points"], 1000);
  teach_a_little(window);
  EXPECT_TRUE(window.says(dot_message(0, 80, 90, 0))["done"]);
  const json drawn = map_of(window, 1);
  EXPECT_GT(num_of_class(drawn, 0), 10u);
  EXPECT_EQ(num_of_class(drawn, 0) + num_of_class(drawn, 1), drawn["labelled"]);
  EXPECT_EQ(drawn["points"], bare["points"]) << "labels add no surface";
  EXPECT_EQ(drawn["colors"], json::parse("[[10, 20, 30], [200, 20, 30]]"));
  const auto points = web::asked(session.place(), "/map/" + drawn["number"].dump());
  EXPECT_EQ(points.body().size(), 16 * drawn["shown"].get<std::size_t>());
  EXPECT_EQ(web::asked(session.place(), "/map/99").result_int(), 404u);
  for (const std::string file : {"/map.html", "/map.js", "/map.css", "/map_viewer.js"})
    EXPECT_EQ(web::asked(session.place(), file).result_int(), 200u) << file;
  EXPECT_EQ(map_of(window, 5)["labelled"], 0) << "the other room";
  EXPECT_TRUE(window.says({{"do", "carry"}, {"is_carried", true}})["done"]);
  while (window.heard("left")["left"] != 0) continue;
  EXPECT_GE(map_of(window, 1)["labelled"], drawn["labelled"]);
  EXPECT_TRUE(window.says({{"do", "delete_class"}, {"class", 0}})["done"]);
  EXPECT_EQ(num_of_class(map_of(window, 1), 0), 0u);
}

TEST(SessionMap, WhatIsMissingIsSaidWithWhatToDo) {
  const dataset::TestFolder folder;
  {
    image::Frame frame;
    frame.color = Array2<image::Rgb>(48, 64);
    Project(folder / "flat").add_frame("flat", frame);
  }
  keep_rooms(folder / "unposed");
  keep_rooms(folder / "half");
  Project(folder / "half").set_pose(1, {"room", {}});
  const auto failed = [&](const std::string& name) {
    const RunningSession session(folder / name);
    return Window(session).says({{"do", "map"}, {"frame", 0}})["failed"].get<std::string>();
  };
  for (const char* name : {"flat", "unposed", "half"}) testdata::expect_sentence(failed(name));
  const RunningSession session(folder / "half");
  Window window(session);
  EXPECT_TRUE(window.says({{"do", "map"}, {"frame", 7}}).contains("failed"));
  EXPECT_EQ(map_of(window, 1)["frames"], 1);
}

TEST(SessionMap, MoreClassesThanCanBeToldApartAreNotMapped) {
  const dataset::TestFolder folder;
  keep_rooms_with_poses(folder / "p", 1);
  const std::filesystem::path journal = folder / "p" / "strokes.journal";
  std::ifstream written(journal);
  std::string lines, line;
  std::getline(written, line);                                          // its title
  while (std::getline(written, line)) lines += line.substr(17) + "\n";  // without checksums
  for (std::size_t c = 0; c <= kMaxTaughtClasses; ++c)
    lines += json{{"class", c}, {"name", "c" + std::to_string(c)}, {"color", {c, 1, 1}}}.dump() + "\n";
  folder.write("p/strokes.journal", signed_journal(lines));
  const RunningSession session(folder / "p");
  testdata::expect_sentence(Window(session).says({{"do", "map"}, {"frame", 0}})["failed"].get<std::string>());
}

TEST(SessionMap, AFrameThatCannotBeReadIsLeftOutAndNamed) {
  const dataset::TestFolder folder;
  keep_rooms_with_poses(folder / "p", 3);
  const RunningSession session(folder / "p");
  Window window(session);
  std::filesystem::remove(folder / "p" / "seen1_depth.png");
  const json map = map_of(window, 0);
  EXPECT_EQ(map["frames"], 2);
  EXPECT_EQ(map["left_out"], 1);
  testdata::expect_sentence(map["problem"].get<std::string>());
}

TEST(SessionMap, IsGivenUpWhenNobodyWaitsAndWhenTheServerEnds) {
  const dataset::TestFolder folder;
  keep_rooms_with_poses(folder / "p", 6, 2);
  {
    const RunningSession session(folder / "p");
    Window patient(session);
    EXPECT_TRUE(patient.says({{"do", "map"}, {"frame", 0}})["done"]);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Window(session).says({{"do", "map"}, {"frame", 6}})["done"]);  // and closes
    EXPECT_EQ(patient.heard("map")["map"]["room"], "room0");
    EXPECT_TRUE(patient.says({{"do", "map"}, {"frame", 0}})["done"]);
    EXPECT_GT(patient.heard("map_left")["map_left"], 0);
    EXPECT_TRUE(patient.says({{"do", "leave_map"}})["done"]);
    EXPECT_TRUE(patient.says({{"do", "map"}, {"frame", 0}})["done"]);
    EXPECT_EQ(map_of(patient, 6)["room"], "room1") << "the newest wish counts";
    EXPECT_TRUE(patient.says({{"do", "map"}, {"frame", 0}})["done"]);
  }
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_TRUE(window.says({{"do", "map"}, {"frame", 0}})["done"]);
  window.heard("map_left");
}

}  // namespace
}  // namespace fernwood::teach
