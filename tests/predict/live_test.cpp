// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <gtest/gtest.h>

#include <map>

#include "fernwood/formats/open_source.h"
#include "fernwood/recordings/frame_source.h"
#include "forest/noise.h"
#include "predict/counting_source.h"
#include "sentences.h"
#include "wait_for.h"

namespace fernwood::predict {
namespace {

TEST(Live, EveryFrameIsShownOnceInOrder) {
  Echo echo;
  Collector output;
  const LiveReport report = run_live(std::make_shared<Counting>(500), echo, {output}, kEvery);
  EXPECT_EQ(output.labels, up_to(500));
  EXPECT_EQ(output.arrived, up_to(500));
  EXPECT_EQ(report.num_shown, 500u);
  EXPECT_EQ(report.num_captured, 500u);
  EXPECT_EQ(report.num_dropped, 0u);
  EXPECT_EQ(report.latency.size(), 500u);
}

TEST(Live, NewestFrameWinsAndTheLastIsShown) {
  Echo slow(milliseconds(10));
  Collector output;
  const LiveReport report = run_live(std::make_shared<Counting>(60), slow, {output}, {.capture = {.rate_hz = 1000}});
  EXPECT_TRUE(std::is_sorted(output.labels.begin(), output.labels.end()));
  EXPECT_EQ(output.labels.back(), 60);
  EXPECT_EQ(report.num_captured, 60u);
  EXPECT_EQ(report.num_shown + report.num_dropped, 60u);
  EXPECT_GT(report.num_dropped, 20u);  // 60 frames arrive within 60 ms, and each takes 10 ms
  EXPECT_EQ(output.arrived, up_to(60)) << "what is dropped has been captured";
}

TEST(Live, EndsAfterSoManyFramesOrWhenAnOutputSaysSo) {
  Echo echo;
  Collector some, quitting;
  run_live(std::make_shared<Counting>(500), echo, {some}, {.max_frames = 7, .capture = {.every_frame = true}});
  EXPECT_EQ(some.labels, up_to(7));
  EXPECT_EQ(some.arrived, up_to(7)) << "nothing is captured in vain";
  quitting.quit_at = 5;
  run_live(std::make_shared<Counting>(500), echo, {quitting}, kEvery);
  EXPECT_EQ(quitting.labels, up_to(5));
}

TEST(Live, EachOutputGetsEachFrameAndAnyOfThemEndsTheRun) {
  Echo echo;
  Collector quitting, other;
  quitting.quit_at = 5;
  run_live(std::make_shared<Counting>(500), echo, {quitting, other}, kEvery);
  EXPECT_EQ(quitting.labels, up_to(5));
  EXPECT_EQ(other.labels, up_to(5));
  EXPECT_EQ(other.arrived, quitting.arrived);
}

TEST(Live, ProbabilitiesAreForAnyOutputThatWantsThem) {
  class Asking : public Echo {
   public:
    Prediction predict(const image::FrameImages& frame, const PredictRequest& request) override {
      num_asked += request.probabilities;
      return Echo::predict(frame, request);
    }
    int num_asked = 0;
  } asking;
  class Wanting : public Collector {
    bool wants_probabilities() const override { return true; }
  } wanting;
  Collector other;
  run_live(std::make_shared<Counting>(3), asking, {other}, kEvery);
  EXPECT_EQ(asking.num_asked, 0);
  run_live(std::make_shared<Counting>(3), asking, {other, wanting}, kEvery);
  EXPECT_EQ(asking.num_asked, 3);
}

TEST(Live, ObjectsAreFoundByThePredictor) {
  class Finding : public Echo {
   public:
    Prediction predict(const image::FrameImages& frame, const PredictRequest& request) override {
      Prediction found = Echo::predict(frame, request);
      if (request.objects != nullptr) found.objects.objects.resize(2);
      return found;
    }
  } finding;
  class Counter : public Collector {
   public:
    bool show(const LiveFrame& frame, const LiveReport&) override {
      num_objects += frame.prediction.objects.objects.size();
      return true;
    }
    std::size_t num_objects = 0;
  } counter;
  run_live(std::make_shared<Counting>(3), finding, {counter}, kEvery);
  EXPECT_EQ(counter.num_objects, 0u);
  image::ClassMap classes;
  classes.classes = {{"chair", {}}};
  objects::ObjectFinder finder(classes);
  LiveOptions with_objects = kEvery;
  with_objects.finder = &finder;
  run_live(std::make_shared<Counting>(3), finding, {counter}, with_objects);
  EXPECT_EQ(counter.num_objects, 6u);
}

TEST(Live, RecordingsKeepTheRateAndCamerasTheirOwn) {
  Echo echo;
  Collector output;
  const LiveOptions slow{.capture = {.every_frame = true, .rate_hz = 100}};
  EXPECT_GE(run_live(std::make_shared<Counting>(11), echo, {output}, slow).seconds, 0.1);  // ten periods of 10 ms
  EXPECT_LT(run_live(std::make_shared<Counting>(11, true), echo, {output}, slow).seconds, 0.1);
}

TEST(Live, TheSlowestRateIsNotTheFastest) {
  Echo slow(milliseconds(20));  // enough for another frame to be captured meanwhile
  Collector output;
  output.quit_at = 1;
  run_live(std::make_shared<Counting>(100), slow, {output}, {.capture = {.every_frame = true, .rate_hz = 1e-10}});
  EXPECT_EQ(output.arrived, up_to(1)) << "the next one is due in 300 years";
}

/// Frames with the given times.
class Timed : public Counting {
 public:
  explicit Timed(std::vector<double> times_s) : Counting(static_cast<int>(times_s.size())), times_s_(times_s) {}
  std::optional<recordings::CapturedFrame> next() override {
    std::optional<recordings::CapturedFrame> frame = Counting::next();
    if (frame) frame->time_s = times_s_[static_cast<std::size_t>(count_ - 1)];
    return frame;
  }

