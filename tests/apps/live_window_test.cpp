// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "apps/hidden_screen.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

class LiveWindow : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    if (!HiddenScreen::is_there()) GTEST_SKIP() << HiddenScreen::kServer << " is not there (xvfb)";
    if (!fs::exists(fs::canonical(program()).parent_path().parent_path() / "lib/fernwood/plugins/fernwood_window.so"))
      GTEST_SKIP() << "this program has no plug-in for windows";
  }
  Words live(const Words& more) const { return live("frames:" + rooms().string(), more); }
  Words live(const std::string& source, const Words& more) const {
    Words words = {"live", "--model", model(),  "--source", source, "--device",
                   "cpu",  "--loop",  "--json", "--rate",   "100"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(LiveWindow, ShowsFramesUntilThereAreEnough) {
  const HiddenScreen screen;
  const Outcome outcome = run(live({"--frames", "10"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("frames"), 10);
}

TEST_F(LiveWindow, CtrlCEndsItEvenWhilePaused) {
  const HiddenScreen screen;
  fs::create_directories(folder_ / "run");
  // "n" steps to the next frame and pauses; "s" saves that frame.
  RunningCommand running(folder_ / "run", live({"--initial-keys", "sn", "--save", out("saved")}));
  EXPECT_TRUE(wait_for([&] { return running.has_ended() || fs::exists(out("saved/saved0001_view.png")); }));
  EXPECT_FALSE(running.has_ended());
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LE(Json::parse(outcome.out).at("frames"), 1);
}

/// A window on a recording of one frame, and its pictures as saved with the key "s".
class LiveKeys : public LiveWindow {
 protected:
  static constexpr std::size_t kRows = 48, kStatusRows = 22;

  void SetUp() override {
    LiveWindow::SetUp();
    if (IsSkipped()) return;
    fs::create_directories(folder_ / "one");
    fs::create_directories(folder_ / "run");
    for (const char* kind : {"colors", "depth"}) {
      const std::string file = std::string("scene0000_") + kind + ".png";
      fs::copy_file(rooms() / "train" / file, folder_ / "one" / file);
    }
  }
  std::string source() const { return "frames:" + (folder_ / "one").string(); }

  /// The view of a run without a window.
  Array2<image::Rgb> picture_of(const std::string& keys) const {
    fs::remove_all(out("plain"));
    const Outcome outcome =
        run(live(source(), {"--headless", "--frames", "1", "--initial-keys", keys + "s", "--save", out("plain")}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return dataset::read_truth(out("plain/saved0001_view.png"));
  }
  /// The next picture saved by the window on the key "s", or an empty one after a timeout. The mouse must be over the
  /// window.
  Array2<image::Rgb> next_saved(HiddenScreen& screen) {
    const fs::path file = out(format_text("saved/saved%04d_view.png", num_saved_ + 1));
    screen.press(HiddenScreen::kS);
    for (int i = 0; i < 50 && !fs::exists(file); ++i) std::this_thread::sleep_for(milliseconds(10));
    if (!fs::exists(file)) return {};
    ++num_saved_;
    return dataset::read_truth(file);  // complete: the file is renamed after writing
  }
  /// Saves until the picture equals `wanted` except for the status, whose numbers change.
  bool becomes(HiddenScreen& screen, const Array2<image::Rgb>& wanted) {
    for (int i = 0; i < 20; ++i) {
      const Array2<image::Rgb> saved = next_saved(screen);
      if (saved.rows() != wanted.rows() || saved.cols() != wanted.cols()) continue;
      const auto status = static_cast<std::ptrdiff_t>(kRows * saved.cols());
      const auto below = static_cast<std::ptrdiff_t>((kRows + kStatusRows) * saved.cols());
      if (std::equal(saved.begin(), saved.begin() + status, wanted.begin()) &&
          std::equal(saved.begin() + below, saved.end(), wanted.begin() + below))
        return true;
    }
    return false;
  }

 private:
  int num_saved_ = 0;
};

TEST_F(LiveKeys, WindowSaysThatTheCameraIsLostAndKeysGoOn) {
  const fs::path plugin = FERNWOOD_TEST_PLUGIN;
  if (!fs::exists(plugin)) GTEST_SKIP() << plugin << " is not there";
  HiddenScreen screen;
  if (!screen.is_ready()) GTEST_SKIP() << "the server has no XTEST";
  ::setenv("FERNWOOD_PLUGINS", plugin.parent_path().c_str(), 1);
  RunningCommand running(folder_ / "run", live("unsteady:gone", {"--save", out("saved"), "--reconnect", "60"}));
  ::unsetenv("FERNWOOD_PLUGINS");
  screen.point_at(12, 40);
  Array2<image::Rgb> lost;
  for (int i = 0; i < 40 && lost.empty(); ++i) lost = next_saved(screen);
  // The error message takes two lines in place of the frame rate's one.
  EXPECT_EQ(lost.rows(), kRows + 6 * 22);
  EXPECT_FALSE(running.has_ended());
  screen.press(HiddenScreen::kQ);
  EXPECT_EQ(running.wait().exit_code, 0);
}

TEST_F(LiveKeys, HideAClassWhileFramesComeAndWhilePaused) {
  HiddenScreen screen;
  if (!screen.is_ready()) GTEST_SKIP() << "the server has no XTEST";
  const Array2<image::Rgb> all = picture_of(""), without_first = picture_of("1");
  EXPECT_FALSE(all == without_first);
  RunningCommand running(folder_ / "run", live(source(), {"--save", out("saved")}));
  screen.point_at(12, 40);
  ASSERT_TRUE(becomes(screen, all)) << "the window does not show";
  screen.press(HiddenScreen::k1);
  EXPECT_TRUE(becomes(screen, without_first)) << "while frames come";
  screen.press(HiddenScreen::kSpace);
  screen.press(HiddenScreen::k1);
  EXPECT_TRUE(becomes(screen, all)) << "while paused";
  screen.press(HiddenScreen::kQ);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace fernwood::apps
