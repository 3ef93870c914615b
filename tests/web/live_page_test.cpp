// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/web/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "evaluate/explained_pixel.h"
#include "web/web_page.h"

namespace fernwood::web {
namespace {

using nlohmann::json;
namespace testdata = evaluate::testdata;

/// A page that shows a small frame repeatedly, labelled by a small forest.
class LivePages : public testing::Test {
 protected:
  void show_frames(int count) {
    predict::LiveFrame shown;
    shown.captured.frame = std::make_shared<const image::Frame>(testdata::small_frame());
    shown.prediction.labels = image::LabelImage(shown.captured.frame->rows(), shown.captured.frame->cols(), 1);
    for (int i = 0; i < count; ++i) {
      predict::LiveReport so_far;
      so_far.num_dropped = 3;
      page_.show(shown, so_far);
    }
  }
  WebPlace place() const { return WebPlace(page_.url()); }
  WebResponse get(const std::string& path) const { return asked(place(), path); }
  /// The next message to a window with this key.
  static json heard(WebPage& window, const std::string& key) {
    while (true) {
      const json message = json::parse(window.hear());
      if (message.contains(key)) return message;
    }
  }

  forest::Forest forest_ = testdata::small_forest();
  LivePage page_{forest_, "frames:rooms", "cpu", {}};
};

TEST_F(LivePages, TellWhatIsShownAndGiveItsPictures) {
  WebPage window(place());
  const json welcome = heard(window, "classes");
  EXPECT_EQ(welcome["source"], "frames:rooms");
  EXPECT_EQ(welcome["classes"].size(), forest_.classes.size());
  show_frames(1);
  const json news = heard(window, "shown");
  EXPECT_EQ(news["shown"], 1);
  EXPECT_EQ(news["dropped"], 3);
  EXPECT_EQ(news["color"], true);
  EXPECT_EQ(get("/shown/1/color")["Content-Type"], "image/jpeg");
  EXPECT_EQ(get("/shown/1/depth").result_int(), 200);
  EXPECT_EQ(get("/shown/1/labels")["Content-Type"], "image/png");
  for (const char* path : {"/shown/1/nothing", "/shown/2/color", "/shown/x/color", "/shown/", "/else/shown/1/color"})
    EXPECT_EQ(get(path).result_int(), 404) << path;
}

TEST_F(LivePages, TellOfTheNearestObjectsWithTheirFrame) {
  map::FollowedObjects objects;
  for (std::uint16_t i = 0; i < 30; ++i) {
    objects::Object& one = objects.found.objects.emplace_back();
    one.number = static_cast<std::uint16_t>(i + 1);
    one.distance_m = 4 - 0.1f * i;
    one.area_m2 = 0.5;
    one.confidence = 0.75;
    objects.ids.push_back(i == 29 ? 29u : i + 1u);  // the nearest two are parts of one
  }
  objects.ids[3] = objects::ObjectTracker::kNoId;
  objects::TrackedObject elsewhere;
  elsewhere.id = 77;
  elsewhere.state = objects::ObjectState::kConfirmed;
  elsewhere.scores = {0, 3};
  elsewhere.sightings = 3;
  elsewhere.last.seconds = 5;
  elsewhere.cells = {{0, 0, 50, 3}};
  objects.pose = image::RigidMotion();
  page_.show_objects(objects, objects::ObjectTracker({elsewhere}, 78, 9), 12);
  WebPage window(place());
  show_frames(1);
  const json told = heard(window, "shown")["objects"];
  EXPECT_EQ(told["rows"].size(), 20u);
  EXPECT_EQ(told["more"], 10) << "29 in view and one elsewhere";
  EXPECT_EQ(told["text"], "30 " + forest_.classes.classes[0].name + "s, nearest 1.1 m");
  const json& first = told["rows"][0];
  EXPECT_EQ(first["id"], 77);
  EXPECT_EQ(first["class"], 1);
  EXPECT_NEAR(first["distance_m"], 1.01, 0.02);
  EXPECT_EQ(first["area_m2"], nullptr);
  EXPECT_EQ(first["unseen_s"], 7);
  EXPECT_EQ(told["rows"][1]["id"], 29);
  EXPECT_EQ(told["rows"][1]["area_m2"], 1.0);
  EXPECT_EQ(told["rows"][1]["unseen_s"], 0);
  show_frames(1);
  EXPECT_FALSE(heard(window, "shown").contains("objects")) << "they are of one frame";
}

TEST_F(LivePages, TellOfAMapAndGiveItsPoints) {
  const auto points_of = [](std::size_t count) {
    std::vector<map::MapPoint> points(count);
    for (std::size_t i = 0; i < count; ++i) points[i].place.x = static_cast<float>(i);
    return points;
  };
  WebPage window(place());
  EXPECT_EQ(get("/map/0").result_int(), 404) << "there is none yet";
  page_.show_map(points_of(2), 0.02, {0, 0, 1}, 7, 1);
  const json first = heard(window, "map")["map"];
  EXPECT_EQ(first["number"], 1);
  EXPECT_EQ(first["points"], 2);
  EXPECT_EQ(first["frames"], 7);
  EXPECT_EQ(first["left_out"], 1);
  EXPECT_EQ(first["colors"].size(), forest_.classes.size());
  EXPECT_EQ(get("/map/1").body().size(), 2 * 16u);
  page_.show_map(points_of(3), 0.02, {0, 0, 1}, 8, 1);
  EXPECT_EQ(heard(window, "map")["map"]["number"], 2);
  EXPECT_EQ(get("/map/1").result_int(), 404) << "it has changed since";
  EXPECT_EQ(get("/map/2").body().size(), 3 * 16u);
  for (const char* path : {"/map/", "/map/x", "/map/2/3", "/map/-1"}) EXPECT_EQ(get(path).result_int(), 404) << path;
  WebPage late(place());
  EXPECT_EQ(heard(late, "map")["map"]["number"], 2) << "who comes later hears of it, too";
  EXPECT_EQ(get("/map.html").result_int(), 200);
  EXPECT_EQ(get("/map.js")["Content-Type"], "text/javascript; charset=utf-8");
}

TEST_F(LivePages, ExplainAPixel) {
  WebPage window(place());
  show_frames(1);
  heard(window, "shown");
  const json why = json::parse(get("/shown/1/why?x=2&y=2").body());
  EXPECT_EQ(why["classes"].size(), forest_.classes.size());
  ASSERT_EQ(why["trees"].size(), 1u);
  EXPECT_EQ(why["trees"][0]["tests"].size(), 2u);
  for (const char* query : {"", "?x=2", "?x=7&y=2", "?x=2&y=5", "?x=-1&y=2", "?x=a&y=b"})
    EXPECT_EQ(get(std::string("/shown/1/why") + query).result_int(), 404) << query;
}

TEST_F(LivePages, AreAnsweredWhileAFrameIsExplainedOrEncoded) {
  using Clock = std::chrono::steady_clock;
  image::Frame large = testdata::small_frame();
  large.color = Array2<image::Rgb>(2000, 2500, image::Rgb{90, 80, 70});
  large.depth_mm = Array2<std::uint16_t>(2000, 2500, std::uint16_t{500});
  predict::LiveFrame shown;
  shown.prediction.labels = image::LabelImage(2000, 2500, 1);
  int number = 0;
  for (const std::string what : {"why?x=2&y=2", "color", "depth", "labels"}) {
    bool is_answered = false;
    for (int attempt = 0; attempt < 5 && !is_answered; ++attempt) {  // on a busy machine, all requests may be late
      shown.captured.frame = std::make_shared<const image::Frame>(large);
      page_.show(shown, {});
      const auto start = Clock::now();
      const std::string path = "/shown/" + std::to_string(++number) + "/" + what;
      auto slow = std::async(std::launch::async, [&] {
        EXPECT_EQ(get(path).result_int(), 200u) << what;
        return Clock::now();
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const auto asked_at = Clock::now();
      EXPECT_EQ(get("/").result_int(), 200u);
      const auto answered_at = Clock::now();
      is_answered = answered_at - asked_at < (slow.get() - start) / 3;
    }
    EXPECT_TRUE(is_answered) << what;
  }
}

TEST_F(LivePages, ForgetOldFramesButThoseThatAWindowHolds) {
  WebPage window(place());
  show_frames(1);
  heard(window, "shown");
  for (const char* nonsense : {"", "[", "7", "{}", "[{\"hold\": 1}]"}) window.say(nonsense);
  window.say(R"({"hold": 77})");  // not an existing frame
  EXPECT_TRUE(heard(window, "held")["held"].is_null());
  window.say(R"({"hold": 1})");
  EXPECT_EQ(heard(window, "held")["held"], 1);
  show_frames(40);
  while (heard(window, "shown")["shown"] != 41) continue;
  EXPECT_EQ(get("/shown/1/why?x=2&y=2").result_int(), 200);
  EXPECT_EQ(get("/shown/2/color").result_int(), 404);
  EXPECT_EQ(get("/shown/40/color").result_int(), 200);
  window.say(R"({"hold": null})");
  EXPECT_TRUE(heard(window, "held")["held"].is_null());
  EXPECT_EQ(get("/shown/1/why?x=2&y=2").result_int(), 404);
  show_frames(40);
  while (heard(window, "shown")["shown"] != 81) continue;
  EXPECT_EQ(get("/shown/40/why?x=2&y=2").result_int(), 200) << "a slow page fetched it, and still shows it";
}

TEST_F(LivePages, ChooseSingleLabelsForAll) {
  std::promise<bool> chosen;
  LivePage steady(forest_, "frames:rooms", "cpu", {}, [&](bool single) { chosen.set_value(single); });
  WebPage window(WebPlace(steady.url())), other(WebPlace(steady.url()));
  EXPECT_EQ(heard(window, "single")["single"], false);
  EXPECT_EQ(heard(other, "single")["single"], false);
  for (const char* nonsense : {"{\"single\": 1}", "{\"single\": null}"}) window.say(nonsense);
  window.say(R"({"single": true})");
  EXPECT_EQ(heard(window, "single")["single"], true);
  EXPECT_EQ(heard(other, "single")["single"], true);
  EXPECT_TRUE(chosen.get_future().get());
  WebPage late(WebPlace(steady.url()));
  EXPECT_EQ(heard(late, "single")["single"], true);
}

TEST_F(LivePages, OfferNoChoiceWhereLabelsAreNotSteady) {
  WebPage window(place());
  window.say(R"({"single": true})");
  window.say(R"({"hold": null})");
  EXPECT_FALSE(json::parse(window.hear()).contains("single"));
  EXPECT_TRUE(json::parse(window.hear()).contains("held"));
}

TEST_F(LivePages, TellNewWindowsWhatIsWrong) {
  page_.trouble("the camera is gone");
  WebPage window(place());
  EXPECT_EQ(heard(window, "trouble")["trouble"], "the camera is gone");
  page_.trouble("");
  EXPECT_EQ(heard(window, "trouble")["trouble"], "");
}

}  // namespace
}  // namespace fernwood::web