 private:
  std::vector<double> times_s_;
};

TEST(Live, RecordingsPlayAtTheirOwnTimes) {
  class Clock : public Collector {
   public:
    bool show(const LiveFrame& frame, const LiveReport& report) override {
      shown_s.push_back(frame.captured_at);
      return Collector::show(frame, report);
    }
    std::vector<double> shown_s;
  } output;
  Echo echo;
  // Uneven times that do not start at 0. The fourth goes back, as in a recording that repeats, and is shown at once.
  const LiveOptions recorded{.capture = {.every_frame = true, .rate_hz = 1, .recorded_times = true}};
  run_live(std::make_shared<Timed>(std::vector<double>{100, 100.2, 100.25, 7, 7.1}), echo, {output}, recorded);
  ASSERT_EQ(output.labels, up_to(5));
  const std::vector<double> wanted_s = {0, 0.2, 0.25, 0.25, 0.35};
  for (std::size_t i = 1; i < wanted_s.size(); ++i) {
    EXPECT_GE(output.shown_s[i] - output.shown_s[0], wanted_s[i] - 0.01) << i;
    EXPECT_LE(output.shown_s[i] - output.shown_s[0], wanted_s[i] + 0.15) << i;
  }
}

TEST(Live, LateFramesOfARecordingDoNotDelayThoseBehind) {
  Echo slow(milliseconds(200));
  Collector output;
  const LiveOptions recorded{.capture = {.every_frame = true, .recorded_times = true}};
  // The second and the third frame are late by the work on the previous ones; the fourth is in time.
  const LiveReport report =
      run_live(std::make_shared<Timed>(std::vector<double>{0, 0.01, 0.02, 0.8}), slow, {output}, recorded);
  EXPECT_EQ(output.labels, up_to(4));
  EXPECT_GE(report.seconds, 0.8 + 0.2 - 0.01);
  EXPECT_LT(report.seconds, 0.8 + 0.2 + 0.3) << "delays would add up to 0.4 s";
}

TEST(Live, TimesOfTheStagesAreTold) {
  Echo slow(milliseconds(20));
  Collector output;
  const LiveReport report =
      run_live(std::make_shared<Counting>(5), slow, {output}, {.capture = {.every_frame = true, .rate_hz = 20}});
  EXPECT_GE(report.predict.median_s(), 0.019);
  EXPECT_GE(report.latency.median_s(), report.predict.median_s() * 0.99);
  EXPECT_LT(report.capture.median_s(), 0.019) << "waiting for the next frame's turn is not capturing";
  EXPECT_NEAR(report.frames_per_second(), 5 / report.seconds, 1e-9);
}

TEST(Live, ErrorOfTheSourceComesAfterWhatWasCaptured) {
  Echo echo;
  Collector output;
  const auto broken = std::make_shared<Troubled>(
      4, []() -> std::optional<recordings::CapturedFrame> { throw Error(ErrorKind::kRuntime, "the cable is cut"); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { run_live(broken, echo, {output}, kEvery); });
  EXPECT_EQ(output.labels, up_to(3));
}

TEST(Live, AnotherSizeIsASentence) {
  Echo echo;
  Collector output;
  const auto changing = std::make_shared<Troubled>(3, [] { return Counting::numbered(3, 2); });
  testdata::expect_refused(ErrorKind::kData, [&] { run_live(changing, echo, {output}, kEvery); });
  EXPECT_EQ(output.labels, up_to(2));
}

TEST(Live, StalledSourceIsASentenceAndNoHang) {
  // next() ignores stop requests, and returns only when `hang` is cleared, after the run has detached the source.
  const auto hang = std::make_shared<std::atomic<bool>>(true);
  const auto clock = std::make_shared<SetClock>();
  const auto stalled = std::make_shared<Troubled>(3, [hang, clock]() -> std::optional<recordings::CapturedFrame> {
    clock->advance(5.1);
    while (*hang) std::this_thread::sleep_for(milliseconds(1));
    return Counting::numbered(3, 1);
  });
  const std::weak_ptr<recordings::FrameSource> alive = stalled;
  {
    Echo echo;
    Collector output;
    const LiveOptions options{
        .capture = {.every_frame = true, .stall_timeout_s = 5, .clock = [clock] { return clock->now(); }}};
    testdata::expect_refused(ErrorKind::kRuntime, [&] { run_live(stalled, echo, {output}, options); });
    EXPECT_EQ(output.labels, up_to(2));
  }
  *hang = false;
}

TEST(Live, ErrorsOfPredictorAndOutputEndTheRun) {
  class Refusing : public Echo {
    Prediction predict(const image::FrameImages&, const PredictRequest&) override {
      throw Error(ErrorKind::kData, "no channel for this");
    }
  } refusing;
  class Full : public LiveOutput {
    bool show(const LiveFrame&, const LiveReport&) override { throw Error(ErrorKind::kRuntime, "the disk is full"); }
  } full;
  Collector output;
  Echo echo;
  testdata::expect_refused(ErrorKind::kData,
                           [&] { run_live(std::make_shared<Counting>(500), refusing, {output}, kEvery); });
  testdata::expect_refused(ErrorKind::kRuntime,
                           [&] { run_live(std::make_shared<Counting>(500), echo, {full}, kEvery); });
}

TEST(Live, StopTokenEndsTheRun) {
  Echo echo;
  Collector output;
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.request_stop();
  });
  // The whole run would take 50 s.
  const LiveReport report = run_live(std::make_shared<Counting>(500), echo, {output},
                                     {.capture = {.every_frame = true, .rate_hz = 10}}, stop.get_token());
  stopper.join();
  EXPECT_LT(report.num_shown, 10u);
}

TEST(Live, FramesCapturedBeforeAStopAreShown) {
  /// Requests the stop while it shows frame 3 and the three frames behind it wait: one labelled, two not.
  class Stopping : public Collector {
   public:
    void captured(const recordings::CapturedFrame& frame) override {
      Collector::captured(frame);
      ++num_captured;
    }
    bool show(const LiveFrame& frame, const LiveReport& report) override {
      if (frame.captured.time_s == 3) {
        EXPECT_TRUE(wait_for([&] { return num_captured == 6; }, milliseconds(1)));
        stop.request_stop();
      }
      return Collector::show(frame, report);
    }
    std::atomic<int> num_captured = 0;
    std::stop_source stop;
  } output;
  Echo echo;
  const LiveReport report = run_live(std::make_shared<Counting>(500), echo, {output}, kEvery, output.stop.get_token());
  EXPECT_EQ(output.arrived, up_to(6));
  EXPECT_EQ(output.labels, up_to(6));
  EXPECT_EQ(report.num_captured, 6u);
  EXPECT_EQ(report.num_shown, 6u);
}

TEST(Live, StopEndsAPausedRun) {
  class Pausing : public Collector {
   public:
    bool wants_frame() override { return labels.empty(); }
    bool idle() override {
      if (!labels.empty()) stop.request_stop();
      return true;
    }
    std::stop_source stop;
  } output;
  Echo echo;
  run_live(std::make_shared<Counting>(500), echo, {output}, kEvery, output.stop.get_token());
  EXPECT_EQ(output.labels, up_to(1));
}

TEST(Live, PausedRecordingStandsStillAndStepsFrameByFrame) {
  /// Pauses after frame 2: refuses a frame three times, then accepts all.
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
  } output;
  Echo echo;
  run_live(std::make_shared<Counting>(6), echo, {output}, kEvery);
  EXPECT_EQ(output.labels, up_to(6));
  EXPECT_EQ(output.arrived_while_paused, 2u);
  EXPECT_GE(output.looks, 3);
}

