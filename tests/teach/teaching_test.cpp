// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/generate/generate.h"
#include "image/seen_box.h"
#include "sentences.h"
#include "teach/running_session.h"
#include "wait_for.h"
#include "web/web_page.h"

namespace fernwood::teach {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Teaching, AMessageWithoutAMemberThatItNeedsIsRefusedByItsName) {
  const dataset::TestFolder folder;
  { Project(folder / "p").add_frame("a", image::see_box_room(image::looking_down()).frame); }
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  const json before = Window(session).project["project"];
  const json whole[] = {{{"do", "view"}, {"frame", 0}},
                        {{"do", "stroke"}, {"frame", 0}},
                        {{"do", "fill"}, {"frame", 0}, {"class", 0}, {"x", 8}, {"y", 8}, {"turn", 20}},
                        {{"do", "undo"}, {"frame", 0}},
                        {{"do", "redo"}, {"frame", 0}},
                        {{"do", "transfer"}, {"frame", 0}},
                        {{"do", "accept"}, {"frame", 0}},
                        {{"do", "carry"}, {"is_carried", true}},
                        {{"do", "accept_labels"}, {"frame", 0}},
                        {{"do", "mark_done"}, {"frame", 0}, {"is_done", true}},
                        {{"do", "smooth"}, {"is_smooth", true}},
                        {{"do", "add_class"}, {"name", "shelf"}},
                        {{"do", "count_strokes"}, {"class", 0}},
                        {{"do", "lock"}, {"class", 0}, {"locked", true}},
                        {{"do", "change_class"}, {"class", 0}, {"name", "rug"}, {"color", {1, 2, 3}}},
                        {{"do", "merge"}, {"class", 0}, {"into", 1}},
                        {{"do", "delete_class"}, {"class", 0}},
                        {{"do", "restore_class"}, {"class", 0}}};
  for (const json& message : whole)
    for (const auto& [member, value] : message.items()) {
      json part = message;
      part.erase(member);
      const json answer = window.says(part);
      ASSERT_TRUE(answer.contains("failed")) << part << " is answered by " << answer;
      EXPECT_THAT(answer["failed"].get<std::string>(), HasSubstr(member)) << part;
    }
  testdata::expect_sentence(window.says({{"do", "sing"}, {"frame", 0}})["failed"].get<std::string>());
  EXPECT_EQ(Window(session).project["project"]["frames"][0]["strokes"], before["frames"][0]["strokes"])
      << "and nothing has changed";
  EXPECT_EQ(Window(session).project["project"]["classes"], before["classes"]);
}

TEST(Teaching, LabelsOfANeighbourAreTransferredAndAccepted) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "p");
    const image::RigidMotion pose = image::looking_down(), move = image::motion_of({0, 0.03f, 0}, {0.04f, 0, 0.02f});
    project.add_frame("a", image::see_box_room(pose).frame);
    project.add_frame("b", image::see_box_room(then(move, pose)).frame);
  }
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  testdata::expect_sentence(window.says({{"do", "accept"}, {"frame", 1}})["failed"].get<std::string>());
  const json answer = window.says({{"do", "transfer"}, {"frame", 1}});
  ASSERT_TRUE(answer.contains("done")) << answer;
  EXPECT_EQ(answer["from"], 0);
  EXPECT_GT(answer["share"], 0.5);
  const web::WebResponse picture = web::asked(session.place(), "/frames/1/suggested");
  EXPECT_EQ(picture[boost::beast::http::field::content_type], "image/png");
  EXPECT_TRUE(window.says({{"do", "accept"}, {"frame", 1}})["done"]);
  EXPECT_EQ(Window(session).project["project"]["frames"][1]["strokes"], 1) << "one step to take back";
  testdata::expect_sentence(window.says({{"do", "accept"}, {"frame", 1}})["failed"].get<std::string>());
}

