// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "apps/hidden_screen.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/generate/generate.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// Runs with a window.
class LiveWindow : public CommandLine {
 protected:
  Words live(const Words& more) const { return live("frames:" + rooms().string(), more); }
  Words live(const std::string& source, const Words& more) const {
    Words words = {"live", "--model", model(),  "--source", source, "--device",
                   "cpu",  "--loop",  "--json", "--rate",   "100"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

/// Windows of the plug-in on a screen.
class LiveScreen : public LiveWindow {
 protected:
  void SetUp() override {
    LiveWindow::SetUp();
    if (!HiddenScreen::is_there()) GTEST_SKIP() << HiddenScreen::kServer << " is not there (xvfb)";
    if (!has_plugin("window")) GTEST_SKIP() << "this program has no plug-in for windows";
  }
};

TEST_F(LiveScreen, ShowsFramesUntilThereAreEnough) {
  const HiddenScreen screen;
  const Outcome outcome = run(live({"--frames", "10"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("frames"), 10);
}

TEST_F(LiveScreen, AKeyEndsIt) {
  HiddenScreen screen;
  if (!screen.is_ready()) GTEST_SKIP() << "the server has no XTEST";
  fs::create_directories(folder_ / "run");
  RunningCommand running(folder_ / "run", live({}));
  screen.point_at(12, 40);
  EXPECT_TRUE(wait_for([&] {
    screen.press(HiddenScreen::kQ);
    return running.has_ended();
  }));
  EXPECT_EQ(running.wait().exit_code, 0);
}

/// First columns of the three pictures side by side, each 64 wide, with gaps of 8.
constexpr std::size_t kOfColor = 0, kOfDepth = 72, kOfOverlay = 144;

/// A window on a recording of one frame, without a screen; see fake_window.cpp.
class LiveKeys : public LiveWindow {
 protected:
  void SetUp() override {
    LiveWindow::SetUp();
    for (const char* folder : {"one", "run", "window"}) fs::create_directories(folder_ / folder);
    for (const char* kind : {"colors", "depth"}) {
      const std::string file = std::string("scene0000_") + kind + ".png";
      fs::copy_file(rooms() / "train" / file, folder_ / "one" / file);
    }
    ::setenv("FERNWOOD_PLUGINS", fs::path(FERNWOOD_TEST_PLUGIN).parent_path().c_str(), 1);
    ::setenv("FERNWOOD_TEST_WINDOW", (folder_ / "window").c_str(), 1);
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
  }
  void TearDown() override {
    for (const char* name : {"FERNWOOD_PLUGINS", "FERNWOOD_TEST_WINDOW", "FERNWOOD_TEST_KEYS", "QT_QPA_PLATFORM"})
      ::unsetenv(name);
    LiveWindow::TearDown();
  }
  std::string source() const { return "frames:" + (folder_ / "one").string(); }

  /// The last picture after these keys. A point is a key without an effect: one picture more.
  Array2<image::Rgb> picture_after(const std::string& keys, const Words& more = {}) const {
    ::setenv("FERNWOOD_TEST_KEYS", ("." + keys + "q").c_str(), 1);
    const Outcome outcome = run(live(source(), more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return picture();
  }
  Array2<image::Rgb> picture() const {
    std::ifstream file(folder_ / "window/picture", std::ios::binary);
    std::size_t rows = 0, cols = 0;
    file >> rows >> cols;
    Array2<image::Rgb> picture(rows, cols);
    file.get();
    file.read(reinterpret_cast<char*>(picture.data()), static_cast<std::streamsize>(3 * picture.size()));
    return picture;
  }
  std::string texts() const { return text_of(folder_ / "window/texts"); }

  static Array2<image::Rgb> part(const Array2<image::Rgb>& view, std::size_t left) {
    Array2<image::Rgb> part(48, 64);
    for (std::size_t y = 0; y < part.rows(); ++y) std::copy_n(view.row(y) + left, part.cols(), part.row(y));
    return part;
  }
};

TEST_F(LiveKeys, ThePictureHasColourDepthAndOverlayWithALegend) {
  const Array2<image::Rgb> all = picture_after("");
  const Array2<image::Rgb> color = dataset::read_color(rooms() / "train/scene0000_colors.png");
  EXPECT_EQ(part(all, kOfColor), color);
  EXPECT_EQ(part(all, kOfDepth), dataset::colorize_depth(dataset::read_depth(rooms() / "train/scene0000_depth.png")));
  ASSERT_EQ(run({"predict", "--model", model(), "--data", folder_ / "one", "--out", out("labels")}).exit_code, 0);
  const Array2<image::Rgb> labels = dataset::read_truth(out("labels/scene0000_labels.png"));
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
  EXPECT_THAT(texts(), HasSubstr("6 " + classes.classes[5].name));
}

TEST_F(LiveKeys, DigitsHideClassesWhileFramesComeAndWhilePaused) {
  const Array2<image::Rgb> none = picture_after("123456789");
  EXPECT_EQ(part(none, kOfOverlay), part(none, kOfColor));
  const Array2<image::Rgb> never = part(picture_after(""), kOfOverlay);
  EXPECT_EQ(part(picture_after("11"), kOfOverlay), never);
  EXPECT_EQ(part(picture_after(" 123456789"), kOfOverlay), part(none, kOfColor));
  EXPECT_THAT(texts(), HasSubstr("PAUSED"));
  EXPECT_EQ(part(picture_after(" 11"), kOfOverlay), never);
}

TEST_F(LiveKeys, SingleLabelsInPlaceOfSteadyOnes) {
  picture_after(".....", {"--steady"});
  EXPECT_THAT(texts(), HasSubstr("steady (t)"));
  picture_after("t..........", {"--steady"});
  EXPECT_THAT(texts(), HasSubstr("single (t)"));
}

TEST_F(LiveKeys, CtrlCEndsItEvenWhilePaused) {
  ::setenv("FERNWOOD_TEST_KEYS", "n ", 1);
  RunningCommand running(folder_ / "run", live(source(), {}));
  EXPECT_TRUE(wait_for([&] { return running.has_ended() || texts().find("PAUSED") != std::string::npos; }));
  EXPECT_FALSE(running.has_ended());
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(LiveKeys, WindowSaysThatTheCameraIsLostAndKeysGoOn) {
  ::setenv("FERNWOOD_TEST_KEYS", "......q", 1);
  const Outcome outcome = run(live("unsteady:gone", {"--reconnect", "60"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(texts(), HasSubstr("camera"));
}

}  // namespace
}  // namespace fernwood::apps
