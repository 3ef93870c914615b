// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "dataset/test_files.h"
#include "fernwood/core/timer.h"
#include "fernwood/dataset/frame_recorder.h"
#include "forest/noise.h"
#include "predict/plain_prediction.h"

namespace fernwood {
namespace {

using std::chrono::milliseconds;
using Numbers = std::vector<int>;

/// Frames of one pixel whose depth is their number, from 1 on.
class Counting : public FrameSource {
 public:
  explicit Counting(int num_frames, bool is_live = false) : num_frames_(num_frames), is_live_(is_live) {}
  std::optional<CapturedFrame> next() override {
    if (stopped_ || count_ == num_frames_) return std::nullopt;
    ++count_;
    return numbered(count_, 1);
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return false; }
  bool has_depth() const override { return true; }
  bool is_live() const override { return is_live_; }
  std::string name() const override { return "counting"; }

  static CapturedFrame numbered(int number, std::size_t size) {
    auto frame = std::make_shared<Frame>();
    frame->depth_mm = Array2<std::uint16_t>(size, size, static_cast<std::uint16_t>(number));
    return {frame, static_cast<double>(number), std::to_string(number)};
  }

 protected:
  std::atomic<bool> stopped_ = false;
  int count_ = 0, num_frames_;
  bool is_live_;
};

/// A source that does something else at a certain frame.
class Troubled : public Counting {
 public:
  Troubled(int at, std::function<std::optional<CapturedFrame>()> trouble)
      : Counting(1000), at_(at), trouble_(std::move(trouble)) {}
  std::optional<CapturedFrame> next() override { return count_ + 1 == at_ ? trouble_() : Counting::next(); }

 private:
  int at_;
  std::function<std::optional<CapturedFrame>()> trouble_;
};

/// Gives a pixel's depth as its label.
class Echo : public Predictor {
 public:
  explicit Echo(milliseconds work = milliseconds(0)) : work_(work) {}
  Prediction predict(const Frame& frame, const PredictRequest&) override {
    std::this_thread::sleep_for(work_);
    Prediction out;
    out.labels = frame.depth_mm;
    return out;
  }

