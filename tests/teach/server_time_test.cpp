// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Time of the server's thread for one message of a page, or one address, with frames of 640 x 480.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/sanitizers.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/generate/generate.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/teach/teaching.h"
#include "teach/signed_journal.h"
#include "wait_for.h"
#include "web/web_page.h"

// With sanitizers, most of the time would be theirs.
#if !defined(FERNWOOD_ADDRESS_SANITIZER) && !defined(FERNWOOD_THREAD_SANITIZER)

namespace fernwood::teach {
namespace {

using nlohmann::json;

constexpr int kFrames = 6;

/// For processors slower than those of docs/benchmarks.md, and for virtual ones, whose time includes that of
/// their host. The faults to be found took seconds: work for each frame, pixel or stroke of a project in one message.
constexpr double kSlack = 20;

/// A camera that delivers one frame and then waits.
class StillCamera : public recordings::FrameSource {
 public:
  explicit StillCamera(image::Frame frame) : frame_(std::make_shared<image::Frame>(std::move(frame))) {}
  std::optional<recordings::CapturedFrame> next() override {
    if (stopped_) return std::nullopt;
    if (num_given_++ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return recordings::CapturedFrame{frame_, 0.05 * num_given_, "still"};
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

/// A session on a recording of a room, with a connected page.
class TimedTeaching {
 public:
  explicit TimedTeaching(const std::filesystem::path& folder, std::uint32_t num_frames = kFrames) : project_(folder) {
    const generate::GenerateOptions rooms;  // 640 x 480
    while (project_.num_frames() < num_frames) {
      const auto i = static_cast<std::uint32_t>(project_.num_frames());
      project_.add_frame("room" + std::to_string(i), generate::generate_frame(rooms, i).frame);
    }
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
  ~TimedTeaching() {
    for (const auto& [what, seconds] : slowest_) {
      std::cout << what << ": " << 1000 * seconds << " ms\n";
      EXPECT_LT(seconds, kSlack * web::kLongestCallS) << what;
    }
  }
  TimedTeaching(const TimedTeaching&) = delete;
  TimedTeaching& operator=(const TimedTeaching&) = delete;

  /// Sends a message, waits for its answer and records the time. @return  The answer.
  json says(const std::string& what, json message) {
    message["id"] = ++id_;
    return says_text(what, message.dump(), id_);
  }
  /// @param id  Of the expected answer.
  json says_text(const std::string& what, const std::string& text, const json& id) {
    wait_until_quiet();
    const double before = seconds();
    page_->say(text);
    const json answer = hears(id);
    if (counts_what_follows) wait_until_quiet();
    note(what, before);
    return answer;
  }
  /// Sends several messages at once. @return  Their answers in the order of arrival.
  std::vector<json> says_all(std::vector<json> messages) {
    const double before = seconds();
    for (json& message : messages) {
      message["id"] = ++id_;
      page_->say(message.dump());
    }
    std::vector<json> answers;
    while (answers.size() < messages.size()) {
      json heard = json::parse(page_->hear());
      if (heard.contains("id")) answers.push_back(std::move(heard));
    }
    if (counts_what_follows) wait_until_quiet();
    note("several", before);
    return answers;
  }
  bool counts_what_follows = false;  // after a message, such as the training that it causes
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
    EXPECT_EQ(web::asked(place, path).result_int(), 200u) << path;
    note(what, before);
  }
  /// Waits for a message with this key and records the time until then.
  void waits_for(const std::string& key) {
    const double before = seconds();
    while (!json::parse(page_->hear()).contains(key)) continue;
    note("until \"" + key + "\" is heard", before);
  }
  /// Records the time of opening another page.
  void opens(const std::string& what) {
    wait_until_quiet();
    const double before = seconds();
    web::WebPage page{web::WebPlace(teaching_->url())};
    EXPECT_TRUE(json::parse(page.hear()).contains("project"));
    note(what, before);
  }
  void wait_for_labels(std::size_t frame = kFrames - 1) {
    EXPECT_TRUE(wait_for([&] {
      web::WebPage page{web::WebPlace(teaching_->url())};
      return !json::parse(page.hear())["project"]["frames"][frame]["labels_of"].is_null();
    }));
  }

 private:
  json hears(const json& id) {
    while (true) {
      json answer = json::parse(page_->hear());
      if (answer.contains("id") && answer["id"] == id) return answer;
    }
  }
  double seconds() const {
    std::timespec time{};
    ::clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  /// Earlier messages must be completely processed, not only answered: the training request that follows is prepared in
  /// steps. Checked several times, because steps may be late on a busy machine.
  void wait_until_quiet() const {
    constexpr int kLooks = 4;
    double last = seconds();
    for (int quiet = 0; quiet < kLooks; ++quiet) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      if (seconds() - std::exchange(last, seconds()) > 1e-3) quiet = -1;
    }
  }
  void note(const std::string& what, double before) {
    double& most = slowest_[what];
    most = std::max(most, seconds() - before);
  }

  Project project_;
  std::unique_ptr<Teaching> teaching_;
  std::jthread thread_;
  clockid_t clock_{};
  std::optional<web::WebPage> page_;
  int id_ = 0;
  std::map<std::string, double> slowest_;  // [message] seconds
};

json stroke(json class_id, json more) {
  json message = {{"do", "stroke"}, {"frame", 0}, {"class", std::move(class_id)}};
  message.update(more);
  return message;
}

/// A line from edge to edge and back, repeatedly.
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

/// Every other pixel of a frame, as runs.
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
    teaching.says("fill", {{"do", "fill"}, {"frame", 1}, {"class", 0}, {"x", x}, {"y", 300}, {"turn", 180}});
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
}

TEST(ServerTime, OfAFrameAtItsLimitIsBounded) {
  const dataset::TestFolder folder;
  TimedTeaching teaching(folder / "project", 2);
  for (int i = 0; i < 2; ++i)
    teaching.does("add_class", {{"do", "add_class"}, {"name", "c" + std::to_string(i)}, {"color", {10 + i, 20, 30}}});
  for (int c = 0; c < 2; ++c) teaching.does("stroke", stroke(c, {{"brush", 80}, {"points", {4000, 400 + 2000 * c}}}));
  // Lines across only the left columns, so that some pixels remain to be labelled.
  std::vector<int> points;
  for (int i = 0; i < 1060; ++i) points.insert(points.end(), {i % 800, i % 2 * 8 * 480});
  int num_strokes = 0;
  while (teaching.says("stroke", stroke(num_strokes % 2, {{"brush", 8}, {"points", points}})).contains("done"))
    ASSERT_LT(++num_strokes, 100);
  EXPECT_GT(num_strokes, 60) << "some two seconds to paint them";
  teaching.wait_for_labels(0);
  teaching.counts_what_follows = true;
  const json the_first = {{"do", "undo"}, {"frame", 0}, {"stroke", 1}};
  teaching.does("undo: the newest", {{"do", "undo"}, {"frame", 0}});
  teaching.gets("/frames/N/truth", "/frames/0/truth");
  teaching.does("redo", {{"do", "redo"}, {"frame", 0}});
  teaching.does("accept_labels", {{"do", "accept_labels"}, {"frame", 0}, {"brush", 80}, {"points", {2400, 800}}});
  teaching.does("undo: the first", the_first);
  teaching.gets("/frames/N/truth", "/frames/0/truth");
  teaching.does("carry", {{"do", "carry"}, {"is_carried", true}});
  teaching.does("undo: the newest", {{"do", "undo"}, {"frame", 0}});
  // A message that waits for labels is completed before later messages are processed.
  const auto answers =
      teaching.says_all({{{"do", "accept_labels"}, {"frame", 0}, {"brush", 80}, {"points", {2400, 2400}}},
                         {{"do", "undo"}, {"frame", 0}}});
  ASSERT_TRUE(answers[0].contains("done")) << answers[0];
  EXPECT_EQ(answers[0]["id"].get<int>() + 1, answers[1]["id"]);
  EXPECT_EQ(answers[0]["stroke"], answers[1]["stroke"]);
  teaching.does("delete_class", {{"do", "delete_class"}, {"class", 1}});
  teaching.gets("/frames/N/truth", "/frames/0/truth");
}

TEST(ServerTime, OfProjectsWithManyFramesIsBounded) {
  constexpr int kMany = 1000, kClasses = 20, kStrokes = 10;
  const dataset::TestFolder folder;
  // Writes the frames and the journal directly; saving so many files one by one would wait for the disk each time.
  generate::GenerateOptions rooms;
  rooms.width = rooms.height = 32;
  std::string lines;
  std::filesystem::create_directory(folder / "project");
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "room_" + std::to_string(i);
    if (i < 7)
      dataset::write_frame(folder / "project", name,
                           generate::generate_frame(rooms, static_cast<std::uint32_t>(i)).frame);
    for (const char* suffix : {"_colors.png", "_depth.png"})
      if (i >= 7)
        std::filesystem::copy_file(folder / ("project/room_" + std::to_string(i % 7) + suffix),
                                   folder / ("project/" + name + suffix));
    lines += json{{"frame", name}, {"rows", 32},    {"cols", 32},       {"up", {0, -1, 0}},
                  {"color", true}, {"depth", true}, {"camera", nullptr}}
                 .dump() +
             "\n";
  }
  for (int c = 0; c < kClasses; ++c)
    lines += json{{"class", c}, {"name", "c" + std::to_string(c)}, {"color", {10 + c, 20, 30}}}.dump() + "\n";
  for (int i = 0; i < kMany * kStrokes; ++i)
    lines += json{{"stroke", i + 1},
                  {"frame", i / kStrokes},
                  {"class", i % kClasses},
                  {"brush", 12},
                  {"points", {i % 200, i % 150}}}
                 .dump() +
             "\n";
  folder.write("project/strokes.journal", signed_journal(lines));
  TimedTeaching teaching(folder / "project", 0);
  teaching.wait_for_labels(kMany - 1);
  teaching.opens("a page that opens");
  const json dot = stroke(0, {{"brush", 12}, {"points", {80, 80}}});
  teaching.does("stroke", dot);
  teaching.does("undo", {{"do", "undo"}, {"frame", 0}});
  teaching.does("accept_labels", {{"do", "accept_labels"}, {"frame", 0}});
  teaching.does("count_strokes", {{"do", "count_strokes"}, {"class", 3}});
  teaching.does("mark_done", {{"do", "mark_done"}, {"frame", 3}, {"is_done", true}});
  teaching.does("keep", {{"do", "keep"}});
  teaching.does("change_class", {{"do", "change_class"}, {"class", 0}, {"name", "d"}, {"color", {200, 20, 30}}});
  teaching.does("merge", {{"do", "merge"}, {"class", 1}, {"into", 2}});
  teaching.does("delete_class", {{"do", "delete_class"}, {"class", 3}});
  teaching.does("count_strokes", {{"do", "count_strokes"}, {"class", 2}});
  teaching.opens("a page that opens");
  teaching.does("restore_class", {{"do", "restore_class"}, {"class", 3}});
  teaching.does("add_class", {{"do", "add_class"}, {"name", "new"}});
  teaching.does("smooth", {{"do", "smooth"}, {"is_smooth", true}});
  teaching.does("carry", {{"do", "carry"}, {"is_carried", true}});
  teaching.gets("/export/both/coco", "/export/both/coco");
}

TEST(ServerTime, OfAMapIsBounded) {
  const dataset::TestFolder folder;
  {
    Project project(folder / "project");
    generate::GenerateOptions rooms;  // 640 x 480
    rooms.sequence = kFrames;
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      const generate::SyntheticFrame seen = generate::generate_sequence_frame(rooms, 0, i);
      project.set_pose(project.add_frame("seen" + std::to_string(i), seen.frame), {"room", seen.pose});
    }
  }
  TimedTeaching teaching(folder / "project");
  for (int i = 0; i < 2; ++i)
    teaching.does("add_class", {{"do", "add_class"}, {"name", "c" + std::to_string(i)}, {"color", {10 + i, 20, 30}}});
  for (int i = 0; i < 2; ++i) teaching.does("stroke", stroke(i, {{"brush", 160}, {"points", zigzag(20, 400 + 8 * i)}}));
  teaching.does("map", {{"do", "map"}, {"frame", 0}});
  teaching.waits_for("map");
  teaching.gets("/map/N", "/map/1");
}

std::string repeated(const std::string& part, std::size_t num_bytes, const std::string& begin, const std::string& end) {
  std::string text = begin;
  while (text.size() + part.size() + end.size() <= num_bytes) text += part;
  return text + end;
}

TEST(ServerTime, OfTheLongestMessageIsBoundedWhateverItHas) {
  const dataset::TestFolder folder;
  TimedTeaching teaching(folder / "project", 1);
  teaching.does("add_class", {{"do", "add_class"}, {"name", "c"}, {"color", {10, 20, 30}}});
  // The longest possible message of a page: each number has the maximum number of digits.
  std::vector<int> points;
  for (std::size_t i = 0; i < kMaxPoints; ++i) points.insert(points.end(), {-kMaxSteps, -kMaxSteps});
  teaching.does("the longest stroke", stroke(0, {{"brush", 8}, {"points", points}}));
  const std::size_t most = web::WebOptions{}.max_message_bytes;
  const auto is_refused = [&](const std::string& what, const std::string& text) {
    ASSERT_LE(text.size(), most);
    EXPECT_TRUE(teaching.says_text(what, text, nullptr).contains("failed")) << what;
  };
  is_refused("numbers", repeated("0,", most, "[", "0]"));
  is_refused("real numbers", repeated("1e-7,", most, "[", "0]"));
  is_refused("arrays", repeated("[],", most, "[", "[]]"));
  is_refused("arrays of arrays", repeated("[[[]]],", most, "[", "0]"));
  is_refused("objects", repeated("{},", most, "[", "{}]"));
  is_refused("objects with a member", repeated("{\"a\":0},", most, "[", "{}]"));
  is_refused("texts", repeated("\"\",", most, "[", "0]"));
  is_refused("strings too long for their place", repeated("\"0123456789abcdef\",", most, "[", "0]"));
  is_refused("one text", repeated("\\u00e9", most, "[\"", "\"]"));
  std::string members = "{";
  for (int i = 0; members.size() + 16 < most; ++i) members += "\"" + std::to_string(i) + "\":0,";
  is_refused("members", members + "\"a\":0}");
  is_refused("not JSON", repeated("0,", most, "[", ""));
}

}  // namespace
}  // namespace fernwood::teach

#endif
