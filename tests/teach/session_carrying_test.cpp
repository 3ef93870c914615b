// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "image/seen_box.h"
#include "sentences.h"
#include "teach/running_session.h"

namespace fernwood::teach {
namespace {

/// Frames of a room with a box, from slightly different positions.
void keep_recording(const std::filesystem::path& folder, std::size_t num_frames, bool has_poses) {
  Project project(folder);
  image::RigidMotion pose = image::looking_down();
  for (std::size_t i = 0; i < num_frames; ++i) {
    const std::size_t frame = project.add_frame("seen" + std::to_string(i), image::see_box_room(pose).frame);
    if (has_poses) project.set_pose(frame, {"room", pose});
    pose = then(image::motion_of({0, 0.03f, 0}, {0.04f, 0, 0.02f}), pose);
  }
}

/// Messages of a window until no frame is left to carry labels to: the latest share of each frame.
std::map<std::size_t, double> carried_shares(Window& window) {
  std::map<std::size_t, double> shares;
  while (true) {
    const json heard = window.heard("left");
    if (!heard.contains("carried")) return shares;
    shares[heard["carried"]] = heard["share"];
  }
}

Array2<image::Rgb> shown(const RunningSession& session, const dataset::TestFolder& folder, const std::string& what) {
  const web::WebResponse answer = web::asked(session.place(), "/frames/" + what);
  return dataset::read_truth(folder.write("shown.png", answer.body()));
}

TEST(SessionCarrying, WhatIsDrawnOnceIsCarriedToldShownLearntAndWritten) {
  const dataset::TestFolder folder;
  keep_recording(folder / "p", 4, true);
  {
    const RunningSession session(folder / "p");
    Window window(session);
    EXPECT_EQ(window.project["project"]["frames"][0]["has_depth"], true);
    teach_a_little(window);
    EXPECT_EQ(window.project["project"]["frames"][2]["carried"], 0);
    EXPECT_TRUE(window.says({{"do", "carry"}, {"is_carried", true}})["done"]);
    const auto shares = carried_shares(window);
    EXPECT_EQ(shares.size(), 3u) << "all but the frame that is drawn on";
    for (const auto& [frame, share] : shares) EXPECT_GT(share, 0.001) << frame;
    EXPECT_TRUE(window.says(dot_message(3, 80, 60, 1))["done"]);
    EXPECT_FALSE(carried_shares(window).empty()) << "a stroke later is carried, too";
    const json frames = Window(session).project["project"]["frames"];
    EXPECT_EQ(frames[2]["is_carrying"], true);
    EXPECT_EQ(frames[2]["strokes"], 0);
    EXPECT_GT(frames[0]["carried"], 0) << "from frame 3";
    const auto carried = shown(session, folder, "2/carried"), truth = shown(session, folder, "2/truth");
    EXPECT_GT(std::ranges::count(carried, image::Rgb{10, 20, 30}), 5);
    EXPECT_EQ(std::ranges::count(truth, image::Rgb{}), std::ssize(truth)) << "nobody drew there";
    EXPECT_TRUE(are_labelled(session, Window(session).project["project"]["version"]));
  }
  const auto written = dataset::read_truth(folder / "p" / "seen2_ground_truth.png");
  EXPECT_GT(std::ranges::count(written, image::Rgb{10, 20, 30}), 5) << "what fernwood train reads";
}

TEST(SessionCarrying, IsTakenBackInOneStep) {
  const dataset::TestFolder folder;
  keep_recording(folder / "p", 3, false);
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  EXPECT_TRUE(window.says({{"do", "carry"}, {"is_carried", true}, {"frame", 0}})["done"]);
  EXPECT_EQ(carried_shares(window).size(), 2u);
  EXPECT_TRUE(window.says({{"do", "undo"}, {"frame", 0}})["done"]);
  for (const auto& [frame, share] : carried_shares(window)) EXPECT_GT(share, 0) << frame << ": a stroke is left";
  EXPECT_TRUE(window.says({{"do", "carry"}, {"is_carried", false}})["done"]);
  for (const auto& [frame, share] : carried_shares(window)) EXPECT_EQ(share, 0) << frame;
}

TEST(SessionCarrying, WhatCannotBeCarriedIsToldWhy) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "p");
    image::Frame frame;
    frame.color = Array2<image::Rgb>(48, 64);
    project.add_frame("flat", frame);
  }
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_EQ(window.project["project"]["frames"][0]["has_depth"], false);
  testdata::expect_sentence(web::asked(session.place(), "/frames/0/objects?of=both").body());
  for (const json& message : {json{{"do", "carry"}, {"is_carried", true}}, json{{"do", "carry"}, {"is_carried", 3}},
                              json{{"do", "carry"}, {"is_carried", true}, {"frame", 9}}})
    testdata::expect_sentence(window.says(message)["failed"].get<std::string>());
}

TEST(SessionCarrying, WithPosesLabelsAreTransferredFromAnyFrameThatSawThePlace) {
  const dataset::TestFolder folder;
  keep_recording(folder / "p", 15, true);
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  EXPECT_TRUE(window.says(dot_message(0, 130, 60, 0))["done"]);
  const json answer = window.says({{"do", "transfer"}, {"frame", 14}});  // more than kMaxTransferSteps away
  ASSERT_TRUE(answer.contains("done")) << answer;
  EXPECT_EQ(answer["from"], 0);
  EXPECT_GT(answer["share"], 0.2);
  EXPECT_TRUE(window.says({{"do", "accept"}, {"frame", 14}})["done"]);
}

}  // namespace
}  // namespace fernwood::teach