 private:
  milliseconds work_;
};

class Collector : public LiveSink {
 public:
  void captured(const CapturedFrame& frame) override { arrived.push_back(static_cast<int>(frame.time_s)); }
  bool show(const LiveFrame& frame, const LiveReport&) override {
    labels.push_back(frame.prediction.labels(0, 0));
    return labels.back() != quit_at;
  }
  Numbers arrived, labels;
  int quit_at = -1;
};

Numbers up_to(int last) {
  Numbers numbers;
  for (int i = 1; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

const LiveOptions kEvery{.every_frame = true};

TEST(Live, EveryFrameIsShownOnceInOrder) {
  Echo echo;
  Collector sink;
  const LiveReport report = run_live(std::make_shared<Counting>(500), echo, sink, kEvery);
  EXPECT_EQ(sink.labels, up_to(500));
  EXPECT_EQ(sink.arrived, up_to(500));
  EXPECT_EQ(report.num_shown, 500u);
  EXPECT_EQ(report.num_captured, 500u);
  EXPECT_EQ(report.num_dropped, 0u);
  EXPECT_EQ(report.latency.size(), 500u);
}

TEST(Live, NewestFrameWinsAndTheLastIsShown) {
  Echo slow(milliseconds(10));
  Collector sink;
  const LiveReport report = run_live(std::make_shared<Counting>(60), slow, sink, {.rate_hz = 1000});
  EXPECT_TRUE(std::is_sorted(sink.labels.begin(), sink.labels.end()));
  EXPECT_EQ(sink.labels.back(), 60);
  EXPECT_EQ(report.num_captured, 60u);
  EXPECT_EQ(report.num_shown + report.num_dropped, 60u);
  EXPECT_GT(report.num_dropped, 20u);  // 60 frames within 60 ms, 10 ms each
  EXPECT_EQ(sink.arrived, up_to(60)) << "what is dropped has been captured";
}

TEST(Live, EndsAfterSoManyFramesOrWhenTheSinkSaysSo) {
  Echo echo;
  Collector some, quitting;
  run_live(std::make_shared<Counting>(500), echo, some, {.every_frame = true, .max_frames = 7});
  EXPECT_EQ(some.labels, up_to(7));
  EXPECT_EQ(some.arrived, up_to(7)) << "nothing is captured in vain";
  quitting.quit_at = 5;
  run_live(std::make_shared<Counting>(500), echo, quitting, kEvery);
  EXPECT_EQ(quitting.labels, up_to(5));
}

TEST(Live, RecordingsKeepTheRateAndCamerasTheirOwn) {
  Echo echo;
  Collector sink;
  const LiveOptions slow{.every_frame = true, .rate_hz = 100};
  EXPECT_GE(run_live(std::make_shared<Counting>(11), echo, sink, slow).seconds, 0.1);  // ten periods of 10 ms
  EXPECT_LT(run_live(std::make_shared<Counting>(11, true), echo, sink, slow).seconds, 0.1);
}

TEST(Live, TimesOfTheStagesAreTold) {
  Echo slow(milliseconds(20));
  Collector sink;
  const LiveReport report = run_live(std::make_shared<Counting>(5), slow, sink, {.every_frame = true, .rate_hz = 20});
  EXPECT_GE(report.predict.median_s(), 0.019);
  EXPECT_GE(report.latency.median_s(), report.predict.median_s() * 0.99);
  EXPECT_LT(report.capture.median_s(), 0.019) << "waiting for the next frame's turn is not capturing";
  EXPECT_NEAR(report.frames_per_second(), 5 / report.seconds, 1e-9);
}

TEST(Live, ErrorOfTheSourceComesAfterWhatWasCaptured) {
  Echo echo;
  Collector sink;
  const auto broken = std::make_shared<Troubled>(
      4, []() -> std::optional<CapturedFrame> { throw Error(ErrorKind::kRuntime, "the cable is cut"); });
  expect_error([&] { run_live(broken, echo, sink, kEvery); }, ErrorKind::kRuntime, {"the cable is cut"});
  EXPECT_EQ(sink.labels, up_to(3));
}

TEST(Live, AnotherSizeIsASentence) {
  Echo echo;
  Collector sink;
  const auto changing = std::make_shared<Troubled>(3, [] { return Counting::numbered(3, 2); });
  expect_error([&] { run_live(changing, echo, sink, kEvery); }, ErrorKind::kData,
               {"counting", "frame 3", "2 x 2", "1 x 1", "keep its size"});
  EXPECT_EQ(sink.labels, up_to(2));
}

TEST(Live, StalledSourceIsASentenceAndNoHang) {
  // Neither comes back when it is asked to stop; the second does so after it has been left behind.
  const auto hang = std::make_shared<std::atomic<bool>>(true);
  const auto stalled = std::make_shared<Troubled>(3, [hang]() -> std::optional<CapturedFrame> {
    while (*hang) std::this_thread::sleep_for(milliseconds(1));
    return Counting::numbered(3, 1);
  });
  const std::weak_ptr<FrameSource> alive = stalled;
  {
    Echo echo;
    Collector sink;
    const double begin = seconds_now();
    expect_error([&] { run_live(stalled, echo, sink, {.every_frame = true, .patience_s = 0.3}); }, ErrorKind::kRuntime,
                 {"counting", "no frame for 0.3 s after 2", "cable", "--patience"});
    EXPECT_LT(seconds_now() - begin, 2);
    EXPECT_EQ(sink.labels, up_to(2));
  }
  *hang = false;
}

TEST(Live, ErrorsOfPredictorAndSinkEndTheRun) {
  class Refusing : public Echo {
    Prediction predict(const Frame&, const PredictRequest&) override {
      throw Error(ErrorKind::kData, "no channel for this");
    }
  } refusing;
  class Full : public LiveSink {
    bool show(const LiveFrame&, const LiveReport&) override { throw Error(ErrorKind::kRuntime, "the disk is full"); }
  } full;
  Collector sink;
  Echo echo;
  expect_error([&] { run_live(std::make_shared<Counting>(500), refusing, sink, kEvery); }, ErrorKind::kData,
               {"no channel"});
  expect_error([&] { run_live(std::make_shared<Counting>(500), echo, full, kEvery); }, ErrorKind::kRuntime,
               {"disk is full"});
}

TEST(Live, StopTokenEndsTheRun) {
  Echo echo;
  Collector sink;
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.request_stop();
  });
  // Would take 50 s.
  const LiveReport report =
      run_live(std::make_shared<Counting>(500), echo, sink, {.every_frame = true, .rate_hz = 10}, stop.get_token());
  stopper.join();
  EXPECT_LT(report.num_shown, 10u);
}

TEST(Live, PausedRecordingStandsStillAndStepsFrameByFrame) {
  /// Pauses after frame 2, looks some times, steps once, then goes on.
  class Pausing : public Collector {
   public:
    bool wants_frame() override {
      if (labels.size() == 2 && looks++ < 3) return false;
      return true;
    }
    bool show(const LiveFrame& frame, const LiveReport& report) override {
      if (labels.size() == 2) arrived_while_paused = report.num_shown;
      return Collector::show(frame, report);
    }
    int looks = 0;
    std::size_t arrived_while_paused = 0;
  } sink;
  Echo echo;
  run_live(std::make_shared<Counting>(6), echo, sink, kEvery);
  EXPECT_EQ(sink.labels, up_to(6));
  EXPECT_EQ(sink.arrived_while_paused, 2u);
  EXPECT_GE(sink.looks, 3);
}

TEST(Live, ReplayOfARecordingGivesTheSameLabelsFrameByFrame) {
  class Recording : public LiveSink {
   public:
    explicit Recording(const std::filesystem::path& folder) : recorder(folder) {}
    void captured(const CapturedFrame& frame) override { recorder.add(frame); }
    bool show(const LiveFrame& frame, const LiveReport&) override {
      labels.push_back(frame.prediction.labels);
      return true;
    }
    FrameRecorder recorder;
    std::vector<LabelImage> labels;
  };
  class Noisy : public Counting {
   public:
    Noisy() : Counting(25) {}
    std::optional<CapturedFrame> next() override {
      std::optional<CapturedFrame> counted = Counting::next();
      if (counted) counted->frame = std::make_shared<Frame>(noise_frame(20, 33, static_cast<std::uint32_t>(count_)));
      return counted;
    }
    bool has_color() const override { return true; }
  };
  const TestFolder folder;
  const Forest forest = noise_forest(4, 3, {"lab", "depth"}, 1);
  const auto predictor = make_predictor(forest, {.device = "cpu"});
  Recording first(folder / "first");
  run_live(std::make_shared<Noisy>(), *predictor, first, kEvery);
  first.recorder.finish();
  Recording again(folder / "again");
  run_live(open_source("frames:" + (folder / "first").string()), *predictor, again, kEvery);
  ASSERT_EQ(first.labels.size(), 25u);
  EXPECT_TRUE(first.labels == again.labels);
  EXPECT_FALSE(first.labels[0] == first.labels[1]) << "else the comparison says nothing";
}

TEST(Live, OptionsOutOfRangeAreASentence) {
  Echo echo;
  Collector sink;
  expect_error([&] { run_live(std::make_shared<Counting>(1), echo, sink, {.rate_hz = -1}); }, ErrorKind::kUsage,
               {"rate is -1"});
  expect_error([&] { run_live(std::make_shared<Counting>(1), echo, sink, {.patience_s = 0}); }, ErrorKind::kUsage,
               {"patience", "0 s"});
}

}  // namespace
}  // namespace fernwood
