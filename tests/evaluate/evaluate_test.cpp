// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/dataset/image_io.h"
#include "option_rows.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::evaluate {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr image::Rgb kFloor{255, 0, 0}, kWall{0, 255, 0}, kBlack{0, 0, 0};

/// Predicts the red value of a pixel as its class; 255 is void.
class RedPredictor : public predict::Predictor {
 public:
  predict::Prediction predict(const image::FrameImages& frame, const predict::PredictRequest& request = {}) override {
    predict::Prediction prediction;
    prediction.labels = image::LabelImage(frame.rows, frame.cols);
    std::transform(frame.color, frame.color + frame.rows * frame.cols, prediction.labels.begin(),
                   [](image::Rgb rgb) { return rgb.r == 255 ? image::kVoid : std::uint16_t{rgb.r}; });
    ThreadPool pool(1);
    if (request.objects) prediction.objects = request.objects->find(frame, prediction.labels, {}, pool);
    ++num_calls;
    return prediction;
  }
  int num_calls = 0;
};

Array2<image::Rgb> row_of(const std::vector<image::Rgb>& pixels) {
  Array2<image::Rgb> image(1, pixels.size());
  std::copy(pixels.begin(), pixels.end(), image.begin());
  return image;
}

std::vector<std::uint16_t> numbers(const image::LabelImage& labels) { return {labels.begin(), labels.end()}; }

class Evaluate : public testing::Test {
 protected:
  void SetUp() override {
    forest_.classes.classes = {{"floor", kFloor}, {"wall", kWall}};
    forest_.classes.void_colors = {kBlack};
    forest_.preparation.channels = image::ChannelLayout({"rgb"});
  }

  /// Writes a frame of one row. @param predicted  Classes that RedPredictor will return.
  void add_frame(const std::string& name, const std::vector<image::Rgb>& truth, const std::vector<int>& predicted) {
    std::vector<image::Rgb> color;
    for (const int label : predicted) color.push_back({static_cast<std::uint8_t>(label), 0, 0});
    dataset::write_png(folder_ / (name + "_colors.png"), row_of(color));
    dataset::write_png(folder_ / (name + "_ground_truth.png"), row_of(truth));
  }

  /// Four frames of different sizes.
  void add_frames() {
    add_frame("a", {kFloor, kFloor, kWall, kBlack}, {0, 1, 1, 0});           // 2 of 3 correct, 1 of 4 void
    add_frame("b", {kWall, kWall, kWall, kWall, kWall}, {0, 0, 1, 0, 255});  // 1 of 5
    add_frame("c", {kBlack, kBlack}, {0, 255});                              // all void
    add_frame("d", {kFloor}, {0});                                           // 1 of 1
  }

  /// Adds depth, and a number of an object for each pixel. Walls are things here.
  void add_instances(const std::string& name, const std::vector<int>& numbers) {
    forest_.classes.classes[1].stated_thing = true;
    Array2<std::uint16_t> instances(1, numbers.size());
    std::ranges::copy(numbers, instances.begin());
    dataset::write_png16(folder_ / (name + "_instances.png"), instances);
  }
  void add_frames_with_depth() {
    add_frames();
    for (const auto& [name, cols] : {std::pair{"a", 4}, {"b", 5}, {"c", 2}, {"d", 1}})
      dataset::write_png16(folder_ / (std::string(name) + "_depth.png"),
                           Array2<std::uint16_t>(1, static_cast<std::size_t>(cols), std::uint16_t{3000}));
  }

  EvaluationReport run(const EvaluateOptions& options = {}, int threads = 2, const ProgressCallback& progress = {}) {
    ThreadPool pool(threads);
    return evaluate(predictor_, forest_, dataset::Dataset::open(folder_), options, pool, progress);
  }

  const fernwood::testdata::TestFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  forest::Forest forest_;
  RedPredictor predictor_;
};