TEST(Teaching, LabelsOfTheModelAreAccepted) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  const auto accepts = [&](json where) {
    where.update({{"do", "accept_labels"}, {"frame", 1}});
    return window.says(where);
  };
  const auto truth_of = [&](int frame) {
    const std::string path = "/frames/" + std::to_string(frame) + "/truth";
    const web::WebResponse picture = web::asked(session.place(), path);
    return dataset::read_truth(folder.write("truth.png", picture.body()));
  };
  testdata::expect_sentence(accepts({})["failed"].get<std::string>());
  teach_a_little(window);
  ASSERT_TRUE(are_labelled(session, 7));
  EXPECT_EQ(window.says(dot_message(1, 10, 10, 1))["stroke"], 3) << "what is drawn here, over whatever the model says";
  ASSERT_TRUE(are_labelled(session, 8));
  const auto drawn_pixels = [&](int frame, image::Rgb color) {
    return static_cast<int>(std::ranges::count(truth_of(frame), color));
  };
  const image::Rgb floor = {10, 20, 30}, wall = {200, 20, 30};
  const int num_drawn = drawn_pixels(1, wall);
  EXPECT_GT(num_drawn, 0);
  const json inside = accepts({{"polygon", {0, 0, 256, 0, 256, 384, 0, 384}}, {"request", "aa-1"}});
  ASSERT_TRUE(inside.contains("done")) << inside;
  EXPECT_EQ(inside["stroke"], 4);
  EXPECT_EQ(inside["pixels"], 32 * 48 - num_drawn) << "the left half, but for what was drawn";
  EXPECT_EQ(accepts({{"polygon", {0, 0, 256, 0, 256, 384}}, {"request", "aa-1"}})["stroke"], 4) << "once";
  EXPECT_EQ(drawn_pixels(1, floor) + drawn_pixels(1, wall), 32 * 48);
  EXPECT_EQ(truth_of(1)(10, 10), wall);
  testdata::expect_sentence(accepts({{"brush", 16}, {"points", {80, 80}}})["failed"].get<std::string>());
  EXPECT_TRUE(accepts({{"polygon", {0, 0}}}).contains("failed"));
  EXPECT_EQ(window.says({{"do", "undo"}, {"frame", 1}})["stroke"], 4);
  EXPECT_EQ(drawn_pixels(1, floor) + drawn_pixels(1, wall), num_drawn);
  const json of_class = accepts({{"class", 0}});
  EXPECT_EQ(drawn_pixels(1, wall), num_drawn);
  EXPECT_EQ(drawn_pixels(1, floor), of_class["pixels"]);
  EXPECT_TRUE(accepts({})["pixels"].is_number());
  EXPECT_EQ(drawn_pixels(1, floor) + drawn_pixels(1, wall), 64 * 48);
}

TEST(Teaching, LabelsOfTheModelGoOutInAllFormats) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  const auto got = [&](const std::string& path) { return web::asked(session.place(), path); };
  testdata::expect_sentence(got("/export/predicted/coco").body());
  testdata::expect_sentence(got("/export/coco").body());
  teach_a_little(window);
  ASSERT_TRUE(are_labelled(session, 7));
  const auto labelled_pixels = [&](const std::string& what) {
    int sum = 0;
    const json document = json::parse(got("/export/" + what + "/coco").body());
    for (const json& region : document["annotations"]) sum += region["area"].get<int>();
    return sum;
  };
  EXPECT_EQ(labelled_pixels("predicted"), 3 * 64 * 48);
  EXPECT_EQ(labelled_pixels("both"), 3 * 64 * 48);
  EXPECT_GT(labelled_pixels("drawn"), 0);
  EXPECT_LT(labelled_pixels("drawn"), 64 * 48);
  EXPECT_EQ(json::parse(got("/export/predicted/label-studio").body()).size(), 3u);
  for (const char* format : {"png", "npy"}) {
    const web::WebResponse archive = got("/export/both/" + std::string(format));
    EXPECT_EQ(archive[boost::beast::http::field::content_type], "application/zip");
    EXPECT_THAT(archive.body(), HasSubstr("room1." + std::string(format)));
  }
  testdata::expect_sentence(got("/export/guessed/coco").body());
  EXPECT_EQ(window.says({{"do", "add_class"}, {"name", "door"}})["class"], 2);
  EXPECT_EQ(window.says(dot_message(0, 50, 25, 2))["stroke"], 3);
  EXPECT_TRUE(window.says({{"do", "merge"}, {"class", 1}, {"into", 0}})["done"]);
  EXPECT_EQ(json::parse(got("/export/predicted/coco").body())["categories"].size(), 2u)
      << "labels follow their classes";
}

