// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <gtest/gtest.h>

#include <mutex>

#include "predict/counting_source.h"
#include "sentences.h"
#include "wait_for.h"

namespace fernwood::predict {
namespace {

/// A camera that can be opened repeatedly, and calls `trouble` in place of frame `at`, counted over all openings.
class Cable {
 public:
  using Trouble = std::function<std::optional<recordings::CapturedFrame>()>;
  Cable(int at, Trouble trouble, int last = 6) : at_(at), last_(last), trouble_(std::move(trouble)) {}

  std::shared_ptr<recordings::FrameSource> open() { return std::make_shared<Plugged>(*this); }
  void pass_while_away(double seconds) {
    std::lock_guard lock(opening_);
    if (num_open == num_hanging) clock.advance(seconds);
  }
  LiveOptions options(double reconnect_s) {
    const auto reopen = [this] {
      std::lock_guard lock(opening_);
      EXPECT_EQ(num_open, num_hanging) << "opened again before it was closed";
      tried_at_s.push_back(clock.now());
      if (num_refusals-- > 0) throw Error(ErrorKind::kRuntime, "no such camera");
      return open();
    };
    return {.capture = {.every_frame = true, .reconnect_s = reconnect_s, .reopen = reopen, .clock = clock.asked()}};
  }

  SetClock clock;
  int num_refusals = 0;
  std::atomic<int> num_open = 0, num_hanging = 0;
  std::vector<double> tried_at_s;

 private:
  class Plugged : public Counting {
   public:
    explicit Plugged(Cable& cable) : Counting(1000, true), cable_(cable) { ++cable_.num_open; }
    ~Plugged() override { --cable_.num_open; }
    std::optional<recordings::CapturedFrame> next() override {
      if (stopped_ || cable_.count_ == cable_.last_) return std::nullopt;
      if (++cable_.count_ == cable_.at_) return cable_.trouble_();
      recordings::CapturedFrame frame = numbered(cable_.count_, 1);
      frame.time_s = ++count_;  // its clock starts at 0 when it is opened
      return frame;
    }

   private:
    Cable& cable_;
  };

  const int at_, last_;
  std::atomic<int> count_ = 0;  // detached cameras use it, too
  Trouble trouble_;
  std::mutex opening_;
};

/// While the camera is lost and closed, each call of idle() takes a quarter of a second. No time passes while it is
/// open.
class Patient : public Collector {
 public:
  explicit Patient(Cable& cable) : cable_(cable) {}
  void trouble(const std::string& why) override {
    Collector::trouble(why);
    is_lost_ = !why.empty();
    if (!is_lost_) return;
    lost_at_s = cable_.clock.now();
    if (on_lost) on_lost();
  }
  void captured(const recordings::CapturedFrame& frame) override {
    Collector::captured(frame);
    is_lost_ = false;
  }
  bool idle() override {
    if (is_lost_) cable_.pass_while_away(0.25);
    return true;
  }

  std::function<void()> on_lost;
  double lost_at_s = 0;

 private:
  Cable& cable_;
  std::atomic<bool> is_lost_ = false;
};

std::optional<recordings::CapturedFrame> cut() { throw Error(ErrorKind::kRuntime, "the cable is cut"); }

TEST(LiveReconnect, CameraThatFailsIsOpenedAgainAndItsFramesGoOn) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  const LiveReport report = run_live(cable.open(), echo, {output}, cable.options(20));
  EXPECT_EQ(output.labels, (Numbers{1, 2, 4, 5, 6}));
  EXPECT_EQ(report.num_reconnects, 1u);
  EXPECT_EQ(report.num_captured, 5u);
  ASSERT_EQ(output.news.size(), 2u);
  EXPECT_EQ(output.news[0], "the cable is cut (opening it again is tried for 20 s)");
  EXPECT_EQ(output.news[1], "back");
}

TEST(LiveReconnect, TimesGoOnWhereTheyStopped) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  run_live(cable.open(), echo, {output}, cable.options(20));
  ASSERT_EQ(output.times_s.size(), 5u);  // the camera's clock: 1, 2, and again 1, 2, 3
  EXPECT_DOUBLE_EQ(output.times_s[2] - output.times_s[1], cable.clock.now() - output.lost_at_s);
  EXPECT_GE(output.times_s[2] - output.times_s[1], 1) << "a second passes before it is opened again";
  EXPECT_DOUBLE_EQ(output.times_s[3] - output.times_s[2], 1);
}

