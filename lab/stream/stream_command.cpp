// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/records/records_command.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/stream/record_source.h"
#include "lab/commands.h"
#include "lab/stream/value_sketches.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/ranks.h"
#include "stream/grow/stream_rounds.h"

namespace fernwood::lab {

namespace {

struct LabStreamArguments {
  apps::TableArguments input;
  apps::StreamArguments stream;
  stream::StreamWork work;
  std::filesystem::path out;
  std::string sketch = "log-linear";
  bool json = false;

  static OptionTable<LabStreamArguments> table();

  void add_to(CLI::App& command) {
    input.add_to(command);
    command.add_option("--out", out, "Model file to write")->required()->option_text("FILE");
    apps::add_table(command, *this);
    stream.add_to(command);
    apps::add_table(command, work, {"device", "memory-budget", "accuracy-window"});
    apps::add_json_flag(command, json);
  }
  void finish() {
    stream.finish();
    work.check();
    // Not claimed: ranks have the same output.
    apps::refuse_replaced_files({{"--out", out}}, {{"--data", input.data}});
  }
};

std::array<stream::LeafSketchMaker, 3> all_sketches() {
  return {stream::LeafSketchMaker(), exact_leaf_sketches(), ben_haim_leaf_sketches()};
}

std::vector<std::string> sketch_names() {
  std::vector<std::string> names;
  for (const stream::LeafSketchMaker& maker : all_sketches()) names.emplace_back(maker.name);
  return names;
}

constexpr std::array kLabStreamRows = {
    option<&LabStreamArguments::sketch>("sketch", "What leaves count").one_of(sketch_names),
};

OptionTable<LabStreamArguments> LabStreamArguments::table() { return kLabStreamRows; }

void run(const LabStreamArguments& arguments) {
  const stream::LeafSketchMaker sketches = all_sketches()[find_name("sketch", arguments.sketch, sketch_names())];
  const stream::StreamOptions options = arguments.stream.finish();
  ThreadPool pool(arguments.work.workers);
  records::TableOptions table_options = arguments.input.options();
  table_options.needs_class = true;
  const auto source = stream::open_record_source(arguments.input.data, table_options, {}, pool);
  stream::StreamReport report;
  const records::RecordForest forest = stream::train_stream_with(
      sketches, source.get(), options, arguments.work, pool, *apps::join_others(),
      [](const stream::StreamProgress&) { apps::throw_if_interrupted(); }, &report);
  records::save_records(forest, arguments.out);
  if (arguments.json)
    std::cout << apps::json_result(nlohmann::ordered_json{{"model", arguments.out.string()},
                                                          {"sketch", sketches.name},
                                                          {"records", report.records},
                                                          {"leaves", report.leaves},
                                                          {"depth", report.depth},
                                                          {"seconds", report.times.total_s}});
  else
    apps::print() << sketches.name << ": " << report.leaves << " leaves, depth " << report.depth << ", from "
                  << format_count(report.records) << " records in " << format_seconds(report.times.total_s) << ": "
                  << arguments.out << "\n";
}

}  // namespace

void add_stream_command(CLI::App& app) {
  apps::add_command<LabStreamArguments>(
      app, {.name = "stream",
            .summary = "Grow a tree from a stream as `fernwood-tables stream train` does, with other sketches",
            .example = "fernwood-lab stream --data train.libsvm --out tree.fernwood --sketch exact",
            .finish = &LabStreamArguments::finish,
            .run = run});
}

}  // namespace fernwood::lab
