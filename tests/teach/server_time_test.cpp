// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// How long the server's thread works for one message of a page, or one address, with frames of 640 x 480.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "dataset/test_files.h"
#include "fernwood/generate/generate.h"
#include "fernwood/teach/teaching.h"
#include "web/web_page.h"

namespace fernwood::teach {
namespace {

using nlohmann::json;

constexpr int kFrames = 6;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlack = 40;
#else
constexpr double kSlack = 3;  // for processors that are slower than those of docs/benchmarks.md
#endif

/// A camera that gives one frame and then waits.
class StillCamera : public dataset::FrameSource {
 public:
  explicit StillCamera(image::Frame frame) : frame_(std::make_shared<image::Frame>(std::move(frame))) {}
  std::optional<dataset::CapturedFrame> next() override {
    if (stopped_) return std::nullopt;
    if (num_given_++ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return dataset::CapturedFrame{frame_, 0.05 * num_given_, "still"};
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return true; }
  bool has_depth() const override { return true; }
  bool is_live() const override { return true; }
  std::string name() const override { return "still"; }

 private:
  std::shared_ptr<const image::Frame> frame_;
  int num_given_ = 0;
  std::atomic<bool> stopped_ = false;
};

/// A recording of a room, taught by a page as long as this lives.
class TimedTeaching {
 public:
  explicit TimedTeaching(const std::filesystem::path& folder) : project_(folder) {
    generate::GenerateOptions rooms;  // 640 x 480
    for (std::uint32_t i = 0; i < kFrames; ++i)
      project_.add_frame("room" + std::to_string(i), generate::generate_frame(rooms, i).frame);
    LearnerOptions options;
    options.quick = train::defaults_of(forest::ForestKind::kForest);
    options.quick.trees = 2;
    options.quick.features = 20;
    options.quick.samples_per_frame = 50;
    options.resources.device = options.predict.device = "cpu";
    teaching_ = std::make_unique<Teaching>(project_, options, web::WebOptions{});
    teaching_->watch(std::make_shared<StillCamera>(generate::generate_frame(rooms, 77).frame), {});
    thread_ = std::jthread([this](const std::stop_token& stop) { teaching_->run(stop); });
    ::pthread_getcpuclockid(thread_.native_handle(), &clock_);
    page_.emplace(web::WebPlace(teaching_->url()));
  }

