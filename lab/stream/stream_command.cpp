// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/json_result.h"
#include "apps/shell/ranks.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/stream/record_source.h"
#include "lab/commands.h"
#include "lab/stream/value_sketches.h"
#include "stream/grow/stream_rounds.h"

namespace fernwood::lab {

namespace {

struct LabStreamArguments {
  apps::TableArguments table;
  apps::StreamArguments stream;
  std::filesystem::path out;
  std::string sketch = "log-linear", parallel = "data-feature";
  int workers = 0;
  bool json = false;
};

stream::LeafSketchMaker sketches_called(const std::string& name) {
  for (const stream::LeafSketchMaker& maker :
       {stream::LeafSketchMaker(), exact_leaf_sketches(), ben_haim_leaf_sketches()})
    if (maker.name == name) return maker;
  throw OptionError("sketch", in_quotes(name), "give log-linear, exact or ben-haim");
}

void run(const LabStreamArguments& arguments) {
  const stream::LeafSketchMaker sketches = sketches_called(arguments.sketch);
  const stream::StreamOptions options = arguments.stream.finish();
  stream::StreamWork work;
  work.parallel = parse_name("--parallel", arguments.parallel, stream::kParallels);
  apps::refuse_same_file("--out", arguments.out, "--data", arguments.table.data);
  ThreadPool pool(arguments.workers);
  records::TableOptions table_options = arguments.table.options();
  table_options.needs_class = true;
  const auto source = stream::open_record_source(arguments.table.data, table_options, {}, pool);
  stream::StreamReport report;
  const records::RecordForest forest = stream::train_stream_with(
      sketches, source.get(), options, work, pool, *apps::join_others(),
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
    std::cout << sketches.name << ": " << report.leaves << " leaves, depth " << report.depth << ", from "
              << apps::format_count(report.records) << " records in " << apps::format_seconds(report.times.total_s)
              << ": " << apps::shown(arguments.out) << "\n";
}

}  // namespace

void add_stream_command(CLI::App& app) {
  auto arguments = std::make_shared<LabStreamArguments>();
  CLI::App* command =
      app.add_subcommand("stream", "Grow a tree from a stream as `fernwood stream train` does, with other sketches")
          ->fallthrough();
  arguments->table.add_to(*command);
  command->add_option("--out", arguments->out, "Model file to write")->required()->option_text("FILE");
  command->add_option("--sketch", arguments->sketch, "What leaves count: log-linear, exact or ben-haim")
      ->option_text("NAME (log-linear)");
  arguments->stream.add_to(*command);
  command->add_option("-j,--workers", arguments->workers, "Threads; 0: all cores")->option_text("N (0)");
  command
      ->add_option("--parallel", arguments->parallel,
                   "Parallelisation across workers: " + list_names(names_of(stream::kParallels)))
      ->option_text("NAME (data-feature)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood-lab stream --data train.libsvm --out tree.fernwood --sketch exact");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
