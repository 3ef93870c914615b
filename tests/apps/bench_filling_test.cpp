// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kUsage = 2, kData = 3, kInterrupted = 130;
const Words kFillings = {"none", "simple", "colorized"};

class BenchFilling : public CommandLine {
 protected:
  /// The options of small_training.
  static Words study(const fs::path& train, const fs::path& test, const Words& more = {}) {
    Words words = small_training(train, "unused", {"--test", test.string()});
    words.erase(words.begin() + 3, words.begin() + 5);  // --out
    words[0] = "filling";
    words.insert(words.begin(), "bench");
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Frames without unknown depth.
  std::string complete_rooms() const {
    const std::string folder = folder_ / "complete";
    EXPECT_EQ(run({"dataset", "generate", "--out", folder, "--frames", "2", "--test-frames", "1", "--size", "64x48",
                   "--holes", "0"})
                  .exit_code,
              0);
    return folder;
  }
  Json result(const Words& more) const {
    const Outcome outcome = run(study(rooms(), rooms(), more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return Json::parse(outcome.out);
  }
  /// Pixel and class accuracy that training and evaluating by hand give.
  std::pair<double, double> by_hand(const std::string& filling) const {
    EXPECT_EQ(run(small_training(rooms(), folder_ / filling, {"--depth-filling", filling})).exit_code, 0);
    const Json report = Json::parse(run({"evaluate", "--model", folder_ / filling, "--data", rooms(), "--json"}).out);
    return {report.at("pixel_accuracy"), report.at("class_accuracy")};
  }
};

TEST_F(BenchFilling, TheDiagonalIsWhatTrainAndEvaluateGive) {
  const Json json = result({"--json"});
  EXPECT_EQ(json.at("fillings"), Json(kFillings));
  EXPECT_EQ(json.at("seeds"), (Json{4711}));
  EXPECT_EQ(json.at("train").at("frames"), 4);
  EXPECT_EQ(json.at("test").at("frames"), 2);
  for (const char* side : {"train", "test"}) EXPECT_GT(json.at(side).at("unknown_share"), 0.01);
  for (std::size_t f = 0; f < kFillings.size(); ++f) {
    const auto [pixel, class_average] = by_hand(kFillings[f]);
    EXPECT_DOUBLE_EQ(json.at("pixel_accuracy")[f][f], pixel) << kFillings[f];
    EXPECT_DOUBLE_EQ(json.at("class_accuracy")[f][f], class_average) << kFillings[f];
    EXPECT_EQ(json.at("pixel_accuracy_deviation")[f][f], 0.0);
  }
  EXPECT_NE(json.at("pixel_accuracy")[0][0], json.at("pixel_accuracy")[0][1]) << "columns are fillings at prediction";
  EXPECT_GT(json.at("fill_ms").at("colorized"), json.at("fill_ms").at("simple"));
}

TEST_F(BenchFilling, SeedsAreAveragedAndTheirSpreadIsTold) {
  const Json both = result({"--json", "--seeds", "2"}), first = result({"--json"}),
             second = result({"--json", "--seed", "4712"});
  EXPECT_EQ(both.at("seeds"), (Json{4711, 4712}));
  for (std::size_t train = 0; train < 3; ++train)
    for (std::size_t predict = 0; predict < 3; ++predict) {
      const double a = first.at("class_accuracy")[train][predict], b = second.at("class_accuracy")[train][predict];
      EXPECT_NEAR(both.at("class_accuracy")[train][predict], (a + b) / 2, 1e-12);
      EXPECT_NEAR(both.at("class_accuracy_deviation")[train][predict], std::abs(a - b) / std::sqrt(2), 1e-12);
    }
  const Outcome text = run(study(rooms(), rooms(), {"--seeds", "2"}));
  EXPECT_THAT(text.out, HasSubstr("mean ± standard deviation of 2 seeds"));
}

TEST_F(BenchFilling, PrintsTwoTablesInPercentAndTheTimeOfFilling) {
  const std::string text = run(study(rooms(), rooms())).out;
  EXPECT_THAT(text, testing::StartsWith("train   4 frames, depth unknown at "));
  EXPECT_THAT(text, HasSubstr("\npixel accuracy            none        simple     colorized\nnone      "));
  EXPECT_THAT(text, HasSubstr("\nclass accuracy            none        simple     colorized\nnone      "));
  EXPECT_THAT(text, HasSubstr("\nfilling a frame           none        simple     colorized\nms, one thread    "));
  EXPECT_THAT(text, testing::Not(HasSubstr("±")));
}

TEST_F(BenchFilling, CompleteDepthHasNothingToCompareAndAWarning) {
  const std::string complete = complete_rooms();
  const Outcome outcome = run(study(complete, complete, {"--json"}));
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string folder : {"train", "test"})
    EXPECT_THAT(outcome.err, HasSubstr("warning: " + complete + "/" + folder +
                                       ": no pixel lacks depth, so filling changes nothing there"));
  const Json json = Json::parse(outcome.out);
  for (const Json& row : json.at("pixel_accuracy"))
    for (const Json& share : row) EXPECT_EQ(share, json.at("pixel_accuracy")[0][0]);
}

TEST_F(BenchFilling, RowsAreFillingsInTrainingAndColumnsAtPrediction) {
  const std::string complete = complete_rooms();
  const Outcome outcome = run(study(rooms(), complete, {"--json"}));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "only the test frames are complete";
  const Json table = Json::parse(outcome.out).at("pixel_accuracy");
  for (const Json& row : table)
    for (const Json& share : row) EXPECT_EQ(share, row[0]);
  EXPECT_NE(table[0][0], table[1][0]);
}

TEST_F(BenchFilling, RefusesWhatCannotBeCompared) {
  expect_refused({"bench", "filling", "--data", rooms()}, kUsage, {"--test is required"});
  expect_refused(study(rooms(), rooms(), {"--seeds", "0"}), kUsage, {"--seeds is 0; give a number from 1 to 100"});
  Words color = study(rooms(), rooms());
  std::ranges::replace(color, std::string("lab,depth"), std::string("lab"));
  expect_refused(color, kUsage, {"--channels leaves out depth", "add depth"});
  expect_refused(study(rooms(), rooms(), {"--depth-filling", "none"}), kUsage, {"has no option --depth-filling"});
  expect_refused(study(folder_ / "nowhere", rooms()), kData, {"nowhere"});
  expect_refused(study(rooms(), folder_ / "nowhere"), kData, {"nowhere"});
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0002_ground_truth.png", Array2<image::Rgb>(48, 64, image::Rgb{1, 2, 3}));
  expect_refused(study(rooms(), data), kData, {"scene0002_ground_truth.png", "(1, 2, 3)"});
  for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_depth.png"));
  expect_refused(study(data, rooms()), kData, {"data: the data set has no depth images; the study needs both"});
}

TEST_F(BenchFilling, EndsWhenInterrupted) {
  RunningCommand running(folder_.path(), study(rooms(), rooms(), {"--seeds", "100"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, kInterrupted);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace fernwood::apps
