// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "devices.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
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
};

TEST_F(Bench, TrainPrintsStagesAndEnergy) {
  EXPECT_NE(printed(training()).find("energy  growing, "), std::string::npos);
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
  if (is_missing(gpus().front())) GTEST_SKIP() << gpu_status().problem;
  const Json report = Json::parse(printed(training({"--device", "cuda", "--json"})));
  EXPECT_EQ(report.at("stage_clock"), "gpu");
  EXPECT_GT(report.at("gpu").at("busy_share"), 0.0);
  const Json& roofline = report.at("roofline");
  for (const char* key : {"responses_per_second", "respond_bytes_per_second", "aggregate_bytes_per_second"})
    EXPECT_GT(roofline.at(key), 0.0) << key;
  EXPECT_LT(roofline.at("responses_per_second"), roofline.at("response_limit"));
  EXPECT_GT(roofline.at("copy_bytes_per_second"), 1e10);
}

class BenchOn : public Bench, public testing::WithParamInterface<Device> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam())) GTEST_SKIP() << gpu_status().problem;
    Bench::SetUp();
  }
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, BenchOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(BenchOn, PredictPrintsALineForEachLayout) {
  const std::string text = printed(prediction({"--device", to_string(GetParam()), "--layout", "all"}));
  for (const std::string& layout : predict::predict_layouts(GetParam()))
    EXPECT_NE(text.find("\n" + layout + " "), std::string::npos) << text;
}

TEST_P(BenchOn, PredictTimesPartsOnGpusOnly) {
  const Json report = Json::parse(printed(prediction({"--device", to_string(GetParam()), "--json"})));
  const Json& layout = report.at("layouts").at(0);
  EXPECT_NE(layout.at("layout"), "auto") << "the layout that was chosen";
  EXPECT_GE(layout.at("streamed_frames"), 2);
  EXPECT_GT(layout.at("frames_per_second"), 0.0);
  EXPECT_LE(layout.at("latency_least_ms"), layout.at("latency_ms"));
  EXPECT_LE(layout.at("latency_ms"), layout.at("latency_most_ms"));
  EXPECT_EQ(layout.at("gpu_ms").is_null(), GetParam().is_cpu());
  EXPECT_EQ(report.at("prepare_ms").is_null(), !GetParam().is_cpu());
  EXPECT_TRUE(layout.at("resident").is_null());
  if (!GetParam().is_cpu()) {
    EXPECT_GT(layout.at("gpu_ms").at("label"), 0.0);
  }
}

TEST_P(BenchOn, PredictTimesFramesThatLieOnTheDevice) {
  const Json report = Json::parse(printed(prediction({"--device", to_string(GetParam()), "--resident", "--json"})));
  const Json& resident = report.at("layouts").at(0).at("resident");
  EXPECT_LE(resident.at("latency_least_ms"), resident.at("latency_ms"));
  EXPECT_LE(resident.at("latency_ms"), resident.at("latency_most_ms"));
  EXPECT_GT(resident.at("frames_per_second"), 0.0);
}

}  // namespace
}  // namespace fernwood::apps