TEST_F(Evaluate, RanksTogetherFindWhatOneProcessFinds) {
  add_frames();
  const EvaluationReport alone = run();
  for (const int size : {2, 3, 5}) {  // with five ranks, one has no frame
    const dataset::Dataset dataset = dataset::Dataset::open(folder_);
    std::atomic<int> calls = 0;
    run_as_ranks(size, [&](Communicator& ranks) {
      RedPredictor predictor;
      ThreadPool pool(1);
      const EvaluateOptions options{.pictures = true, .num_pictures = 2};
      const EvaluationReport report = evaluate(predictor, forest_, dataset, options, pool, {}, &ranks);
      calls += predictor.num_calls;
      EXPECT_EQ(report.confusion.counts(), alone.confusion.counts());
      EXPECT_EQ(report.metrics.without_void.pixel, alone.metrics.without_void.pixel);
      ASSERT_EQ(report.frames.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(report.frames[i].name, alone.frames[i].name);
        EXPECT_EQ(report.frames[i].void_share, alone.frames[i].void_share);
      }
      ASSERT_EQ(report.worst.size(), ranks.rank() == 0 ? 1u : 0u);
      if (ranks.rank() > 0) return;
      EXPECT_THAT(numbers(report.worst[0].predicted), ElementsAre(0, 0, 1, 0, image::kVoid));
      EXPECT_THAT(numbers(report.best[0].predicted), ElementsAre(0));
      ASSERT_EQ(report.small.size(), 4u);
      EXPECT_EQ(report.small[3].frame, 3u);
      EXPECT_THAT(numbers(report.small[1].predicted), ElementsAre(0, 0, 1, 0, image::kVoid));
    });
    EXPECT_EQ(calls, 4) << size;  // each frame once, also those of the page's pictures
  }
}

TEST_F(Evaluate, ComparesObjectsWhereFramesHaveInstancesAndDepth) {
  add_frames();
  add_instances("a", {0, 0, 1, 0});
  EXPECT_FALSE(run().panoptic) << "without depth";
  add_frames_with_depth();
  add_instances("b", {1, 1, 2, 2, 2});
  const EvaluationReport report = run();
  ASSERT_TRUE(report.panoptic);
  EXPECT_EQ(report.panoptic->num_frames, 2u);
  EXPECT_EQ(report.panoptic->is_thing, (std::vector<bool>{false, true}));
  EXPECT_EQ(report.panoptic->found[1].num_true, 3u);
  // The connected pixels of walls cover a half of the object of a, which is too little, and a third of one of b.
  EXPECT_EQ(report.panoptic->connected[1], (SegmentCounts{3, 2, 0, 0, 0, 0}));
  EXPECT_FALSE(run({.finds_objects = false}).panoptic);
}

TEST_F(Evaluate, RefusesObjectsWithoutInstances) {
  add_frames_with_depth();
  EXPECT_FALSE(run().panoptic);
  try {
    run({.finds_objects = true});
    ADD_FAILURE();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.option(), "objects");
  }
}

TEST_F(Evaluate, RanksTogetherCountTheObjectsOfAllFrames) {
  add_frames_with_depth();
  add_instances("a", {0, 0, 1, 0});
  add_instances("b", {1, 1, 2, 2, 2});
  const EvaluateOptions options{.objects = {.min_area_cm2 = 0}};
  const EvaluationReport alone = run(options);
  const dataset::Dataset dataset = dataset::Dataset::open(folder_);
  run_as_ranks(3, [&](Communicator& ranks) {
    RedPredictor predictor;
    ThreadPool pool(1);
    const EvaluationReport report = evaluate(predictor, forest_, dataset, options, pool, {}, &ranks);
    ASSERT_TRUE(report.panoptic);
    EXPECT_EQ(report.panoptic->num_frames, 2u);
    EXPECT_EQ(report.panoptic->found, alone.panoptic->found);
    EXPECT_EQ(report.panoptic->connected, alone.panoptic->connected);
    EXPECT_EQ(report.panoptic->true_labels, alone.panoptic->true_labels);
  });
}