TEST(Teaching, ObjectsAreShownAndCutAndGoOutApart) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "p");
    project.add_frame("a", {Array2<image::Rgb>(48, 64), Array2<std::uint16_t>(48, 64, 1500)});
  }
  const RunningSession session(folder / "p");
  Window window(session);
  const auto objects = [&] { return json::parse(web::asked(session.place(), "/frames/0/objects?of=both").body()); };
  const auto regions = [&] {
    return json::parse(web::asked(session.place(), "/export/drawn/coco").body())["annotations"].size();
  };
  EXPECT_EQ(objects()["text"], "no objects");
  EXPECT_TRUE(window.says({{"do", "add_class"}, {"name", "chair"}})["done"]);
  const json square = {80, 80, 400, 80, 400, 240, 80, 240};
  EXPECT_EQ(window.says({{"do", "stroke"}, {"frame", 0}, {"class", 0}, {"polygon", square}})["stroke"], 1);
  const json whole = objects();
  EXPECT_EQ(whole["text"], "1 chair, 1.5 m");
  EXPECT_EQ(whole["objects"][0]["bounds"], json({10, 10, 49, 29}));
  EXPECT_EQ(whole["outlines"], json({10, 10, 50, 10, 10, 30, 50, 30, 10, 10, 10, 30, 50, 10, 50, 30}));
  EXPECT_EQ(whole["middles"], json({{29, 19}}));
  EXPECT_EQ(whole["cuts"], json::array());
  EXPECT_EQ(regions(), 1u);
  EXPECT_EQ(window.says({{"do", "stroke"}, {"frame", 0}, {"cut", 8}, {"points", {320, 0, 320, 380}}})["stroke"], 2);
  EXPECT_EQ(objects()["text"], "2 chairs, nearest 1.5 m");
  EXPECT_EQ(objects()["cuts"].size(), 2u * 48);
  EXPECT_EQ(regions(), 2u);
  EXPECT_EQ(window.says({{"do", "undo"}, {"frame", 0}})["stroke"], 2);
  EXPECT_EQ(objects()["text"], "1 chair, 1.5 m");
  testdata::expect_sentence(web::asked(session.place(), "/frames/0/objects?of=guessed").body());
}

TEST(Teaching, LabelsAreSmoothForAllWindowsUnlessTheProjectSaysOtherwise) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  {
    const RunningSession session(folder / "p");
    Window window(session), other(session);
    EXPECT_EQ(window.project["project"]["smooth"], true);
    teach_a_little(window);
    ASSERT_TRUE(are_labelled(session, 7));
    const auto labels = [&] { return web::asked(session.place(), "/frames/1/labels").body(); };
    const std::string smooth = labels();
    EXPECT_TRUE(window.says({{"do", "smooth"}, {"is_smooth", false}})["done"]);
    EXPECT_EQ(other.heard("smooth")["smooth"], false);
    EXPECT_TRUE(wait_for([&] { return labels() != smooth; }));
    EXPECT_TRUE(window.says({{"do", "smooth"}, {"is_smooth", 1}}).contains("failed"));
  }
  const RunningSession session(folder / "p");
  EXPECT_EQ(Window(session).project["project"]["smooth"], false);
}

TEST(Teaching, AClassGetsItsNewNameAndColourWithoutTraining) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_TRUE(window.says({{"do", "smooth"}, {"is_smooth", false}})["done"]);
  teach_a_little(window);
  ASSERT_TRUE(are_labelled(session, 8));
  EXPECT_TRUE(window.says({{"do", "change_class"}, {"class", 1}, {"name", "window"}, {"color", {1, 250, 2}}})["done"]);
  const auto got = [&](const std::string& path) { return web::asked(session.place(), path).body(); };
  const Array2<image::Rgb> labels = dataset::read_truth(folder.write("labels.png", got("/frames/0/labels")));
  EXPECT_GT(std::ranges::count(labels, image::Rgb{1, 250, 2}), 0);
  EXPECT_EQ(std::ranges::count(labels, image::Rgb{200, 20, 30}), 0);
  EXPECT_EQ(json::parse(got("/frames/0/why?x=3&y=4"))["classes"][1]["name"], "window");
  EXPECT_THAT(got("/export/model"), HasSubstr("window"));
  const json project = Window(session).project["project"];
  EXPECT_EQ(project["frames"][1]["labels_of"], 8) << "nothing was trained";
  EXPECT_TRUE(wait_for([&] {
    return dataset::read_truth(folder / "p" / "room0_ground_truth.png")(5, 30) == image::Rgb{1, 250, 2};
  }));
}

TEST(Teaching, PagesHearWhatTheLearnerDoes) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_EQ(window.project["project"]["training"], "");
  teach_a_little(window);
  std::vector<std::string> heard;
  while (heard.empty() || heard.back() != "validation") heard.push_back(window.heard("training")["training"]);
  EXPECT_THAT(heard, testing::Contains("quick"));
}

