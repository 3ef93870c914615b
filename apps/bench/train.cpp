// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/bench/bench.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/train/train.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

constexpr double kLanes = 32;  // words per clock from a multiprocessor's shared memory

struct BenchTrainArguments {
  DatasetArguments dataset;
  TrainArguments train;
  bool json = false;

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    train.add_to(command);
    add_json_flag(command, json);
  }
  void finish() { train.finish(); }
};

struct TrainingTimes {
  forest::Forest forest;
  train::TrainReport report;
  Energy energy;
  std::optional<train::GpuRoofline> roofline;
};

train::GpuLimits gpu_limits(int gpu) {
  const GpuInfo info = gpu_status().gpus.at(static_cast<std::size_t>(gpu));
  return {info.multiprocessors * kLanes * info.clock_hz, gpu_copy_bandwidth(gpu)};
}

TrainingTimes measure(const BenchTrainArguments& arguments) {
  const dataset::Dataset dataset = arguments.dataset.open(true, "train");
  const Device device = choose_device(arguments.train.resources.device).device;
  TrainingTimes result;
  EnergyWatch watch(device);
  bool growing = false;
  ProgressBar bar;
  train::TrainHooks hooks;
  hooks.progress = [&](const train::TrainProgress& now) {
    if (now.phase == train::TrainProgress::Phase::kGrowing && !growing) watch.start(), growing = true;
    bar.show("training", "level " + std::to_string(now.level + 1), now.done);
  };
  hooks.level_done = [&](const train::LevelReport&) { watch.sample(); };
  hooks.stop = interrupt_token();
  const train::TrainOptions options = arguments.train.options_for(dataset);
  watch.start();
  result.forest = train::train_forest(dataset, options, arguments.train.resources, hooks, &result.report);
  result.energy = watch.stop();
  if (!device.is_cpu())
    result.roofline = train::gpu_roofline(result.report, options.unary_feature_fraction, gpu_limits(device.gpu));
  return result;
}

nlohmann::json to_json(const train::GpuRoofline& roofline) {
  return {{"responses_per_second", roofline.responses_per_second},
          {"response_limit", roofline.response_limit},
          {"random_limit", roofline.random_limit},
          {"respond_bytes_per_second", roofline.respond_bytes_per_second},
          {"aggregate_bytes_per_second", roofline.aggregate_bytes_per_second},
          {"copy_bytes_per_second", roofline.copy_bytes_per_second}};
}

std::string result_json(const TrainingTimes& result) {
  nlohmann::json json = nlohmann::json::parse(report::training_json(result.report, result.forest));
  json["benchmark"] = "train";
  json["energy"] = to_json(result.energy);
  json["peak_memory_bytes"] = platform::peak_memory_bytes();
  json["roofline"] = result.roofline ? to_json(*result.roofline) : nlohmann::json();
  return json_result(json);
}

std::string result_text(const TrainingTimes& result) {
  const train::TrainReport& report = result.report;
  const std::string clock = result.roofline ? "are kernel time, \"busy\" is their share"
                                            : "are divided by " + std::to_string(report.threads) +
                                                  (report.threads == 1 ? " thread" : " threads");
  return "seconds are wall clock; the stages' " + clock + "\n\n" + report::stage_table(report) + "\n" +
         (result.roofline ? report::roofline_text(*result.roofline) + "\n" : "") +
         report::training_table(report, result.forest) + energy_text(result.energy, "growing") + "memory  " +
         format_bytes(platform::peak_memory_bytes()) + " at the peak\n";
}

void run(const BenchTrainArguments& arguments) {
  const TrainingTimes result = measure(arguments);
  std::cout << (arguments.json ? result_json(result) : result_text(result));
}

}  // namespace

void add_bench_train(CLI::App& bench) {
  add_command<BenchTrainArguments>(bench, {.name = "train",
                                           .summary = "Time per stage and level of growing, and its energy",
                                           .example = "fernwood bench train --data rooms/train --trees 1",
                                           .dependents = {kCascadeDependents},
                                           .finish = &BenchTrainArguments::finish,
                                           .run = run});
}

}  // namespace fernwood::apps