TEST(LiveReconnect, StalledCameraIsOpenedAgain) {
  Echo echo;
  std::atomic<bool> hang = true;
  std::function<std::optional<recordings::CapturedFrame>()> stall;
  Cable cable(3, [&] { return stall(); });
  stall = [&]() -> std::optional<recordings::CapturedFrame> {
    // Returns after the camera has been detached; the camera is then closed.
    ++cable.num_hanging;
    cable.clock.advance(5.1);
    while (hang) std::this_thread::sleep_for(milliseconds(1));
    --cable.num_hanging;
    return Counting::numbered(3, 1);
  };
  Patient output(cable);
  const LiveReport report = run_live(cable.open(), echo, {output}, cable.options(20));  // the old camera still hangs
  hang = false;
  EXPECT_TRUE(wait_for([&] { return cable.num_open == 0; }));
  EXPECT_EQ(output.labels, (Numbers{1, 2, 4, 5, 6})) << "what is left behind delivers no more";
  EXPECT_EQ(report.num_reconnects, 1u);
  EXPECT_NE(output.news.at(0).find("no frame for 5 s after 2"), std::string::npos) << output.news[0];
}

TEST(LiveReconnect, EverySecondIsTried) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  cable.num_refusals = 2;
  run_live(cable.open(), echo, {output}, cable.options(20));
  ASSERT_EQ(cable.tried_at_s.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_GE(cable.tried_at_s[i] - (i > 0 ? cable.tried_at_s[i - 1] : output.lost_at_s), 1) << i;
  EXPECT_EQ(output.labels, (Numbers{1, 2, 4, 5, 6}));
  EXPECT_EQ(output.news.size(), 2u) << "one loss, one return";
}

TEST(LiveReconnect, CameraThatStaysAwayEndsTheRunWithASentence) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  cable.num_refusals = 1000;
  testdata::expect_refused(ErrorKind::kDevice, [&] { run_live(cable.open(), echo, {output}, cable.options(12)); });
  EXPECT_GT(cable.clock.now() - output.lost_at_s, 12);
  EXPECT_GE(cable.tried_at_s.size(), 10u);
  EXPECT_EQ(output.labels, up_to(2));
}

TEST(LiveReconnect, NothingIsTriedFor0OrWithoutAWay) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  testdata::expect_refused(ErrorKind::kDevice, [&] { run_live(cable.open(), echo, {output}, cable.options(0)); });
  EXPECT_EQ(output.labels, up_to(2));
  Cable other(3, cut);
  testdata::expect_refused(ErrorKind::kDevice, [&] { run_live(other.open(), echo, {output}, kEvery); });
  EXPECT_TRUE(output.news.empty());
}

TEST(LiveReconnect, RecordingsAndDataErrorsAreNotTriedAgain) {
  Echo echo;
  Collector output;
  LiveOptions options = kEvery;
  options.capture.reopen = []() -> std::shared_ptr<recordings::FrameSource> {
    ADD_FAILURE() << "opened again";
    return nullptr;
  };
  testdata::expect_refused(ErrorKind::kRuntime,
                           [&] { run_live(std::make_shared<Troubled>(3, cut), echo, {output}, options); });
  class OwnPace : public Troubled {
   public:
    OwnPace() : Troubled(3, cut) {}
    bool is_live() const override { return true; }
    bool may_come_back() const override { return false; }
  };
  testdata::expect_refused(ErrorKind::kRuntime,
                           [&] { run_live(std::make_shared<OwnPace>(), echo, {output}, options); });
  Cable odd(3,
            []() -> std::optional<recordings::CapturedFrame> { throw Error(ErrorKind::kData, "pixels of 12 bits"); });
  testdata::expect_refused(ErrorKind::kData, [&] { run_live(odd.open(), echo, {output}, options); });
  EXPECT_TRUE(output.news.empty());
}

TEST(LiveReconnect, CameraThatComesBackWithAnotherSizeIsASentence) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  LiveOptions options = cable.options(20);
  options.capture.reopen = [] { return std::make_shared<Troubled>(1, [] { return Counting::numbered(9, 2); }); };
  testdata::expect_refused(ErrorKind::kData, [&] { run_live(cable.open(), echo, {output}, options); });
}

TEST(LiveReconnect, WaitingForACameraCanBeStopped) {
  Echo echo;
  Cable cable(3, cut);
  Patient output(cable);
  cable.num_refusals = 1000;
  std::stop_source stop;
  output.on_lost = [&] { stop.request_stop(); };
  const LiveReport report = run_live(cable.open(), echo, {output}, cable.options(60), stop.get_token());
  EXPECT_LT(cable.clock.now() - output.lost_at_s, 60);
  EXPECT_LE(report.num_shown, 2u);
}

}  // namespace
}  // namespace fernwood::predict
