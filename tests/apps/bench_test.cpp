// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/core/device.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class Bench : public CommandLine {
 protected:
  std::string printed(const Words& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return outcome.out;
  }
  static Words training(const Words& more = {}) {
    Words words = small_training(rooms(), "unused", more);
    words.erase(words.begin() + 3, words.begin() + 5);  // --out
    words.insert(words.begin(), "bench");
    return words;
  }
  static Words prediction(const Words& more) {
    Words words = {"bench", "predict", "--model", model(), "--data", rooms(), "--repeat", "2", "--seconds", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string write(const std::string& name, const Json& json) const { return folder_.write(name, json.dump()); }
};

/// A training of 100 s on a CPU of 200 W, or of 4 s on a GPU of 500 W beside a processor of 100 W.
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

/// 20 frames a second on a CPU of 200 W, or 2000 in the better of two layouts on a GPU that alone counts, 500 W.
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

TEST_F(Bench, TrainPrintsStagesAndEnergy) {
  const std::string text = printed(training());
  for (const char* part : {"respond", "energy  growing, ", "processor", " at the peak\n"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(Bench, TrainOnTheCpuPrintsNoGpuAsJson) {
  const Json report = Json::parse(printed(training({"--device", "cpu", "--json"})));
  EXPECT_EQ(report.at("benchmark"), "train");
  EXPECT_FALSE(report.at("levels").empty());
  EXPECT_EQ(report.at("gpu"), nullptr);
  EXPECT_EQ(report.at("roofline"), nullptr);
  EXPECT_GT(report.at("peak_memory_bytes"), 0);
  EXPECT_EQ(report.at("energy").at("cpu_joules").is_null(), report.at("energy").at("cpu_problem").is_string());
}

TEST_F(Bench, TrainOnAGpuTellsHowNearItCameToItsLimits) {
  if (available_devices().size() == 1) GTEST_SKIP() << gpu_status().problem;
  const Json report = Json::parse(printed(training({"--device", "cuda", "--json"})));
  EXPECT_EQ(report.at("stage_clock"), "gpu");
  EXPECT_GT(report.at("gpu").at("busy_share"), 0.0);
  const Json& roofline = report.at("roofline");
  for (const char* key : {"responses_per_second", "respond_bytes_per_second", "aggregate_bytes_per_second"})
    EXPECT_GT(roofline.at(key), 0.0) << key;
  EXPECT_LT(roofline.at("responses_per_second"), roofline.at("response_limit"));
  EXPECT_GT(roofline.at("copy_bytes_per_second"), 1e10);
  EXPECT_THAT(printed(training({"--device", "cuda"})), HasSubstr("\nhistogram aggregation  reads "));
}

TEST_F(Bench, PredictPrintsALineForEachLayout) {
  for (const Device device : available_devices()) {
    const std::string text = printed(prediction({"--device", to_string(device), "--layout", "all"}));
    EXPECT_THAT(text, HasSubstr("1 tree, 64 x 48 pixels, " + to_string(device)));
    for (const std::string& layout : predict::predict_layouts(device))
      EXPECT_THAT(text, HasSubstr("\n" + layout + " "));
  }
}

TEST_F(Bench, PredictTimesPartsOnGpusOnly) {
  for (const Device device : available_devices()) {
    const Json report = Json::parse(printed(prediction({"--device", to_string(device), "--json"})));
    const Json& layout = report.at("layouts").at(0);
    EXPECT_NE(layout.at("layout"), "auto") << "the layout that was chosen";
    EXPECT_GE(layout.at("streamed_frames"), 2);
    EXPECT_GT(layout.at("frames_per_second"), 0.0);
    EXPECT_LE(layout.at("latency_least_ms"), layout.at("latency_ms"));
    EXPECT_LE(layout.at("latency_ms"), layout.at("latency_most_ms"));
    EXPECT_EQ(layout.at("gpu_ms").is_null(), device.is_cpu());
    EXPECT_EQ(report.at("prepare_ms").is_null(), !device.is_cpu());
    if (!device.is_cpu()) {
      EXPECT_GT(layout.at("gpu_ms").at("label"), 0.0);
    }
  }
}

// Energy 100 s * 200 W and 4 s * (2500 + 500) J / 5 s. Speed-up 100 / 4; times 200 / 600; times 999 / 3199.
TEST_F(Bench, CompareDividesSpeedUpByPowerAndPrice) {
  const std::string a = write("a.json", training_result(false)), b = write("b.json", training_result(true));
  EXPECT_EQ(printed({"bench", "compare", a, b, "--price-a", "999", "--price-b", "3199"}),
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

TEST_F(Bench, CompareTakesTheFastestLayoutOfAStream) {
  const std::string a = write("a.json", prediction_result(false)), b = write("b.json", prediction_result(true));
  EXPECT_EQ(printed({"bench", "compare", a, b}),
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

TEST_F(Bench, CompareTakesThePowerThatIsGiven) {
  Json uncounted = training_result(false);
  uncounted["energy"]["cpu_joules"] = nullptr;
  const std::string a = write("a.json", uncounted), b = write("b.json", training_result(true));
  EXPECT_THAT(printed({"bench", "compare", a, b}), HasSubstr("speed-up per watt                                     "
                                                             "                               -\n"));
  // 25 * 130 / 250
  EXPECT_THAT(printed({"bench", "compare", a, b, "--watts-a", "130", "--watts-b", "250"}), HasSubstr(" 13.00\n"));
}

// A processor that idles beside a GPU without a counter says nothing about the training.
TEST_F(Bench, CompareNeedsTheCounterOfWhatWorked) {
  Json uncounted = training_result(true);
  uncounted["energy"]["gpu_joules"] = nullptr;
  const std::string a = write("a.json", training_result(false)), b = write("b.json", uncounted);
  EXPECT_THAT(printed({"bench", "compare", a, b}),
              HasSubstr("power                                         200.0 W                                -\n"));
}

TEST_F(Bench, CompareRefusesDifferentWorkAndOtherFiles) {
  const std::string a = write("a.json", training_result(false));
  Json other = training_result(true);
  other["options"]["trees"] = 1;
  expect_refused({"bench", "compare", a, write("b.json", other)}, 3, {"did different work"});
  expect_refused({"bench", "compare", a, write("p.json", prediction_result(true))}, 3, {"did different work"});
  expect_refused({"bench", "compare", a, model()}, 3, {"is not what fernwood bench train --json"});
  expect_refused({"bench", "compare", a, write("e.json", Json::object())}, 3, {"e.json: is not what"});
  expect_refused({"bench", "compare", a}, 2, {"two results are needed; write fernwood bench compare A.json B.json"});
  expect_refused({"bench", "compare", a, a, "--price-a", "-1"}, 2, {"negative"});
}

}  // namespace
}  // namespace fernwood::apps
