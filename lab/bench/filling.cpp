// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/bench/filling.h"
#include "lab/commands.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/train.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct FillingArguments {
  apps::DatasetArguments dataset;
  apps::TrainArguments train;
  std::filesystem::path test;
  int seeds = 1;
  bool json = false;

  dataset::Dataset open_test() const {
    apps::DatasetArguments of_test = dataset;
    of_test.data = test;
    return of_test.open(true, "test");
  }
  static OptionTable<FillingArguments> table();  ///< Without the options of its members.

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--test", test, "Folder of frames to label")->required()->option_text("DIR");
    apps::add_table(command, *this);
    train.add_to(command);
    command.remove_option(command.get_option("--depth-filling"));
    command.add_flag("--json", json, "Print JSON");
  }
  void finish() { train.finish(); }
};

constexpr std::array kFillingRows = {
    option<&FillingArguments::seeds>("seeds", "Seeds to average over, from --seed on").in(from_to(1, 100)),
};
OptionTable<FillingArguments> FillingArguments::table() { return kFillingRows; }

/// The forests of one seed, in the order of kDepthFillings.
using Forests = std::array<forest::Forest, kNumFillings>;
/// Their predictors, which receive frames with filled depth.
using Predictors = std::array<std::unique_ptr<predict::Predictor>, kNumFillings>;
/// A test frame with each filling.
using FilledFrames = std::array<image::Frame, kNumFillings>;

struct TestFrame {
  FilledFrames filled;
  image::LabelImage truth;
  std::array<double, kNumFillings> fill_ms = {};
};

std::uint64_t count_unknown(const image::Frame& frame) {
  return static_cast<std::uint64_t>(std::count_if(frame.depth_mm.begin(), frame.depth_mm.end(),
                                                  [](std::uint16_t mm) { return !image::is_known_depth(mm); }));
}

/// Checks all conditions that would otherwise fail only after the first forests were trained.
void check(const FillingArguments& arguments, const dataset::Dataset& train, const dataset::Dataset& test) {
  check_options(FillingArguments::table(), arguments);
  const std::vector<std::string>& channels = arguments.train.options.channels;
  FW_CHECK(channels.empty() || image::ChannelLayout(channels).needs_depth(), Usage,
           "--channels leaves out depth, whose filling is compared; add depth");
  for (const dataset::Dataset* dataset : {&train, &test})
    FW_CHECK(dataset->has_color() && dataset->has_depth(), Data,
             dataset->folder().string() << ": the data set has no " << (dataset->has_depth() ? "colour" : "depth")
                                        << " images; the study needs both, as colour tells how to fill depth");
  const image::Frame smallest{Array2<image::Rgb>(1, 1), Array2<std::uint16_t>(1, 1)};
  image::filled_depth(smallest, image::DepthFilling::kColorized);  // throws if the build does not support it
}

void warn_if_complete(const FillingData& data) {
  if (data.num_unknown == 0)
    spdlog::warn(
        "{}: no pixel lacks depth, so filling changes nothing there and compares nothing; pass frames as a "
        "depth camera measures them",
        data.folder);
}

FillingData count_depths(const dataset::Dataset& dataset, ThreadPool& pool, const ProgressCallback& progress) {
  FillingData data{dataset.folder().string(), dataset.size(), 0, 0};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts(static_cast<std::size_t>(pool.num_threads()));
  for (std::size_t begin = 0; begin < dataset.size(); begin += counts.size()) {
    const std::size_t count = std::min(counts.size(), dataset.size() - begin);
    pool.for_each(count, [&](std::size_t i, int) {
      const image::Frame frame = dataset.read_frame(begin + i);
      counts[i] = {frame.depth_mm.size(), count_unknown(frame)};
    });
    for (std::size_t i = 0; i < count; ++i) {
      data.num_pixels += counts[i].first;
      data.num_unknown += counts[i].second;
    }
    progress(begin + count, dataset.size());
  }
  return data;
}

Forests train_with_each_filling(const dataset::Dataset& dataset, const FillingArguments& arguments, int seed_index,
                                apps::ProgressBar& bar) {
  Forests forests;
  train::TrainOptions options = arguments.train.options;
  options.seed += static_cast<std::uint64_t>(seed_index);
  for (std::size_t f = 0; f < kNumFillings; ++f) {
    options.depth_filling = image::kDepthFillings[f];
    const std::string phase = "training, filling " + to_string(options.depth_filling) + ", seed " +
                              std::to_string(seed_index + 1) + " of " + std::to_string(arguments.seeds);
    train::TrainHooks hooks;
    hooks.progress = [&](const train::TrainProgress& now) {
      const bool growing = now.phase == train::TrainProgress::Phase::kGrowing;
      bar.show(phase + ", " + to_string(now.phase), growing ? "level " + std::to_string(now.level + 1) : std::string(),
               now.done);
    };
    hooks.stop = apps::interrupt_token();
    forests[f] = train::train_forest(dataset, options, arguments.train.resources, hooks);
  }
  return forests;
}