TEST(Teaching, FramesThatAreDoneAreToldAndNotProposed) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session), other(session);
  teach_a_little(window);
  ASSERT_TRUE(are_labelled(session, 7));
  EXPECT_TRUE(window.says({{"do", "mark_done"}, {"frame", 2}, {"is_done", true}})["done"]);
  const json on_message = other.heard("marked");
  EXPECT_EQ(on_message["marked"], 2);
  EXPECT_EQ(on_message["is_done"], true);
  const json project = Window(session).project["project"];
  EXPECT_EQ(project["frames"][2]["is_done"], true);
  EXPECT_EQ(project["frames"][1]["is_done"], false);
  EXPECT_EQ(project["next"].size(), 2u);
  EXPECT_TRUE(window.says({{"do", "mark_done"}, {"frame", 3}, {"is_done", true}}).contains("failed"));
}

TEST(Teaching, RequestsAreIdempotent) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  json dot = dot_message(0, 30, 44, 0);
  dot["request"] = "ab12-1";
  {
    const RunningSession session(folder / "p");
    Window window(session);
    teach_a_little(window);
    EXPECT_EQ(window.says(dot)["stroke"], 3);
    EXPECT_EQ(window.says(dot)["stroke"], 3);
  }
  const RunningSession again(folder / "p");
  Window window(again);
  EXPECT_EQ(window.project["project"]["frames"][0]["strokes"], 3);
  EXPECT_EQ(window.says(dot)["stroke"], 3);
  dot["request"] = "not plain!";
  testdata::expect_sentence(window.says(dot)["failed"].get<std::string>());
  EXPECT_EQ(window.says({{"do", "undo"}, {"frame", 0}, {"stroke", 1}})["stroke"], 1);
  testdata::expect_sentence(window.says({{"do", "undo"}, {"frame", 0}, {"stroke", 1}})["failed"].get<std::string>());
  EXPECT_EQ(window.says({{"do", "redo"}, {"frame", 0}})["stroke"], 1);
}

TEST(Teaching, StrokesAreAnsweredAndFramesAreLabelled) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_EQ(window.project["project"]["frames"].size(), 3u);
  EXPECT_EQ(window.project["project"]["frames"][2]["name"], "room2");
  teach_a_little(window);
  EXPECT_TRUE(window.says({{"do", "view"}, {"frame", 2}})["done"]);
  EXPECT_TRUE(are_labelled(session, 7));
  const auto got = [&](const std::string& path) { return web::asked(session.place(), path); };
  EXPECT_EQ(json::parse(got("/export/coco").body())["annotations"].size(), 2u);
  EXPECT_THAT(got("/export/cvat").body(), HasSubstr("room0_colors.png"));
  EXPECT_TRUE(got("/export/model").body().starts_with("FERNWOOD"));
  testdata::expect_sentence(got("/export/no").body());
  testdata::expect_sentence(got("/export/predicted/no").body());
  const web::WebResponse picture = web::asked(session.place(), "/frames/1/labels");
  EXPECT_EQ(picture.result_int(), 200u);
  EXPECT_EQ(picture[boost::beast::http::field::content_type], "image/png");
  const Array2<image::Rgb> labels = dataset::read_truth(folder.write("labels.png", picture.body()));
  for (const image::Rgb& color : labels)
    ASSERT_TRUE(color == (image::Rgb{10, 20, 30}) || color == (image::Rgb{200, 20, 30}));
}

TEST(Teaching, PicturesOfFramesAreThere) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  const auto status = [&](const std::string& path) { return web::asked(session.place(), path).result_int(); };
  for (const char* path : {"/frames/0/color", "/frames/0/depth", "/frames/0/truth", "/frames/2/truth"})
    EXPECT_EQ(status(path), 200u) << path;
  for (const char* path : {"/", "/page.js", "/advice.js", "/page.css", "/base.css", "/common.js", "/pictures.js"})
    EXPECT_EQ(status(path), 200u) << path;
  for (const char* path : {"/page", "/frames/3/color", "/frames/0/smell", "/frames/-1/color",
                           "/frames/99999999999/color", "/frames//color", "/frames/0", "/frames/0/../../p"})
    EXPECT_EQ(status(path), 404u) << path;
  std::filesystem::remove(folder / "p" / "room1_colors.png");
  EXPECT_EQ(status("/frames/1/color"), 500u);
}

