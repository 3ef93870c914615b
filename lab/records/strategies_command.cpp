// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "lab/commands.h"
#include "lab/records/strategies.h"
#include "lab/records/timing.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct StrategiesArguments {
  std::filesystem::path model, data;
  std::vector<std::string> strategies;
  records::RecordTrainOptions training;
  TimingOptions timing{.repeat = 5};
  std::uint64_t records = 0;
  bool by_columns = false, json = false;

  static OptionTable<StrategiesArguments> table();

  void add_to(CLI::App& command) {
    command.add_option("--model", model, "Model file; without: a forest is grown")->option_text("FILE");
    command.add_option("--data", data, "Table; without: random records")->option_text("FILE");
    apps::add_table(command, *this);
    apps::add_table(command, training);
    apps::add_table(command, timing);
    apps::add_json_flag(command, json);
  }
};

constexpr std::array kStrategiesRows = {
    option<&StrategiesArguments::records>("records", "Records, the table's again and again")
        .default_means("the table's, or 100000"),
    option<&StrategiesArguments::strategies>("strategy", "Time only these")
        .takes("NAME,...")
        .default_means("all that can"),
    option<&StrategiesArguments::by_columns>("by-columns", "Records are stored by columns, not by rows"),
};

OptionTable<StrategiesArguments> StrategiesArguments::table() { return kStrategiesRows; }

struct Result {
  Way way;
  RunTimes times;
};

/// Records with random values between the smallest and the largest threshold of each attribute, and among its
/// categories.
std::vector<float> random_values(const records::RecordForest& forest, std::size_t num_records) {
  std::vector<float> low(forest.attributes.size(), 0.0f), high(forest.attributes.size(), 0.0f);
  std::vector<bool> seen(forest.attributes.size(), false);
  for (const records::RecordTree& tree : forest.trees)
    for (const records::RecordNode& node : tree.nodes) {
      if (node.is_leaf() || node.attribute >= low.size()) continue;
      const std::uint16_t a = node.attribute;
      low[a] = seen[a] ? std::min(low[a], node.threshold) : node.threshold;
      high[a] = seen[a] ? std::max(high[a], node.threshold) : node.threshold;
      seen[a] = true;
    }
  for (const records::CategorySet& set : forest.columns.sets)
    high[set.bounds.attribute] = std::max(high[set.bounds.attribute], static_cast<float>(64 * set.words.size()));
  std::vector<float> values(num_records * low.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t a = i % low.size();
    const Draw drawn =
        draw(1, RngStream::kScene, 3, static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i));
    values[i] = low[a] + drawn.unit(0) * (high[a] - low[a]);
  }
  return values;
}

/// The records of a table, repeated.
std::vector<float> repeated(const records::RecordTable& table, std::size_t num_records) {
  const std::size_t width = table.values.cols();
  std::vector<float> values;
  for (std::size_t i = 0; i < num_records; ++i) {
    const float* row = table.values.row(i % table.values.rows());
    values.insert(values.end(), row, row + width);
  }
  return values;
}

/// The evaluated work: a given model, or one trained on the data; records of the data, or random ones.
struct Work {
  records::RecordForest forest;
  std::vector<float> values;
};
Work prepare(const StrategiesArguments& arguments, ThreadPool& pool) {
  FW_CHECK(!arguments.model.empty() || !arguments.data.empty(), Usage,
           "--model or --data is missing; pass a model file, or data to grow a forest on");
  constexpr std::size_t kDrawn = 100'000;
  Work work;
  if (!arguments.model.empty()) work.forest = records::load_records(arguments.model);
  if (arguments.data.empty()) {
    work.values = random_values(work.forest, arguments.records ? arguments.records : kDrawn);
    return work;
  }
  records::TableOptions options;
  if (!arguments.model.empty()) options.match(work.forest);
  const records::RecordTable table = records::read_table(arguments.data, options, pool);
  FW_CHECK(table.values.rows() > 0, Data, arguments.data.string() << " has no records; pass at least one");
  if (arguments.model.empty()) work.forest = records::train_records(table, arguments.training, pool);
  work.values = repeated(table, arguments.records ? arguments.records : table.values.rows());
  return work;
}