TEST(Live, ReplayOfARecordingGivesTheSameLabelsFrameByFrame) {
  class Recording : public LiveOutput {
   public:
    explicit Recording(const std::filesystem::path& folder) : recorder(folder) {}
    void captured(const recordings::CapturedFrame& frame) override { recorder.add(frame); }
    bool show(const LiveFrame& frame, const LiveReport&) override {
      labels.push_back(frame.prediction.labels);
      return true;
    }
    recordings::FrameRecorder recorder;
    std::vector<image::LabelImage> labels;
  };
  class Noisy : public Counting {
   public:
    Noisy() : Counting(25) {}
    std::optional<recordings::CapturedFrame> next() override {
      std::optional<recordings::CapturedFrame> counted = Counting::next();
      if (counted)
        counted->frame =
            std::make_shared<image::Frame>(forest::noise_frame(20, 33, static_cast<std::uint32_t>(count_)));
      return counted;
    }
    bool has_color() const override { return true; }
  };
  const dataset::TestFolder folder;
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const auto predictor = make_predictor(forest, {.device = "cpu"});
  Recording first(folder / "first");
  run_live(std::make_shared<Noisy>(), *predictor, {first}, kEvery);
  first.recorder.finish();
  Recording again(folder / "again");
  run_live(formats::open_source("frames:" + (folder / "first").string()), *predictor, {again}, kEvery);
  ASSERT_EQ(first.labels.size(), 25u);
  EXPECT_TRUE(first.labels == again.labels);
  EXPECT_FALSE(first.labels[0] == first.labels[1]) << "else the comparison says nothing";
}