TEST(Teaching, WhatHelpsATeacherIsThere) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  const auto get = [&](const std::string& path) { return web::asked(session.place(), path); };
  EXPECT_EQ(get("/frames/0/why?x=3&y=4").result_int(), 404u) << "nothing was learnt yet";
  teach_a_little(window);
  const json filled = window.says({{"do", "fill"}, {"frame", 1}, {"class", 0}, {"x", 32}, {"y", 44}, {"turn", 20}});
  EXPECT_EQ(filled["stroke"], 3) << filled;
  for (const int frame : {1, 2}) {
    EXPECT_TRUE(window.says(dot_message(frame, 30, 44, 0)).contains("done"));
    EXPECT_TRUE(window.says(dot_message(frame, 30, 5, 1)).contains("done"));
  }
  const json validation = window.heard("validation")["validation"];
  EXPECT_EQ(validation["by_class"].size(), 2u);
  EXPECT_TRUE(validation["by_class"][0].is_number());
  EXPECT_EQ(get("/frames/2/uncertainty")["Content-Type"], "image/png");
  const json why = json::parse(get("/frames/0/why?x=3&y=4").body());
  EXPECT_EQ(why["classes"].size(), 2u);
  EXPECT_FALSE(why["trees"].empty());
  EXPECT_EQ(get("/frames/0/why?x=64&y=4").result_int(), 404u);
  const Array2<image::Rgb> area =
      dataset::read_truth(folder.write("fill.png", get("/frames/1/fill?turn=20&x=32&y=44").body()));
  EXPECT_EQ(area(44, 32), (image::Rgb{255, 255, 255}));
  EXPECT_EQ(get("/frames/1/fill?turn=20&x=64&y=44").result_int(), 404u);
  const Array2<image::Rgb> deep =
      dataset::read_truth(folder.write("millimetres.png", get("/frames/1/millimetres").body()));
  const std::uint16_t depth = dataset::read_depth(folder / "p" / "room1_depth.png")(44, 32);
  EXPECT_EQ(deep(44, 32), (image::Rgb{static_cast<std::uint8_t>(depth >> 8), static_cast<std::uint8_t>(depth), 0}));
  EXPECT_TRUE(
      window.says({{"do", "fill"}, {"frame", 1}, {"class", 0}, {"x", 64}, {"y", 4}, {"turn", 20}}).contains("failed"));
  const Window later(session);
  EXPECT_EQ(later.project["project"]["validations"].size(), 1u);
  EXPECT_TRUE(later.project["project"]["frames"][2]["uncertainty"].is_number());
}

TEST(Teaching, ClassesAreCalledByWhatAddedThemAndColoursAreFree) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window one(session), two(session);
  json adds = {{"do", "add_class"}, {"name", "floor"}, {"request", "ab-1"}};
  EXPECT_EQ(one.says(adds)["class"], 0);
  EXPECT_EQ(one.says(adds)["class"], 0) << "said twice, done once";
  EXPECT_EQ(two.says({{"do", "add_class"}, {"name", "wall"}, {"request", "cd-1"}})["class"], 1);
  EXPECT_EQ(one.says(dot_message(0, 30, 44, "ab-1"))["stroke"], 1);
  EXPECT_EQ(two.says(dot_message(0, 30, 5, "cd-1"))["stroke"], 2);
  testdata::expect_sentence(two.says(dot_message(0, 9, 9, "cd-2"))["failed"].get<std::string>());
  testdata::expect_sentence(two.says({{"do", "add_class"}, {"name", "floor"}})["failed"].get<std::string>());
  EXPECT_EQ(one.says({{"do", "count_strokes"}, {"class", 1}})["num_strokes"], 1);
  EXPECT_TRUE(one.says({{"do", "merge"}, {"class", 1}, {"into", 0}, {"request", "ab-2"}})["done"]);
  EXPECT_TRUE(one.says({{"do", "merge"}, {"class", 1}, {"into", 0}, {"request", "ab-2"}})["done"]);
  EXPECT_EQ(two.says(dot_message(0, 9, 9, 1))["stroke"], 3) << "of what the class became";
  EXPECT_EQ(two.says({{"do", "restore_class"}, {"class", 1}})["class"], 1);
  EXPECT_EQ(two.says({{"do", "count_strokes"}, {"class", 0}})["num_strokes"], 2);
  EXPECT_TRUE(two.says({{"do", "delete_class"}, {"class", 1}})["done"]);
  const json project = Window(session).project["project"];
  EXPECT_EQ(project["classes"].size(), 1u);
  EXPECT_EQ(project["gone"][0]["name"], "wall");
  EXPECT_EQ(project["frames"][0]["strokes"], 2);
  for (const char* key : {"classes", "gone"}) EXPECT_NE(project["next_color"], project[key][0]["color"]);
  testdata::expect_sentence(one.says(dot_message(0, 9, 9, 1))["failed"].get<std::string>());
}