TEST_F(Evaluate, CountsEveryPixelOfEveryFrameOnce) {
  add_frames();
  for (const int threads : {1, 2, 3, 7}) {
    const EvaluationReport report = run({}, threads);
    // Rows: floor, wall, void; columns likewise.
    const int expected[3][3] = {{2, 1, 0}, {3, 2, 1}, {2, 0, 1}};
    for (int t = 0; t < 3; ++t)
      for (int p = 0; p < 3; ++p) EXPECT_EQ(report.confusion.count(t, p), expected[t][p] + 0u) << t << ", " << p;
    EXPECT_DOUBLE_EQ(report.metrics.without_void.pixel, 4.0 / 9);
    EXPECT_EQ(report.metrics.void_pixels, 3u);
  }
}

TEST_F(Evaluate, ScoresEachFrameInOrder) {
  add_frames();
  const EvaluationReport report = run();
  ASSERT_EQ(report.frames.size(), 4u);
  EXPECT_EQ(report.frames[0].name, "a");
  EXPECT_DOUBLE_EQ(report.frames[0].pixel_accuracy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(report.frames[0].void_share, 0.25);
  EXPECT_DOUBLE_EQ(report.frames[1].pixel_accuracy, 0.2);
  EXPECT_THAT(report.frames[2].pixel_accuracy, testing::IsNan());
  EXPECT_DOUBLE_EQ(report.frames[2].void_share, 1.0);
  EXPECT_DOUBLE_EQ(report.frames[3].pixel_accuracy, 1.0);
  EXPECT_DOUBLE_EQ(report.mean_frame_accuracy(), (2.0 / 3 + 0.2 + 1.0) / 3);
  EXPECT_EQ(report.dataset, folder_.string());
  EXPECT_EQ(report.classes, forest_.classes);
}

TEST_F(Evaluate, TimesThePredictor) {
  class Sleeper : public RedPredictor {
    predict::Prediction predict(const image::FrameImages& frame, const predict::PredictRequest& request) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return RedPredictor::predict(frame, request);
    }
  } sleeper;
  add_frames();
  ThreadPool pool(2);
  const EvaluationReport report = evaluate(sleeper, forest_, dataset::Dataset::open(folder_), {}, pool);
  EXPECT_GE(report.seconds, 4 * 0.005);
  EXPECT_LE(report.frames_per_second(), 200.0);
}

TEST_F(Evaluate, ReportsProgressAndStopsWhenAsked) {
  add_frames();
  std::vector<std::size_t> seen;
  run({}, 3, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 4u);
    seen.push_back(done);
  });
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4));

  predictor_.num_calls = 0;
  EXPECT_THROW(run({}, 1, [](std::size_t, std::size_t) { throw Error(ErrorKind::kInterrupted, "stopped"); }), Error);
  EXPECT_EQ(predictor_.num_calls, 1);
}

TEST_F(Evaluate, ShowsTheWorstAndTheBestFrames) {
  add_frames();
  EXPECT_TRUE(run().worst.empty());
  const EvaluationReport report = run({.pictures = true, .num_pictures = 3});
  ASSERT_EQ(report.worst.size(), 2u);  // two of the three are reported as worst
  ASSERT_EQ(report.best.size(), 1u);
  EXPECT_EQ(report.worst[0].name, "b");
  EXPECT_EQ(report.worst[1].name, "a");
  EXPECT_EQ(report.best[0].name, "d");
  EXPECT_DOUBLE_EQ(report.best[0].pixel_accuracy, 1.0);
  EXPECT_EQ(report.best[0].frame.color.size(), 1u);
  EXPECT_TRUE(report.best[0].frame.depth_mm.empty());
  const auto picture = [&](const image::LabelImage& labels) {
    return dataset::colorize_labels(labels, report.classes);
  };
  EXPECT_EQ(picture(report.best[0].predicted), row_of({kFloor}));
  EXPECT_EQ(picture(report.worst[0].predicted), row_of({kFloor, kFloor, kWall, kFloor, kBlack}));
}