TEST(Live, WhatIsDroppedIsRecordedAndReplayGivesTheSameLabels) {
  class Recording : public LiveOutput {
   public:
    explicit Recording(const std::filesystem::path& folder) : recorder(folder) {}
    void captured(const recordings::CapturedFrame& frame) override { recorder.add(frame); }
    bool show(const LiveFrame& frame, const LiveReport&) override {
      labels[frame.captured.time_s] = frame.prediction.labels;
      return true;
    }
    recordings::FrameRecorder recorder;
    std::map<double, image::LabelImage> labels;  // keyed by the time of the frame
  };
  Echo slow(milliseconds(4));
  const dataset::TestFolder folder;
  Recording first(folder / "first");
  const LiveReport live = run_live(std::make_shared<Counting>(60, true), slow, {first});
  first.recorder.finish();
  EXPECT_GT(live.num_dropped, 0u) << "else the comparison says less";
  Recording again(folder / "again");
  const LiveReport replay =
      run_live(formats::open_source("frames:" + (folder / "first").string()), slow, {again}, kEvery);
  EXPECT_EQ(replay.num_shown, 60u);
  ASSERT_EQ(again.labels.size(), 60u);
  for (const auto& [time_s, labels] : first.labels) EXPECT_EQ(again.labels.at(time_s), labels) << time_s;
}

TEST(Live, OptionsOutOfRangeAreASentence) {
  Echo echo;
  Collector output;
  testdata::expect_refused(ErrorKind::kUsage, [&] {
    run_live(std::make_shared<Counting>(1), echo, {output}, {.capture = {.rate_hz = -1}});
  });
  testdata::expect_refused(ErrorKind::kUsage, [&] {
    run_live(std::make_shared<Counting>(1), echo, {output}, {.capture = {.stall_timeout_s = 0}});
  });
  testdata::expect_refused(ErrorKind::kUsage, [&] {
    run_live(std::make_shared<Counting>(1), echo, {output}, {.capture = {.reconnect_s = -1}});
  });
}

}  // namespace
}  // namespace fernwood::predict