TEST(Teaching, LabelsGoWithTheLastStrokeAndWhatIsMissingIsTold) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window window(session);
  teach_a_little(window);
  EXPECT_TRUE(are_labelled(session, 7));
  EXPECT_EQ(Window(session).project["project"]["needs"], "");
  EXPECT_EQ(window.says({{"do", "undo"}, {"frame", 0}})["stroke"], 2);
  testdata::expect_sentence(Window(session).project["project"]["needs"].get<std::string>());
  EXPECT_EQ(Window(session).project["project"]["frames"][0]["labels_of"], nullptr);
  EXPECT_EQ(window.says({{"do", "undo"}, {"frame", 0}})["stroke"], 1);
  testdata::expect_sentence(Window(session).project["project"]["needs"].get<std::string>());
  testdata::expect_sentence(web::asked(session.place(), "/export/predicted/coco").body());
  EXPECT_EQ(web::asked(session.place(), "/frames/0/labels").result_int(), 200u)
      << "a page that has not heard it yet gets an empty image";
}

TEST(Teaching, TwoWindowsAgree) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p");
  Window one(session), two(session);
  teach_a_little(one);
  EXPECT_EQ(two.heard("classes")["classes"][0]["name"], "floor");
  EXPECT_EQ(two.heard("truth")["truth"], 0);
  EXPECT_EQ(two.says({{"do", "undo"}, {"frame", 0}})["stroke"], 2);
  EXPECT_EQ(one.says({{"do", "undo"}, {"frame", 0}})["stroke"], 1);
  EXPECT_EQ(one.says({{"do", "undo"}, {"frame", 0}})["stroke"], nullptr);
  EXPECT_EQ(two.says({{"do", "redo"}, {"frame", 0}})["stroke"], 1);
  EXPECT_TRUE(two.says({{"do", "lock"}, {"class", 0}, {"locked", true}})["done"]);
  EXPECT_TRUE(one.says({{"do", "merge"}, {"class", 1}, {"into", 0}})["done"]);
  EXPECT_EQ(Window(session).project["project"]["classes"].size(), 1u);
}

TEST(Teaching, WhatCannotBeDoneIsToldAndNothingElseHappens) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  const RunningSession session(folder / "p" / "");
  Window window(session);
  EXPECT_EQ(window.project["project"]["folder"], "p") << "also of \"p/\"";
  const auto failed = [&](const json& message) { return window.says(message)["failed"].get<std::string>(); };
  testdata::expect_sentence(failed(dot_message(0, 1, 1, 0)));
  testdata::expect_sentence(failed(dot_message(7, 1, 1, nullptr)));
  testdata::expect_sentence(failed({{"do", "dance"}}));
  testdata::expect_sentence(window.says_raw("[]")["failed"].get<std::string>());
  testdata::expect_sentence(failed({{"do", "stroke"}, {"frame", 0}, {"class", nullptr}}));
  testdata::expect_sentence(failed({{"do", "add_class"}, {"name", "a"}, {"color", {1, 2, 256}}}));
  for (const char* text :
       {"", "{", "[]", "7", "{\"id\": -1}", "{\"id\": 1}", "{\"id\": 1, \"do\": 5}", "[[[[[[[[[[]]]]]]]]]]"})
    EXPECT_TRUE(window.says_raw(text).contains("failed")) << text;
  EXPECT_EQ(Window(session).project["project"]["version"], 3) << "the frames alone";
}

TEST(Teaching, StrokesOutlastTheServerAndTheTruthIsWritten) {
  const dataset::TestFolder folder;
  keep_rooms(folder / "p");
  {
    const RunningSession session(folder / "p");
    Window window(session);
    teach_a_little(window);
  }
  EXPECT_EQ(dataset::read_truth(folder / "p" / "room0_ground_truth.png")(44, 30), (image::Rgb{10, 20, 30}));
  const RunningSession session(folder / "p");
  Window window(session);
  EXPECT_EQ(window.project["project"]["frames"][0]["strokes"], 2);
  EXPECT_TRUE(are_labelled(session, 7)) << "by what was learnt without a new stroke";
}

}  // namespace
}  // namespace fernwood::teach
