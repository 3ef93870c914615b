// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
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
                                  {"--serve", "--save", "saved"},
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

/// First columns of the three pictures side by side, each 64 wide, with gaps of 8.
constexpr std::size_t kOfColor = 0, kOfDepth = 72, kOfOverlay = 144;

class LivePicture : public Live {
 protected:
  /// The view of the first frame of rooms/train after the keys.
  Array2<image::Rgb> view(const std::string& keys) const {
    fs::remove_all(out("saved"));
    json(frames(rooms() / "train"),
         {"--every-frame", "--frames", "1", "--initial-keys", keys + "s", "--save", out("saved")});
    return dataset::read_truth(out("saved/saved0001_view.png"));
  }
  Array2<image::Rgb> saved(const std::string& kind) const {
    return dataset::read_truth(out("saved/saved0001_" + kind + ".png"));
  }
  /// Expects `picture` in `view`, from column `left` on.
  static void expect_part(const Array2<image::Rgb>& view, std::size_t left, const Array2<image::Rgb>& picture) {
    ASSERT_GE(view.cols(), left + picture.cols());
    ASSERT_GE(view.rows(), picture.rows());
    std::size_t differences = 0;
    for (std::size_t y = 0; y < picture.rows(); ++y)
      for (std::size_t x = 0; x < picture.cols(); ++x) differences += view(y, left + x) != picture(y, x);
    EXPECT_EQ(differences, 0u) << "from column " << left;
  }
};

TEST_F(LivePicture, SingleLabelsInPlaceOfSteadyOnes) {
  const Words steady_words = {"--every-frame", "--steady"};
  const Json steady = json(frames(rooms() / "train"), steady_words);
  EXPECT_TRUE(steady.contains("steady"));
  Words words = steady_words;
  words.insert(words.end(), {"--initial-keys", "t"});
  const Json single = json(frames(rooms() / "train"), words);
  EXPECT_FALSE(single.contains("steady"));
  const Json plain = json(frames(rooms() / "train"), {"--every-frame"});
  EXPECT_EQ(single.at("labels_checksum"), plain.at("labels_checksum"));
  EXPECT_NE(single.at("labels_checksum"), steady.at("labels_checksum"));
}

TEST_F(LivePicture, ShowsColourDepthAndOverlayWithALegend) {
  const Array2<image::Rgb> all = view("");
  const Array2<image::Rgb> color = dataset::read_color(rooms() / "train/scene0000_colors.png");
  EXPECT_EQ(saved("colors"), color) << "a saved frame is the frame";
  EXPECT_EQ(dataset::read_depth(out("saved/saved0001_depth.png")),
            dataset::read_depth(rooms() / "train/scene0000_depth.png"));
  expect_part(all, kOfColor, color);
  expect_part(all, kOfDepth, dataset::colorize_depth(dataset::read_depth(rooms() / "train/scene0000_depth.png")));
  const Array2<image::Rgb> labels = saved("labels");
  for (const std::size_t x : {0u, 31u, 63u}) {
    const image::Rgb mixed = all(24, kOfOverlay + x), below = color(24, x), over = labels(24, x);
    // The mean of both, rounded up; void (black) shows only the picture.
    const int wanted = over == image::Rgb{} ? below.r : (below.r + over.r + 1) / 2;
    EXPECT_EQ(mixed.r, wanted) << x;
  }
  ASSERT_EQ(all.cols(), 640u);
  ASSERT_EQ(all.rows(), 48u + 5 * 22);  // status, keys, and 9 classes in rows of 4
  const image::ClassMap& classes = generate::synthetic_classes();
  EXPECT_EQ(all(48 + 2 * 22 + 11, 8 + 7), classes.classes[0].color);
  EXPECT_EQ(all(48 + 3 * 22 + 11, 8 + 150 + 7), classes.classes[5].color);
}

TEST_F(LivePicture, DigitsHideClasses) {
  const Array2<image::Rgb> none = view("123456789");
  expect_part(none, kOfOverlay, saved("colors"));
  const Array2<image::Rgb> twice = view("11"), never = view("");
  EXPECT_EQ(twice(24, kOfOverlay), never(24, kOfOverlay));
}

TEST_F(LivePicture, QuitKeyEndsAfterOneFrame) {
  EXPECT_EQ(json(frames(rooms()), {"--every-frame", "--loop", "--initial-keys", "q"}).at("frames"), 1);
}

TEST_F(LivePicture, SavedFramesReplaceNone) {
  view("");
  json(frames(rooms() / "train"), {"--every-frame", "--frames", "1", "--initial-keys", "s", "--save", out("saved")});
  EXPECT_TRUE(fs::exists(out("saved/saved0002_view.png")));
}

TEST_F(Live, VideoIsWrittenAndRead) {
  if (!has_plugin("video")) GTEST_SKIP() << "this program has no plug-in for video";
  json(frames(rooms() / "train"), {"--every-frame", "--loop", "--frames", "6", "--out", out("view.avi")});
  ASSERT_TRUE(fs::exists(out("view.avi")));
  EXPECT_EQ(run(small_training(rooms() / "train", out("color"), {"--channels", "lab"})).exit_code, 0);
  const auto label = [&](const Words& more) {
    Words words = {"live",       "--model",  out("color"), "--source", "video:" + out("view.avi").string(),
                   "--headless", "--device", "cpu",        "--json",   "--every-frame"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json once = label({});
  EXPECT_EQ(once.at("frames"), 6);
  EXPECT_EQ(once.at("cols"), 640);
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
