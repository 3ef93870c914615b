// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/generate/generate.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::IsEmpty;

class Live : public CommandLine {
 protected:
  static std::string frames(const fs::path& folder) { return "frames:" + folder.string(); }
  static Words live(const std::string& source, const Words& more = {}) {
    Words words = {"live", "--model", model(), "--source", source, "--headless", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json json(const std::string& source, Words more = {}) const {
    more.push_back("--json");
    const Outcome outcome = run(live(source, more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return Json::parse(outcome.out);
  }
};

TEST_F(Live, MeasuresEveryFrameOfAFolder) {
  const Json result = json(frames(rooms() / "train"), {"--every-frame"});
  EXPECT_EQ(result.at("frames"), 4);
  EXPECT_EQ(result.at("captured"), 4);
  EXPECT_EQ(result.at("dropped"), 0);
  EXPECT_EQ(result.at("cols"), 64);
  EXPECT_EQ(result.at("device"), "cpu");
  EXPECT_GT(result.at("frames_per_second"), 0.0);
  EXPECT_NEAR(result.at("frames_per_second"), 4 / result.at("seconds").get<double>(), 1e-6);
  for (const char* stage : {"capture", "predict", "show"}) {
    const Json& times = result.at("stages").at(stage);
    EXPECT_GT(times.at("latency_ms_median"), 0.0) << stage;
    EXPECT_GE(times.at("latency_ms_p95"), times.at("latency_ms_median")) << stage;
  }
  EXPECT_GE(result.at("latency_ms_median").get<double>() * 1.02,
            result.at("stages").at("predict").at("latency_ms_median"));
  EXPECT_GE(result.at("latency_ms_p95"), result.at("latency_ms_median"));
}

TEST_F(Live, ServesAPage) {
  const Outcome outcome = run(live(frames(rooms() / "train"), {"--every-frame", "--serve", "--json"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("http://127.0.0.1:"), std::string::npos) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("frames"), 4);
}

TEST_F(Live, RecordingReplaysToTheSameLabels) {
  const Json first =
      json(frames(rooms() / "train"), {"--every-frame", "--loop", "--frames", "9", "--record", out("rec")});
  EXPECT_EQ(first.at("recorded"), 9);
  EXPECT_TRUE(fs::exists(out("rec/frame00000008_colors.png")));
  const Json again = json(frames(out("rec")), {"--every-frame"});
  EXPECT_EQ(again.at("frames"), 9);
  EXPECT_EQ(again.at("labels_checksum"), first.at("labels_checksum"));
  const Json fewer = json(frames(out("rec")), {"--every-frame", "--frames", "8"});
  EXPECT_NE(fewer.at("labels_checksum"), first.at("labels_checksum"));
}

TEST_F(Live, MessagesOfRosReplayToTheSameLabels) {
  const Json first =
      json(frames(rooms() / "train"), {"--every-frame", "--loop", "--frames", "9", "--record", out("rec.mcap")});
  EXPECT_EQ(first.at("recorded"), 9);
  const Outcome again = run(live(out("rec.mcap"), {"--every-frame", "--json"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  testdata::expect_sentence(again.err);
  EXPECT_EQ(Json::parse(again.out).at("frames"), 9);
  EXPECT_EQ(Json::parse(again.out).at("labels_checksum"), first.at("labels_checksum"));
  const Outcome taken = run(live(frames(rooms() / "train"), {"--record", out("rec.mcap")}));
  EXPECT_EQ(taken.exit_code, kUsage);
  testdata::expect_sentence(taken.err);
}

TEST_F(Live, OverlaysAreWrittenWithoutAWindow) {
  json(frames(rooms() / "train"), {"--every-frame", "--frames", "2", "--overlays-out", out("overlays")});
  EXPECT_EQ(dataset::read_color(out("overlays/000000.png")).cols(), 64u);
  EXPECT_NE(text_of(out("overlays/000000.png")), text_of(out("overlays/000001.png")));
  EXPECT_TRUE(fs::exists(out("overlays/000001.png")));
  EXPECT_FALSE(fs::exists(out("overlays/000002.png")));
}

TEST_F(Live, ViewsAreRecordedWithTheMapAndItsGrid) {
  const Words more = {"--every-frame", "--frames", "2", "--map", "--record-views", "--min-weight", "1"};
  Words words = more;
  words.insert(words.end(), {"--record", out("views.mcap")});
  ASSERT_EQ(run(live(frames(rooms() / "train"), words)).exit_code, 0);
  for (const char* topic : {"overlay", "points", "map", "grid", "mask"})
    EXPECT_THAT(text_of(out("views.mcap")), testing::HasSubstr(std::string("/segmentation/") + topic));
  const Outcome again = run(live(out("views.mcap"), {"--every-frame", "--json"}));
  EXPECT_EQ(Json::parse(again.out).at("frames"), 2) << "views are not taken for images";
  fs::remove(out("views.mcap"));
  words = more;
  words.insert(words.end(), {"--record", out("folder")});
  expect_refused(live(frames(rooms() / "train"), words), kUsage);
}

TEST_F(Live, PreloadedFramesGiveTheSameLabels) {
  const Json read = json(frames(rooms() / "train"), {"--every-frame", "--loop", "--frames", "8"});
  const Json preloaded =
      json(frames(rooms() / "train"), {"--every-frame", "--loop", "--frames", "8", "--preload", "4"});
  EXPECT_EQ(read.at("labels_checksum"), preloaded.at("labels_checksum"));
}

TEST_F(Live, CtrlCEndsTheRunAndStillTellsWhatWasMeasured) {
  fs::create_directories(folder_ / "run");
  RunningCommand running(folder_ / "run", live(frames(rooms()), {"--loop", "--json", "--record", out("recorded")}));
  EXPECT_TRUE(wait_for([&] { return running.has_ended() || fs::exists(out("recorded/frame00000000_colors.png")); }));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_GE(Json::parse(outcome.out).at("frames"), 1);
}

// The sources that the program lists are those of its plug-ins.
TEST_F(Live, RefusesWhatIsNoSource) {
  expect_refused(live("frames:" + out("none").string()), kData);
  expect_refused(live("sonar:0"), kUsage, {"frames:DIR"});
  expect_refused(live("here"), kUsage, {"here", "frames:DIR"});
}

TEST_F(Live, RefusesOptionsThatCannotBe) {
  const std::vector<Words> all = {{"--rate", "-2"},
                                  {"--rate", "fast"},
                                  {"--stall-timeout", "0"},
                                  {"--reconnect", "-1"},
                                  {"--record", rooms() / "test"},
                                  {"--serve", "--port", "70000"},
                                  {"--serve", "--listen", "here"},
                                  {"--publish", "mqtt:"},
                                  {"--remap", "/a:=/b"},
                                  // Rules may be one word with several options or several words.
                                  {"--publish", "ros:", "--remap", "/segmentation/mask:=/robot/mask", "/other:=/a"},
                                  {"--remap", "__ns:=/robot", "--publish", "ros:", "--remap", "/other:=/a"}};
  for (const Words& more : all) expect_refused(live(frames(rooms()), more), kUsage);
}

TEST_F(Live, SourceWithoutWhatTheModelReadsIsRefused) {
  const fs::path data = copy_of_rooms();
  for (const auto& entry : fs::directory_iterator(data))
    if (entry.path().filename().string().find("_depth") != std::string::npos) fs::remove(entry);
  expect_refused(live(frames(data)), kModel);
}

TEST_F(Live, FramesOfTwoSizesAreRefused) {
  const fs::path data = copy_of_rooms();
  for (const char* kind : {"colors", "depth"}) fs::remove(data / (std::string("scene0003_") + kind + ".png"));
  dataset::write_png(data / "scene0003_colors.png", Array2<image::Rgb>(10, 20));
  dataset::write_png16(data / "scene0003_depth.png", Array2<std::uint16_t>(10, 20));
  expect_refused(live(frames(data), {"--every-frame"}), kData);
}

TEST_F(Live, VideoIsRead) {
  if (!has_plugin("video")) GTEST_SKIP() << "this program has no plug-in for video";
  std::ofstream video(out("view.y4m"), std::ios::binary);
  video << "YUV4MPEG2 W64 H48 F30:1 C444\n";
  for (char shade = 20; shade < 80; shade += 10) video << "FRAME\n" << std::string(3 * 64 * 48, shade);
  video.close();
  EXPECT_EQ(run(small_training(rooms() / "train", out("color"), {"--channels", "lab"})).exit_code, 0);
  const auto label = [&](const Words& more) {
    Words words = {"live",       "--model",  out("color"), "--source", "video:" + out("view.y4m").string(),
                   "--headless", "--device", "cpu",        "--json",   "--every-frame"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json once = label({});
  EXPECT_EQ(once.at("frames"), 6);
  EXPECT_EQ(once.at("cols"), 64);
  const Json looped = label({"--loop", "--frames", "12"}),
             preloaded = label({"--loop", "--frames", "12", "--preload", "6"});
  EXPECT_EQ(looped.at("labels_checksum"), preloaded.at("labels_checksum"));
}

TEST_F(Live, AWindowWithoutAScreenIsRefused) {
  ::setenv("DISPLAY", ":97531", 1);
  ::unsetenv("QT_QPA_PLATFORM");
  Words words = live(frames(rooms()));
  words.erase(std::find(words.begin(), words.end(), "--headless"));
  if (has_plugin("window"))
    expect_refused(words, kDevice, {":97531"});
  else
    expect_refused(words, kUsage, {"fernwood_window.so"});
}

TEST_F(Live, SourceMayBeAPath) {
  const Outcome bare = run(live(rooms().string()));
  EXPECT_EQ(bare.exit_code, 0) << bare.err;
}

}  // namespace
}  // namespace fernwood::apps