/// The named strategies, or all that can evaluate the forest.
std::vector<Way> chosen_ways(const StrategiesArguments& arguments, const records::RecordForest& forest, Device device) {
  if (arguments.strategies.empty()) return ways_for(forest, device, arguments.timing.with_compiled);
  std::vector<Way> ways;
  for (const std::string& name : arguments.strategies) {
    const OptionSentence unsupported_reason = unsupported_reason_for(forest, name, records::Values::kFloat, device);
    FW_CHECK(unsupported_reason.empty(), Usage,
             "strategy " << name << " cannot evaluate this forest: " << unsupported_reason);
    ways.push_back({name});
    if (unsupported_reason_for(forest, name, records::Values::kRanks, device).empty())
      ways.push_back({name, records::Values::kRanks});
  }
  return ways;
}

std::vector<Result> time_all(const StrategiesArguments& arguments, const Work& work, Device device) {
  const std::size_t width = work.forest.attributes.size();
  const std::size_t count = work.values.size() / width;
  const records::RecordView rows = records::records_by_rows(work.values.data(), count, width);
  const std::vector<float> columns = arguments.by_columns ? stored_by_columns(rows) : std::vector<float>();
  const records::RecordView records =
      arguments.by_columns ? records::records_by_columns(columns.data(), count, width) : rows;
  std::vector<std::int32_t> classes;
  std::vector<double> values;
  if (work.forest.has_classes())
    classes = serial_classes(work.forest, records);
  else
    values = serial_values(work.forest, records);
  const records::KeptRecords kept = records::keep_records(device, records);
  std::vector<Result> results;
  for (const Way& way : chosen_ways(arguments, work.forest, device)) {
    const auto evaluator = make_evaluator(work.forest, way.strategy, way.values, device, arguments.timing.threads);
    results.push_back({way, work.forest.has_classes()
                                ? time_kept(*evaluator, kept, arguments.timing.repeat, classes, way)
                                : time_kept_values(*evaluator, kept, arguments.timing.repeat, values, way)});
  }
  return results;
}

void print(const StrategiesArguments& arguments, const Work& work, Device device, const std::vector<Result>& results) {
  const std::size_t count = work.values.size() / work.forest.attributes.size();
  if (arguments.json) {
    nlohmann::json ways = nlohmann::json::array();
    for (const Result& result : results)
      ways.push_back({{"strategy", result.way.strategy},
                      {"values", to_string(result.way.values)},
                      {"times", to_json(result.times)},
                      {"records_per_second", static_cast<double>(count) / result.times.least}});
    std::cout << apps::json_result(nlohmann::json{{"benchmark", "strategies"},
                                                  {"records", count},
                                                  {"device", device_line(device, arguments.timing.threads)},
                                                  {"trees", work.forest.trees.size()},
                                                  {"strategies", ways}});
    return;
  }
  std::cout << format_count(count) << " records of " << work.forest.attributes.size() << " attributes, "
            << work.forest.trees.size() << (work.forest.trees.size() == 1 ? " tree" : " trees") << " of depth "
            << records::summarize(work.forest).max_depth << ", " << device_line(device, arguments.timing.threads)
            << "\n"
            << format_text("  %-34s %12s %12s %14s\n", "strategy", "least, ms", "mean, ms", "records/s");
  for (const Result& result : results)
    std::cout << format_text("  %-34s %12.3f %12.3f %14s\n", result.way.name().c_str(), result.times.least * 1e3,
                             result.times.mean * 1e3,
                             format_rate(static_cast<double>(count) / result.times.least).c_str());
}

void run(const StrategiesArguments& arguments) {
  arguments.timing.check();
  const Device device = arguments.timing.chosen_device();
  ThreadPool pool(arguments.timing.threads);
  const Work work = prepare(arguments, pool);
  print(arguments, work, device, time_all(arguments, work, device));
}

}  // namespace

void add_strategies_command(CLI::App& bench) {
  apps::add_command<StrategiesArguments>(
      bench, {.name = "strategies",
              .summary = "All strategies on one forest: a model's, or one grown on data",
              .example = "fernwood-lab strategies --data table.csv --trees 100 --max-depth 8",
              .run = run});
}

}  // namespace fernwood::lab