TEST_F(Evaluate, AShownFrameThatHasChangedItsSizeIsTold) {
  add_frames();
  const auto change_when_labelled = [&](std::size_t done, std::size_t total) {
    if (done == total) add_frame("b", {kWall, kWall}, {0, 0});
  };
  fernwood::testdata::expect_refused(ErrorKind::kData,
                                     [&] { run({.pictures = true, .num_pictures = 3}, 1, change_when_labelled); });
}

/// Labels the first frame of a video as floor and all others as wall.
class VideoPredictor : public predict::Predictor {
 public:
  predict::Prediction predict(const image::FrameImages& frame, const predict::PredictRequest& = {}) override {
    const bool is_first = !std::exchange(has_begun_, true) || frame.begins_video;
    predict::Prediction prediction;
    prediction.labels = image::LabelImage(frame.rows, frame.cols, is_first ? 0 : 1);
    return prediction;
  }

 private:
  bool has_begun_ = false;
};

TEST_F(Evaluate, ShowsTheLabelsThatWereScored) {
  for (const char* name : {"a", "b", "c"}) add_frame(name, {kFloor}, {0});
  VideoPredictor predictor;
  ThreadPool pool(1);
  const EvaluationReport report =
      evaluate(predictor, forest_, dataset::Dataset::open(folder_), {.pictures = true, .num_pictures = 2}, pool);
  EXPECT_DOUBLE_EQ(report.metrics.without_void.pixel, 1.0 / 3);
  EXPECT_EQ(report.worst.at(0).name, "b");
  EXPECT_THAT(numbers(report.worst[0].predicted), ElementsAre(1));
  EXPECT_EQ(report.best.at(0).name, "a");
  EXPECT_THAT(numbers(report.best[0].predicted), ElementsAre(0));
}

TEST_F(Evaluate, EachRecordingBeginsWithoutHistory) {
  for (const char* recording : {"one", "two"}) {
    fs::create_directory(folder_ / recording);
    std::ofstream(folder_ / recording / "times.txt") << "f 0\ng 1\n";
    add_frame(recording + std::string("/f"), {kFloor}, {0});
    add_frame(recording + std::string("/g"), {kWall}, {0});
  }
  VideoPredictor predictor;
  ThreadPool pool(2);
  const EvaluationReport report =
      evaluate(predictor, forest_, dataset::Dataset::open(folder_), {.uses_poses = true}, pool);
  ASSERT_EQ(report.frames.size(), 4u);
  EXPECT_EQ(report.metrics.without_void.pixel, 1);
}

TEST_F(Evaluate, EachGroupOfFramesBeginsWithoutHistory) {
  for (const char* name : {"a", "c"}) add_frame(name, {kFloor}, {0});
  for (const char* name : {"b", "d"}) add_frame(name, {kWall}, {0});
  std::ofstream(folder_ / "groups.txt") << "a kitchen\nb kitchen\nc office\nd office\n";
  VideoPredictor predictor;
  ThreadPool pool(2);
  EXPECT_EQ(evaluate(predictor, forest_, dataset::Dataset::open(folder_), {.uses_poses = true}, pool)
                .metrics.without_void.pixel,
            1);
}

TEST_F(Evaluate, ShowsNoFrameTwiceAndNoneWithoutLabels) {
  add_frames();
  const EvaluationReport report = run({.pictures = true, .num_pictures = 100});
  EXPECT_EQ(report.worst.size(), 2u);
  EXPECT_EQ(report.best.size(), 1u);
}

