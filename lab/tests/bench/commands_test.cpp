// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/core/array.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

const Words kFillings = {"none", "simple", "colorized"};

class Filling : public CommandLine {
 protected:
  /// A study with the options of small_training().
  static Words study(const fs::path& train, const fs::path& test, const Words& more = {}) {
    Words words = small_training(train, "unused", {"--test", test.string()});
    words.erase(words.begin() + 3, words.begin() + 5);  // --out
    words[0] = "filling";
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
    const Outcome outcome = run_program(lab_program(), study(rooms(), rooms(), more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return Json::parse(outcome.out);
  }
  void expect_refused_by_lab(const Words& arguments, int exit_code, const Words& parts) const {
    expect_refusal(run_program(lab_program(), arguments), exit_code, parts);
  }
  /// Pixel and class accuracy of the commands train and evaluate.
  std::pair<double, double> by_hand(const std::string& filling) const {
    EXPECT_EQ(run(small_training(rooms(), folder_ / filling, {"--depth-filling", filling})).exit_code, 0);
    const Json report = Json::parse(run({"evaluate", "--model", folder_ / filling, "--data", rooms(), "--json"}).out);
    return {report.at("pixel_accuracy"), report.at("class_accuracy")};
  }
};

TEST_F(Filling, TheDiagonalIsWhatTrainAndEvaluateGive) {
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

TEST_F(Filling, SeedsAreAveragedAndTheirSpreadIsTold) {
  const Json both = result({"--json", "--seeds", "2"}), first = result({"--json"}),
             second = result({"--json", "--seed", "4712"});
  EXPECT_EQ(both.at("seeds"), (Json{4711, 4712}));
  for (std::size_t train = 0; train < 3; ++train)
    for (std::size_t predict = 0; predict < 3; ++predict) {
      const double a = first.at("class_accuracy")[train][predict], b = second.at("class_accuracy")[train][predict];
      EXPECT_NEAR(both.at("class_accuracy")[train][predict], (a + b) / 2, 1e-12);
      EXPECT_NEAR(both.at("class_accuracy_deviation")[train][predict], std::abs(a - b) / std::sqrt(2), 1e-12);
    }
  const Outcome text = run_program(lab_program(), study(rooms(), rooms(), {"--seeds", "2"}));
  EXPECT_THAT(text.out, HasSubstr("mean ± standard deviation of 2 seeds"));
}

TEST_F(Filling, PrintsTwoTablesInPercentAndTheTimeOfFilling) {
  const std::string text = run_program(lab_program(), study(rooms(), rooms())).out;
  EXPECT_THAT(text, testing::StartsWith("train   4 frames, depth unknown at "));
  EXPECT_THAT(text, HasSubstr("\npixel accuracy            none        simple     colorized\nnone      "));
  EXPECT_THAT(text, HasSubstr("\nclass accuracy            none        simple     colorized\nnone      "));
  EXPECT_THAT(text, HasSubstr("\nfilling a frame           none        simple     colorized\nms, one thread    "));
  EXPECT_THAT(text, testing::Not(HasSubstr("±")));
}

TEST_F(Filling, CompleteDepthHasNothingToCompareAndAWarning) {
  const std::string complete = complete_rooms();
  const Outcome outcome = run_program(lab_program(), study(complete, complete, {"--json"}));
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string folder : {"train", "test"})
    EXPECT_THAT(outcome.err, HasSubstr("warning: " + complete + "/" + folder +
                                       ": no pixel lacks depth, so filling changes nothing there"));
  const Json json = Json::parse(outcome.out);
  for (const Json& row : json.at("pixel_accuracy"))
    for (const Json& share : row) EXPECT_EQ(share, json.at("pixel_accuracy")[0][0]);
}

TEST_F(Filling, RowsAreFillingsInTrainingAndColumnsAtPrediction) {
  const std::string complete = complete_rooms();
  const Outcome outcome = run_program(lab_program(), study(rooms(), complete, {"--json"}));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "only the test frames are complete";
  const Json table = Json::parse(outcome.out).at("pixel_accuracy");
  for (const Json& row : table)
    for (const Json& share : row) EXPECT_EQ(share, row[0]);
  EXPECT_NE(table[0][0], table[1][0]);
}

TEST_F(Filling, RefusesWhatCannotBeCompared) {
  expect_refused_by_lab({"filling", "--data", rooms()}, kUsage, {"--test is required"});
  expect_refused_by_lab(study(rooms(), rooms(), {"--seeds", "0"}), kUsage,
                        {"--seeds is 0; use a number from 1 to 100"});
  Words color = study(rooms(), rooms());
  std::ranges::replace(color, std::string("lab,depth"), std::string("lab"));
  expect_refused_by_lab(color, kUsage, {"--channels leaves out depth", "add depth"});
  expect_refused_by_lab(study(rooms(), rooms(), {"--depth-filling", "none"}), kUsage,
                        {"has no option --depth-filling"});
  expect_refused_by_lab(study(folder_ / "nowhere", rooms()), kData, {"nowhere"});
  expect_refused_by_lab(study(rooms(), folder_ / "nowhere"), kData, {"nowhere"});
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0002_ground_truth.png", Array2<image::Rgb>(48, 64, image::Rgb{1, 2, 3}));
  expect_refused_by_lab(study(rooms(), data), kData, {"scene0002_ground_truth.png", "(1, 2, 3)"});
  for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_depth.png"));
  expect_refused_by_lab(study(data, rooms()), kData, {"data: the data set has no depth images; the study needs both"});
}

TEST_F(Filling, EndsWhenInterrupted) {
  RunningCommand running(folder_.path(), study(rooms(), rooms(), {"--seeds", "100"}), {}, lab_program());
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, kInterrupted);
  EXPECT_EQ(outcome.out, "");
}

class Compare : public CommandLine {
 protected:
  std::string printed(const Words& arguments) const {
    const Outcome outcome = run_program(lab_program(), arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return outcome.out;
  }
  std::string write(const std::string& name, const Json& json) const { return folder_.write(name, json.dump()); }
};

/// A training of 100 s on a CPU of 200 W, or of 4 s on a GPU of 500 W with a CPU of 100 W.
Json training_result(bool on_gpu) {
  return {
      {"benchmark", "train"},
      {"device", on_gpu ? "cuda:0" : "cpu"},
      {"gpu", on_gpu ? Json{{"name", "H"}} : Json()},
      {"threads", 6},
      {"options", {{"trees", 3}}},
      {"provenance", {{"frames", 40}}},
      {"seconds_growing", on_gpu ? 4.0 : 100.0},
      {"energy",
       {{"seconds", 5.0}, {"cpu_joules", on_gpu ? 500.0 : 1000.0}, {"gpu_joules", on_gpu ? Json(2500.0) : Json()}}}};
}

/// 20 frames/s on a CPU of 200 W, or 2000 frames/s in the faster of two layouts on a GPU of 500 W, whose CPU is not
/// counted.
Json prediction_result(bool on_gpu) {
  const auto layout = [&](double frames_per_second, double latency_ms) {
    return Json{{"frames_per_second", frames_per_second},
                {"latency_ms", latency_ms},
                {"energy",
                 {{"seconds", 2.0},
                  {"cpu_joules", on_gpu ? Json() : Json(400.0)},
                  {"gpu_joules", on_gpu ? Json(1000.0) : Json()}}}};
  };
  return {{"benchmark", "predict"},
          {"device", on_gpu ? "cuda:0" : "cpu"},
          {"gpu", on_gpu ? Json{{"name", "H"}} : Json()},
          {"threads", 1},
          {"model", "27c5"},
          {"rows", 480},
          {"cols", 640},
          {"layouts", on_gpu ? Json{layout(1000, 0.4), layout(2000, 0.5), {{"layout", "x"}, {"problem", "no room"}}}
                             : Json{layout(20, 60)}}};
}

// Energies: 100 s * 200 W and 4 s * (2500 + 500) J / 5 s. Speed-up 100 / 4; factors 200 / 600 and 999 / 3199.
TEST_F(Compare, DividesSpeedUpByPowerAndPrice) {
  const std::string a = write("a.json", training_result(false)), b = write("b.json", training_result(true));
  EXPECT_EQ(printed({"compare", a, b, "--price-a", "999", "--price-b", "3199"}),
            "                                                    A                                B\n"
            "device                                 cpu, 6 threads                        cuda:0, H\n"
            "growing                                      100.00 s                           4.00 s\n"
            "power                                         200.0 W                          600.0 W\n"
            "power of                                          CPU                      CPU and GPU\n"
            "energy                                      20000.0 J                         2400.0 J\n"
            "price                                             999                             3199\n"
            "\n"
            "speed-up                                                                         25.00\n"
            "speed-up per watt                                                                 8.33\n"
            "speed-up per price                                                                7.81\n");
}

TEST_F(Compare, TakesTheFastestLayoutOfAStream) {
  const std::string a = write("a.json", prediction_result(false)), b = write("b.json", prediction_result(true));
  EXPECT_EQ(printed({"compare", a, b}),
            "                                                    A                                B\n"
            "device                                  cpu, 1 thread                        cuda:0, H\n"
            "latency                                     60.000 ms                         0.500 ms\n"
            "a frame of a stream                         50.000 ms                         0.500 ms\n"
            "power                                         200.0 W                          500.0 W\n"
            "power of                                          CPU                              GPU\n"
            "energy                                         10.0 J                         0.2500 J\n"
            "price                                               -                                -\n"
            "\n"
            "speed-up, latency                                                               120.00\n"
            "speed-up                                                                        100.00\n"
            "speed-up per watt                                                                40.00\n"
            "speed-up per price                                                                   -\n");
}

TEST_F(Compare, TakesThePowerThatIsGiven) {
  Json uncounted = training_result(false);
  uncounted["energy"]["cpu_joules"] = nullptr;
  const std::string a = write("a.json", uncounted), b = write("b.json", training_result(true));
  EXPECT_THAT(printed({"compare", a, b}), HasSubstr("speed-up per watt                                     "
                                                    "                               -\n"));
  // 25 * 130 / 250
  EXPECT_THAT(printed({"compare", a, b, "--watts-a", "130", "--watts-b", "250"}), HasSubstr(" 13.00\n"));
}

// The energy of a CPU that idles beside a GPU without an energy counter does not describe the training.
TEST_F(Compare, NeedsTheCounterOfWhatWorked) {
  Json uncounted = training_result(true);
  uncounted["energy"]["gpu_joules"] = nullptr;
  const std::string a = write("a.json", training_result(false)), b = write("b.json", uncounted);
  EXPECT_THAT(printed({"compare", a, b}),
              HasSubstr("power                                         200.0 W                                -\n"));
}

TEST_F(Compare, RefusesDifferentWorkAndOtherFiles) {
  const std::string a = write("a.json", training_result(false));
  Json other = training_result(true);
  other["options"]["trees"] = 1;
  expect_refusal(run_program(lab_program(), {"compare", a, write("b.json", other)}), 3, {"did different work"});
  expect_refusal(run_program(lab_program(), {"compare", a, write("p.json", prediction_result(true))}), 3,
                 {"did different work"});
  expect_refusal(run_program(lab_program(), {"compare", a, model()}), 3, {"is not what fernwood bench train --json"});
  expect_refusal(run_program(lab_program(), {"compare", a, write("e.json", Json::object())}), 3,
                 {"e.json is not what"});
  expect_refusal(run_program(lab_program(), {"compare", a}), 2,
                 {"two results are needed; write fernwood-lab compare A.json B.json"});
  expect_refusal(run_program(lab_program(), {"compare", a, a, "--price-a", "-1"}), 2,
                 {"--price-a is -1; use at least 0"});
}

}  // namespace
}  // namespace fernwood::apps
