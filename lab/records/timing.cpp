// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/draw.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "lab/records/strategies.h"
#include "shell/interrupt.h"

namespace fernwood::lab {

namespace {

constexpr std::array kTimingRows = {
    option<&TimingOptions::device>("device", "Device: auto, cpu, cuda or cuda:N").takes("NAME"),
    option<&TimingOptions::threads>("threads", "CPU threads; 0: all").abbreviated('j'),
    option<&TimingOptions::repeat>("repeat", "Runs of each").in(at_least(1)),
    option<&TimingOptions::with_compiled>("compile", "Also strategies that compile the forest first"),
};

}  // namespace

OptionTable<TimingOptions> TimingOptions::table() { return kTimingRows; }

RunTimes summarize_times(const std::vector<double>& seconds) {
  RunTimes times;
  const auto count = static_cast<double>(seconds.size());
  times.least = *std::ranges::min_element(seconds);
  times.most = *std::ranges::max_element(seconds);
  times.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count;
  double squares = 0;
  for (const double each : seconds) squares += (each - times.mean) * (each - times.mean);
  times.deviation = std::sqrt(squares / count);
  return times;
}

nlohmann::json to_json(const RunTimes& times) {
  return {{"least_us", times.least * 1e6},
          {"mean_us", times.mean * 1e6},
          {"most_us", times.most * 1e6},
          {"deviation_us", times.deviation * 1e6}};
}

std::vector<Way> ways_for(const records::RecordForest& forest, Device device, bool with_compiled) {
  std::vector<Way> ways;
  const records::SharedModel model = model_for(forest);
  const records::StrategyTable table = strategies_for(forest, with_compiled);
  for (const records::Strategy& strategy : table.rows())
    for (const records::Values values : records::kValues)
      if (records::why_unsupported(strategy, *model, values, device).empty()) ways.push_back({strategy.name, values});
  return ways;
}

std::vector<float> stored_by_columns(const records::RecordView& records) {
  std::vector<float> columns;
  for (std::size_t a = 0; a < records.num_attributes; ++a)
    for (std::size_t i = 0; i < records.num_records; ++i) columns.push_back(records.at(i, a));
  return columns;
}

std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed, std::uint32_t round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    const auto index = static_cast<std::uint32_t>(i);
    std::swap(order[i - 1], order[draw(seed, RngStream::kScene, 2, round, index).below(0, index)]);
  }
  return order;
}

std::vector<std::int32_t> serial_classes(const records::RecordForest& forest, const records::RecordView& records) {
  std::vector<std::int32_t> classes(records.num_records);
  records::make_record_evaluator(forest, {.strategy = "serial", .device = "cpu"})->classify(records, classes.data());
  return classes;
}

void check_classes(const std::vector<std::int32_t>& found, const std::vector<std::int32_t>& expected, const Way& way) {
  const auto [at, unused] = std::ranges::mismatch(found, expected);
  FW_CHECK(at == found.end(), Runtime,
           "strategy " << way.name() << " gives record " << at - found.begin() << " class " << *at << ", not "
                       << expected[static_cast<std::size_t>(at - found.begin())]
                       << "; this is a bug, please report it with the command line");
}

namespace {

/// Times the runs, after a warm-up run.
RunTimes time_runs(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat) {
  evaluator.evaluate_kept(records);
  std::vector<double> seconds;
  for (int run = 0; run < repeat; ++run) {
    apps::throw_if_interrupted();
    seconds.push_back(evaluator.evaluate_kept(records));
  }
  return summarize_times(seconds);
}

}  // namespace

RunTimes time_kept(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                   const std::vector<std::int32_t>& expected, const Way& way) {
  const RunTimes times = time_runs(evaluator, records, repeat);
  std::vector<std::int32_t> classes(records.view.num_records);
  evaluator.fetch_kept({.numbers = classes.data()});
  check_classes(classes, expected, way);
  return times;
}

std::vector<double> serial_values(const records::RecordForest& forest, const records::RecordView& records) {
  std::vector<double> values(records.num_records * forest.num_outputs());
  records::ValueEvaluator(forest, {.strategy = "serial", .device = "cpu"}).find_margins(records, values.data());
  return values;
}

RunTimes time_kept_values(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                          const std::vector<double>& expected, const Way& way) {
  const RunTimes times = time_runs(evaluator, records, repeat);
  std::vector<double> values(expected.size());
  evaluator.fetch_kept({.values = values.data()});
  FW_CHECK(values == expected, Runtime,
           "strategy " << way.name() << " gives other values than the serial one; this is a bug, please report it with "
                       << "the command line");
  return times;
}

std::string device_line(Device device, int threads) {
  const int used = ThreadPool(threads).num_threads();
  return to_string(device) + ", " + device_name(device) +
         (device.is_cpu() ? ", " + std::to_string(used) + (used == 1 ? " thread" : " threads") : "");
}

}  // namespace fernwood::lab
