// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood {
namespace {

using Json = nlohmann::json;

constexpr const char* kServer = "/usr/bin/Xvfb";

/// A screen that nobody sees, for as long as it lives.
class HiddenScreen {
 public:
  HiddenScreen() : display_(":" + std::to_string(1000 + ::getpid() % 50000)) {
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
      ::execl(kServer, kServer, display_.c_str(), "-screen", "0", "1280x720x24", "-nolisten", "tcp", nullptr);
      ::_exit(127);
    }
    const fs::path socket = "/tmp/.X11-unix/X" + display_.substr(1);
    for (int i = 0; i < 500 && !fs::exists(socket); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::setenv("DISPLAY", display_.c_str(), 1);
  }
  ~HiddenScreen() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    ::unsetenv("DISPLAY");
  }

 private:
  std::string display_;
  pid_t process_ = -1;
};

class LiveWindow : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    if (!fs::exists(kServer)) GTEST_SKIP() << kServer << " is not there (xvfb)";
    if (!fs::exists(fs::canonical(program()).parent_path().parent_path() / "lib/fernwood/plugins/fernwood_window.so"))
      GTEST_SKIP() << "this program has no plug-in for windows";
  }
  Words live(const Words& more) const {
    Words words = {"live",   "--model", model(),  "--source", "frames:" + rooms().string(), "--device", "cpu",
                   "--loop", "--json",  "--rate", "100"};
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
  // "n" steps once, then pauses.
  RunningCommand running(folder_ / "run", live({"--keys", "n"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_FALSE(running.has_ended());
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_LE(Json::parse(outcome.out).at("frames"), 1);
}

}  // namespace
}  // namespace fernwood
