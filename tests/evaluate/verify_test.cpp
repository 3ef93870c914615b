// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"
#include "test_folder.h"

namespace fernwood::evaluate {
namespace {

namespace fs = std::filesystem;

/// Kind and place of a fault: pixel (x, y) of the frame whose first pixel has this red value.
struct Fault {
  enum Kind { kNone, kLabelAlone, kLabel, kProbability, kSignOfZero, kSize, kRefusal } kind = kNone;
  int frame = 0;
  std::size_t x = 0, y = 0;
};

/// Labels every pixel floor with probability 0.5; wall has probability 0.
class FakePredictor : public predict::Predictor {
 public:
  explicit FakePredictor(Fault fault) : fault_(fault) {}
  std::string layout() const override { return "fake"; }
  predict::Prediction predict(const image::FrameImages& frame, const predict::PredictRequest& request = {}) override {
    predict::Prediction prediction;
    prediction.labels = image::LabelImage(frame.rows, frame.cols);
    if (request.probabilities)
      prediction.probabilities = {Array2<float>(frame.rows, frame.cols, 0.5f),
                                  Array2<float>(frame.rows, frame.cols, 0.0f)};
    if (frame.color[0].r == fault_.frame) spoil(prediction, request.probabilities);
    return prediction;
  }

 private:
  void spoil(predict::Prediction& prediction, bool full) const {
    if (fault_.kind == Fault::kRefusal) throw Error(ErrorKind::kUsage, "the layout has no room");
    const std::size_t x = fault_.x, y = fault_.y;
    if (fault_.kind == (full ? Fault::kLabel : Fault::kLabelAlone)) prediction.labels(y, x) = 1;
    if (full && fault_.kind == Fault::kProbability) prediction.probabilities[0](y, x) = 0.25f;
    if (full && fault_.kind == Fault::kSignOfZero) prediction.probabilities[1](y, x) = -0.0f;
    if (full && fault_.kind == Fault::kSize) prediction.probabilities.pop_back();
  }
  Fault fault_;
};

class Verify : public testing::Test {
 protected:
  /// Three frames of 4 x 3 pixels with the red values 1, 2 and 3.
  void SetUp() override {
    for (const std::uint8_t red : {1, 2, 3})
      dataset::write_png(folder_ / ("f" + std::to_string(red) + "_colors.png"),
                         Array2<image::Rgb>(3, 4, image::Rgb{red, 0, 0}));
    classes_.classes = {{"floor", {255, 0, 0}}, {"wall", {0, 255, 0}}};
  }

  VerifyReport run(const std::vector<Fault>& faults, const ProgressCallback& progress = {}) const {
    LabellingWays found{{}, {"cuda:9 was not compared: it is not here"}};
    for (const Fault& fault : faults)
      found.ways.push_back(
          {Device{static_cast<int>(found.ways.size()) - 1}, "fake", std::make_unique<FakePredictor>(fault)});
    dataset::DatasetOptions options;
    options.needs_truth = false;
    return verify(found, dataset::Dataset::open(folder_, options), classes_, progress);
  }

  const fernwood::testdata::TestFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  image::ClassMap classes_;
};

TEST_F(Verify, ALayoutThatTurnsOutTooSmallIsNotCompared) {
  const VerifyReport report = run({{}, {Fault::kRefusal, 2}, {}});
  EXPECT_TRUE(report.identical());
  ASSERT_EQ(report.ways.size(), 2u);
  EXPECT_EQ(report.ways[1].device, "cuda:1");
  EXPECT_THAT(report.missing, testing::ElementsAre("cuda:9 was not compared: it is not here",
                                                   "cuda:0 fake was not compared: the layout has no room"));
  EXPECT_THROW(run({{Fault::kRefusal, 2}, {}}), Error);  // only one way remains, without another to compare
}

TEST_F(Verify, EqualAnswersAreIdentical) {
  const VerifyReport report = run({{}, {}, {}});
  EXPECT_TRUE(report.identical());
  EXPECT_EQ(report.num_frames, 3u);
  EXPECT_EQ(report.num_pixels, 36u);
  ASSERT_EQ(report.ways.size(), 3u);
  EXPECT_EQ(report.ways[0].device, "cpu");
  EXPECT_EQ(report.ways[2].device, "cuda:1");
}

TEST_F(Verify, FindsEveryKindOfDifferenceAndItsPlace) {
  const std::vector<std::pair<Fault::Kind, std::string>> kinds = {
      {Fault::kLabelAlone, "label wall, not floor"},
      {Fault::kLabel, "with probabilities, label wall, not floor"},
      {Fault::kProbability, "probability of floor 0.25, not 0.5"},
      {Fault::kSignOfZero, "probability of wall -0, not 0"}};
  for (const auto& [kind, values] : kinds) {
    const VerifyReport report = run({{}, {kind, 2, 3, 1}, {}});
    EXPECT_FALSE(report.identical()) << values;
    EXPECT_FALSE(report.ways[0].first);
    EXPECT_FALSE(report.ways[2].first);
    EXPECT_EQ(report.ways[1].num_different, 1u);
    ASSERT_TRUE(report.ways[1].first) << values;
    EXPECT_EQ(report.ways[1].first->frame, "f2");
    EXPECT_EQ(report.ways[1].first->x, 3u);
    EXPECT_EQ(report.ways[1].first->y, 1u);
    EXPECT_EQ(report.ways[1].first->values, values);
  }
}

TEST_F(Verify, AnswersOfAnotherShapeDifferEverywhere) {
  const VerifyReport report = run({{}, {Fault::kSize, 3, 0, 0}});
  EXPECT_EQ(report.ways[1].num_different, 12u);
  EXPECT_EQ(report.ways[1].first->frame, "f3");
}

TEST_F(Verify, TheFirstWayIsComparedWithItself) {
  const VerifyReport report = run({{Fault::kLabelAlone, 1, 0, 2}});
  EXPECT_FALSE(report.identical());
  EXPECT_EQ(report.ways[0].first->y, 2u);
}

TEST_F(Verify, ReportsProgressAndRefusesNothing) {
  std::vector<std::size_t> seen;
  run({{}}, [&](std::size_t done, std::size_t total) { seen.push_back(10 * done + total); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{13, 23, 33}));
  EXPECT_THROW(run({}), Error);
}

TEST(MissingDevices, AreNamedWithTheirReason) {
  GpuStatus status;
  status.gpus.resize(2);
  status.gpus[1].name = "Tesla T4";
  status.gpus[1].problem = "has compute capability 7.5";
  EXPECT_THAT(missing_devices(status),
              testing::Contains("cuda:1 was not compared: Tesla T4 has compute capability 7.5"));
  status.problem = "no NVIDIA driver was found";
  EXPECT_THAT(missing_devices(status),
              testing::Contains("no GPU was compared, only the CPU's layouts: no NVIDIA driver was found"));
}

}  // namespace
}  // namespace fernwood::evaluate
