// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "commands.h"
#include "console.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/timer.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/image/prepared_frame.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/report.h"
#include "interrupt.h"
#include "options.h"

namespace fernwood {

namespace {

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Times of a repeated piece of work.
class Times {
 public:
  template <typename Work>
  void measure(const Work& work) {
    const double start = seconds_now();
    work();
    ms_.push_back(1000 * (seconds_now() - start));
  }
  void print(const char* what) {
    std::sort(ms_.begin(), ms_.end());
    std::printf("%-26s %8.2f ms  (median; from %.2f to %.2f, %zu times)\n", what, ms_[ms_.size() / 2], ms_.front(),
                ms_.back(), ms_.size());
  }

 private:
  std::vector<double> ms_;
};

struct BenchTrainArguments {
  DatasetArguments dataset;
  TrainArguments train;
  bool json = false;
};

void run_train(BenchTrainArguments arguments) {
  arguments.train.finish();
  const Dataset dataset = arguments.dataset.open(true, "train");
  TrainReport report;
  TrainHooks hooks;
  ProgressBar bar;
  hooks.progress = [&](const TrainProgress& now) {
    bar.show("training", "level " + std::to_string(now.level + 1), now.done);
  };
  hooks.stop = interrupt_token();
  const Forest forest = train_forest(dataset, arguments.train.options, arguments.train.resources, hooks, &report);
  bar.clear();
  if (arguments.json) {
    std::cout << train_report_json(report, forest);
    return;
  }
  std::cout << "seconds are wall clock; the stages' are divided by " << report.threads << " threads\n\n"
            << stage_table(report) << "\n"
            << train_report_table(report, forest) << "memory  " << format_bytes(peak_memory_bytes())
            << " at the peak\n";
}

void add_bench_train(CLI::App& parent) {
  auto arguments = std::make_shared<BenchTrainArguments>();
  CLI::App* command = parent.add_subcommand("train", "Time per stage and level of growing")->fallthrough();
  arguments->dataset.add_to(*command);
  arguments->train.add_to(*command);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood bench train --data rooms/train --trees 1");
  command->callback([arguments] { run_train(*arguments); });
}

struct BenchPredictArguments {
  DatasetArguments dataset;
  PredictOptions predict;
  std::filesystem::path model;
  int repeat = 50;
};

void run_predict(const BenchPredictArguments& arguments) {
  FW_CHECK(arguments.repeat >= 1, Usage, "--repeat is " << arguments.repeat << "; give at least 1");
  const Forest forest = load_forest(arguments.model);
  const Dataset dataset = arguments.dataset.open(false, "test");
  check_images(forest, dataset.has_color(), dataset.has_depth(), dataset.folder().string());
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, arguments.predict);
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < std::min<std::size_t>(dataset.size(), 20); ++i) frames.push_back(dataset.read_frame(i));
  Times decode, prepare, label, probabilities;
  for (int i = 0; i < arguments.repeat; ++i) {
    throw_if_interrupted();
    const std::size_t at = static_cast<std::size_t>(i) % frames.size();
    decode.measure([&] { dataset.read_frame(at); });
    prepare.measure([&] { PreparedFrame(frames[at], forest.preparation); });
    label.measure([&] { predictor->predict(frames[at]); });
    probabilities.measure([&] { predictor->predict(frames[at], {true, false}); });
  }
  std::printf("%zu %s, %zu x %zu pixels\n", forest.trees.size(), forest.trees.size() == 1 ? "tree" : "trees",
              frames[0].cols(), frames[0].rows());
  decode.print("decode, one thread");
  prepare.print("prepare, one thread");
  label.print("prepare and label");
  probabilities.print("the same, probabilities");
}

void add_bench_predict(CLI::App& parent) {
  auto arguments = std::make_shared<BenchPredictArguments>();
  CLI::App* command =
      parent.add_subcommand("predict", "Time of decoding, preparing and labelling a frame")->fallthrough();
  command->add_option("--model", arguments->model, "Model file")->required()->option_text("FILE");
  arguments->dataset.add_to(*command);
  command->add_option("--repeat", arguments->repeat, "Measurements of each")->option_text("N (50)");
  add_predict_options(*command, arguments->predict);
  command->footer("\nExample:\n  fernwood bench predict --model rooms.fernwood --data rooms/test");
  command->callback([arguments] { run_predict(*arguments); });
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure speed on this machine")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood bench train --data rooms/train --trees 1");
  add_bench_train(*command);
  add_bench_predict(*command);
}

}  // namespace fernwood