Predictors make_predictors(Forests forests, const train::TrainResources& resources) {
  Predictors predictors;
  for (std::size_t f = 0; f < kNumFillings; ++f) {
    forests[f].preparation.depth_filling = image::DepthFilling::kNone;
    predictors[f] = predict::make_predictor(forests[f], {.device = resources.device, .threads = resources.threads});
  }
  return predictors;
}

TestFrame read_test_frame(const dataset::Dataset& dataset, std::size_t index, const image::ClassMap& classes) {
  TestFrame test;
  const image::Frame frame = dataset.read_frame(index);
  test.truth = dataset.read_labels(index, classes);
  for (std::size_t f = 0; f < kNumFillings; ++f) {
    test.filled[f] = frame;
    const double start = seconds_now();
    test.filled[f].depth_mm = image::filled_depth(frame, image::kDepthFillings[f]);
    test.fill_ms[f] = 1000 * (seconds_now() - start);
  }
  return test;
}

/// Index of the counts for a seed, a filling in training and a filling at prediction.
std::size_t place(std::size_t seed, std::size_t train, std::size_t predict) {
  return (seed * kNumFillings + train) * kNumFillings + predict;
}

void label(const TestFrame& test, std::vector<Predictors>& predictors, std::vector<Confusion>& counts) {
  for (std::size_t seed = 0; seed < predictors.size(); ++seed)
    for (std::size_t train = 0; train < kNumFillings; ++train)
      for (std::size_t predict = 0; predict < kNumFillings; ++predict) {
        apps::throw_if_interrupted();
        counts[place(seed, train, predict)].add(test.truth,
                                                predictors[seed][train]->predict(test.filled[predict]).labels);
      }
}

/// Labels each test frame, with each filling, by the forests of all seeds. Each frame is filled once, with one frame
/// for each thread at a time, because colourisation takes longer than all labelling.
void evaluate(const dataset::Dataset& dataset, const image::ClassMap& classes, std::vector<Predictors>& predictors,
              ThreadPool& pool, apps::ProgressBar& bar, FillingResult& result) {
  const ProgressCallback progress = bar.counter("labelling");
  std::vector<Confusion> counts(place(predictors.size(), 0, 0), Confusion(classes.size()));
  std::vector<TestFrame> batch;
  for (std::size_t begin = 0; begin < dataset.size(); begin += batch.size()) {
    batch.assign(std::min<std::size_t>(dataset.size() - begin, static_cast<std::size_t>(pool.num_threads())), {});
    pool.for_each(batch.size(), [&](std::size_t i, int) { batch[i] = read_test_frame(dataset, begin + i, classes); });
    for (const TestFrame& test : batch) {
      label(test, predictors, counts);
      for (std::size_t f = 0; f < kNumFillings; ++f) result.fill[f].ms.push_back(test.fill_ms[f]);
    }
    progress(begin + batch.size(), dataset.size());
  }
  for (std::size_t seed = 0; seed < predictors.size(); ++seed) {
    FillingTable<Accuracy>& table = result.accuracy.emplace_back();
    for (std::size_t train = 0; train < kNumFillings; ++train)
      for (std::size_t predict = 0; predict < kNumFillings; ++predict)
        table[train][predict] = compute_metrics(counts[place(seed, train, predict)], {}).without_void;
  }
}

FillingResult measure(const FillingArguments& arguments) {
  const dataset::Dataset train = arguments.dataset.open(true, "train"), test = arguments.open_test();
  check(arguments, train, test);
  ThreadPool pool(arguments.train.resources.threads);
  apps::ProgressBar bar;
  FillingResult result;
  result.train = count_depths(train, pool, bar.counter("reading the training frames"));
  result.test = count_depths(test, pool, bar.counter("reading the test frames"));
  bar.clear();
  warn_if_complete(result.train);
  warn_if_complete(result.test);

  const image::ClassMap classes = train.scan_truth(pool).classes;
  test.scan_truth(pool, &classes);  // throws for a colour that is not a class of the forests
  std::vector<Predictors> predictors;
  for (int seed = 0; seed < arguments.seeds; ++seed) {
    const Forests forests = train_with_each_filling(train, arguments, seed, bar);
    result.seeds.push_back(arguments.train.options.seed + static_cast<std::uint64_t>(seed));
    if (seed == 0) result.options_json = forests[0].options_json;
    predictors.push_back(make_predictors(forests, arguments.train.resources));
  }
  evaluate(test, classes, predictors, pool, bar, result);
  return result;
}

void run(const FillingArguments& arguments) {
  const FillingResult result = measure(arguments);
  std::cout << (arguments.json ? filling_json(result) : filling_text(result));
}

}  // namespace

void add_filling_command(CLI::App& bench) {
  apps::add_command<FillingArguments>(
      bench, {.name = "filling",
              .summary = "Accuracy by how depth is filled, in training and at prediction",
              .example = "fernwood-lab filling --data rooms/train --test rooms/test --trees 3 --seeds 3",
              .finish = &FillingArguments::finish,
              .run = run});
}

}  // namespace fernwood::lab