TEST_F(Evaluate, ShowsDepthWhereThereIsSome) {
  add_frame("a", {kFloor, kWall}, {0, 1});
  dataset::write_png16(folder_ / "a_depth.png", Array2<std::uint16_t>(1, 2, 1500));
  forest_.preparation.channels = image::ChannelLayout({"rgb", "depth"});
  const EvaluationReport report = run({.pictures = true});
  ASSERT_EQ(report.worst.size(), 1u);
  EXPECT_EQ(report.worst[0].frame.depth_mm, Array2<std::uint16_t>(1, 2, 1500));
}

TEST_F(Evaluate, RefusesDataThatLackWhatTheModelReads) {
  add_frames();
  forest_.preparation.channels = image::ChannelLayout({"lab", "depth"});
  fernwood::testdata::expect_refused(ErrorKind::kModel, [&] { run(); });
  EXPECT_EQ(predictor_.num_calls, 0);
}

TEST_F(Evaluate, TakesTheBackgroundOfTheDataSetWhenTheModelNamesNone) {
  add_frames();
  std::ofstream(folder_ / "dataset.toml") << "background = \"wall\"\n"
                                             "classes = [{name = \"floor\", color = [255, 0, 0]},"
                                             " {name = \"wall\", color = [0, 255, 0]}]\n";
  EvaluationReport report = run();
  EXPECT_EQ(report.background_name(), "wall");
  // Correct: 2 floor, 2 wall, 1 void. The 6 - 2 wrong pixels of the background, wall, are not counted, so the
  // denominator is 3 + 2 + 3.
  EXPECT_DOUBLE_EQ(report.metrics.without_background->pixel, 5.0 / 8);

  forest_.classes.background = 0;
  report = run();
  EXPECT_EQ(report.background_name(), "floor");
  EXPECT_DOUBLE_EQ(report.metrics.without_background->pixel, 5.0 / 11);  // 2 + 6 + 3
}

TEST_F(Evaluate, RefusesABackgroundThatTheModelDoesNotKnow) {
  add_frames();
  std::ofstream(folder_ / "dataset.toml") << "background = \"sky\"\n"
                                             "classes = [{name = \"floor\", color = [255, 0, 0]},"
                                             " {name = \"wall\", color = [0, 255, 0]},"
                                             " {name = \"sky\", color = [0, 0, 255]}]\n";
  fernwood::testdata::expect_refused(ErrorKind::kData, [&] { run(); });
}

TEST_F(Evaluate, RefusesANegativeNumberOfPictures) {
  expect_ranges_are_kept<EvaluateOptions>();
  add_frames();
  EXPECT_THROW(run({.pictures = true, .num_pictures = -1}), OptionError);
}

TEST_F(Evaluate, FramesAreTurnedBeforeTheyAreLabelled) {
  add_frame("a", {kFloor, kFloor, kWall}, {0, 1, 1});
  // A half turn keeps all three pixels, in reverse order; a quarter turn keeps only the middle one.
  EXPECT_EQ(run({.turned_degrees = 180}).metrics.labelled_pixels, 3u);
  const EvaluationReport quarter = run({.turned_degrees = 90});
  EXPECT_EQ(quarter.metrics.labelled_pixels, 1u);
  EXPECT_EQ(quarter.metrics.without_void.pixel, 0.0) << "the middle pixel is floor, and called wall";
  EXPECT_THROW(run({.pictures = true, .turned_degrees = 90}), Error);
}

TEST_F(Evaluate, SecondsOfFramesAddUp) {
  add_frames();
  const EvaluationReport report = run();
  double sum = 0;
  for (const FrameScore& frame : report.frames) sum += frame.seconds;
  EXPECT_DOUBLE_EQ(report.seconds, sum);
}

TEST(EvaluationReport, MedianOfSecondsIsThatOfTheMiddleFrame) {
  EvaluationReport report;
  EXPECT_TRUE(std::isnan(report.median_seconds()));
  for (const double seconds : {5.0, 1.0, 100.0}) report.frames.push_back({.name = "", .seconds = seconds});
  EXPECT_EQ(report.median_seconds(), 5.0);
}

}  // namespace
}  // namespace fernwood::evaluate