  /// Says something, and waits for its answer. @return  The answer; notes the time.
  json says(const std::string& what, json message) {
    message["id"] = ++id_;
    const std::string text = message.dump();
    wait_until_quiet();
    const double before = seconds();
    page_->say(text);
    while (true) {
      const json answer = json::parse(page_->hear());
      if (!answer.contains("id") || answer["id"] != id_) continue;
      note(what, before);
      return answer;
    }
  }
  void does(const std::string& what, const json& message) {
    const json answer = says(what, message);
    EXPECT_TRUE(answer.contains("done")) << what << ": " << answer;
  }
  void refuses(const std::string& what, const json& message) {
    const json answer = says(what, message);
    EXPECT_TRUE(answer.contains("failed")) << what;
  }
  void gets(const std::string& what, const std::string& path) {
    wait_until_quiet();
    const double before = seconds();
    const web::WebPlace place(teaching_->url());
    const char* const separator = path.find('?') == std::string::npos ? "?token=" : "&token=";
    EXPECT_EQ(web::asked(place, path + separator + place.token).result_int(), 200u) << path;
    note(what, before);
  }
  void wait_for_labels() {
    for (int i = 0; i < 3000; ++i) {
      const web::WebPlace place(teaching_->url());
      if (web::asked(place, "/frames/5/labels?token=" + place.token).result_int() == 200) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no labels";
  }

  std::map<std::string, double> slowest;  // [what] seconds

 private:
  double seconds() const {
    std::timespec time{};
    ::clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  /// What was said before is not only answered but done: the lesson that follows is prepared in steps.
  void wait_until_quiet() const {
    for (double last = -1; seconds() - last > 1e-3;) {
      last = seconds();
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  }
  void note(const std::string& what, double before) {
    double& most = slowest[what];
    most = std::max(most, seconds() - before);
  }

  Project project_;
  std::unique_ptr<Teaching> teaching_;
  std::jthread thread_;
  clockid_t clock_{};
  std::optional<web::WebPage> page_;
  int id_ = 0;
};

json stroke(json class_id, json more) {
  json message = {{"do", "stroke"}, {"frame", 0}, {"gives", std::move(class_id)}};
  message.update(more);
  return message;
}

/// A line from edge to edge, there and back.
std::vector<int> zigzag(std::size_t num_points, int step) {
  std::vector<int> points;
  for (std::size_t i = 0; i < num_points; ++i) {
    points.push_back(static_cast<int>(i * 37 % (8 * 640)));
    points.push_back(step > 0     ? static_cast<int>(i * static_cast<std::size_t>(step) % (8 * 480))
                     : i % 2 == 0 ? 0
                                  : 8 * 480);
  }
  return points;
}

/// Every second pixel of a frame, as runs.
std::vector<int> every_other_pixel(std::size_t num_runs) {
  std::vector<int> runs;
  for (std::size_t i = 0; i < num_runs; ++i) {
    runs.push_back(static_cast<int>(2 * i));
    runs.push_back(1);
  }
  return runs;
}

TEST(ServerTime, OfAnyMessageIsBounded) {
  const dataset::TestFolder folder;
  TimedTeaching teaching(folder / "project");
  for (int i = 0; i < 6; ++i)
    teaching.does("add_class", {{"do", "add_class"}, {"name", "c" + std::to_string(i)}, {"color", {10 + i, 20, 30}}});
  for (int frame = 0; frame < kFrames; ++frame)
    for (int i = 0; i < 20; ++i) {
      json drawn = stroke(i % 6, {{"brush", 160}, {"points", zigzag(20, 400 + 8 * i)}});
      drawn["frame"] = frame;
      teaching.does("stroke: 20 points", drawn);
    }
  teaching.does("stroke: brush of 100 pixels, 1000 lines", stroke(0, {{"brush", 800}, {"points", zigzag(1000, 0)}}));
  teaching.does("stroke: brush, 100,000 points", stroke(1, {{"brush", 24}, {"points", zigzag(60'000, 1)}}));
  teaching.does("stroke: polygon, 1000 edges", stroke(2, {{"polygon", zigzag(1000, 0)}}));
  teaching.does("stroke: polygon, 100,000 points", stroke(2, {{"polygon", zigzag(100'000, 1)}}));
  teaching.refuses("stroke: brush, too much", stroke(0, {{"brush", 8000}, {"points", zigzag(100'000, 0)}}));
  teaching.refuses("stroke: polygon, too much", stroke(0, {{"polygon", zigzag(100'000, 0)}}));
  teaching.does("stroke: region, every other pixel", stroke(3, {{"region", every_other_pixel(640 * 480 / 2)}}));
  teaching.does("undo", {{"do", "undo"}, {"frame", 0}});
  teaching.does("redo", {{"do", "redo"}, {"frame", 0}});
  for (int x = 20; x < 640; x += 150)
    teaching.says("fill", {{"do", "fill"}, {"frame", 1}, {"gives", 0}, {"x", x}, {"y", 300}, {"turn", 180}});
  teaching.does("keep", {{"do", "keep"}});
  teaching.wait_for_labels();
  teaching.does("smooth", {{"do", "smooth"}, {"is_smooth", true}});
  teaching.does("view", {{"do", "view"}, {"frame", 3}});
  teaching.does("mark_done", {{"do", "mark_done"}, {"frame", 3}, {"is_done", true}});
  teaching.does("count_strokes", {{"do", "count_strokes"}, {"class", 0}});
  teaching.says("transfer", {{"do", "transfer"}, {"frame", 6}});
  teaching.does("carry", {{"do", "carry"}, {"is_carried", true}});
  teaching.says("accept_labels", {{"do", "accept_labels"}, {"frame", 5}});
  for (const std::string picture : {"truth", "labels", "uncertainty", "color", "depth"})
    teaching.gets("/frames/N/" + picture, "/frames/5/" + picture);
  teaching.gets("/frames/N/why", "/frames/5/why?x=300&y=200");
  teaching.gets("/camera/N/depth", "/camera/1/depth");
  for (const std::string format : {"coco", "png", "npy", "cvat", "label-studio"})
    teaching.gets("/export/both/" + format, "/export/both/" + format);
  teaching.gets("/export/model", "/export/model");
  teaching.gets("/", "/");
  teaching.does("lock", {{"do", "lock"}, {"class", 5}, {"locked", true}});
  teaching.does("change_class", {{"do", "change_class"}, {"class", 0}, {"name", "d"}, {"color", {200, 20, 30}}});
  teaching.does("merge", {{"do", "merge"}, {"class", 1}, {"into", 2}});
  teaching.does("delete_class", {{"do", "delete_class"}, {"class", 3}});
  teaching.does("restore_class", {{"do", "restore_class"}, {"class", 3}});
  for (const auto& [what, seconds] : teaching.slowest) {
    std::cout << what << ": " << 1000 * seconds << " ms\n";
    EXPECT_LT(seconds, kSlack * web::kLongestCallS) << what;
  }
}

}  // namespace
}  // namespace fernwood::teach
