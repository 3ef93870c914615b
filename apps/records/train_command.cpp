// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/output_lock.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/train_records.h"
#include "fernwood/report/records.h"

namespace fernwood::apps {

namespace {

struct RecordsTrainArguments {
  TableArguments table;
  records::RecordTrainOptions options;
  std::filesystem::path out;
  std::string criterion = "gini", memory_budget;
  bool bootstrap = false, no_bootstrap = false, json = false;
  int threads = 0;
};

void print(const RecordsTrainArguments& arguments, const records::RecordForest& forest, std::size_t num_records,
           const records::RecordTrainReport& report) {
  if (arguments.json) {
    std::cout << report::record_training_json(forest, num_records, report, arguments.out);
    return;
  }
  std::cout << report::record_training_table(forest, num_records, report) << "model        " << shown(arguments.out)
            << " (" << format_bytes(std::filesystem::file_size(arguments.out))
            << ")\nnext         fernwood records evaluate --model " << shell_word(arguments.out) << " --data FILE\n";
}

void finish(RecordsTrainArguments& arguments) {
  arguments.options.criterion = parse_name("--criterion", arguments.criterion, records::kCriteria);
  FW_CHECK(!(arguments.bootstrap && arguments.no_bootstrap), Usage,
           "--bootstrap and --no-bootstrap contradict each other; give one of them");
  if (arguments.bootstrap || arguments.no_bootstrap) arguments.options.bootstrap = arguments.bootstrap;
  arguments.options.check();
}

void run(RecordsTrainArguments arguments) {
  finish(arguments);
  records::TableOptions table_options = arguments.table.options();
  table_options.needs_class = true;
  if (!arguments.memory_budget.empty())
    table_options.memory_budget_bytes = parse_bytes(arguments.memory_budget, "--memory-budget");
  refuse_same_file("--out", arguments.out, "--data", arguments.table.data);
  check_writable(arguments.out);
  const OutputLock lock(arguments.out);
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  const records::RecordTable table =
      records::read_table(arguments.table.data, table_options, pool, bar.counter("reading"));
  records::RecordTrainReport report;
  const auto growing = [&](std::size_t done, std::size_t total) {
    throw_if_interrupted();
    bar.show("growing", std::to_string(arguments.options.trees) + " trees",
             static_cast<double>(done) / static_cast<double>(total));
  };
  const std::size_t budget = table_options.memory_budget_bytes > 0 ? table_options.memory_budget_bytes
                                                                   : records::usual_memory_budget(table.text_bytes);
  const records::RecordForest forest = records::train_records(table, arguments.options, pool, growing, &report, budget);
  bar.clear();
  throw_if_interrupted();
  records::save_records(forest, arguments.out);
  print(arguments, forest, table.values.rows(), report);
}

void add_options(CLI::App& command, RecordsTrainArguments& arguments) {
  records::RecordTrainOptions& o = arguments.options;
  add_number(command, "--trees", o.trees, "Trees to grow");
  add_number(command, "--max-depth", o.max_depth, "Levels below the root; 0: no limit");
  add_number(command, "--max-leaves", o.max_leaves, "Leaves of a tree, the tests that gain most first; 0: no limit");
  add_number(command, "--min-samples", o.min_samples, "A node with fewer samples becomes a leaf");
  add_number(command, "--min-leaf-samples", o.min_leaf_samples, "No test may leave a side with fewer samples");
  command.add_option("--criterion", arguments.criterion, "What tests make small: gini or entropy")
      ->option_text("NAME (gini)");
  add_number(command, "--attributes-per-split", o.attributes_per_split,
             "Attributes tried at each node; 0: the root of their number for several trees, all for one");
  command.add_flag("--bootstrap", arguments.bootstrap, "Each tree sees records drawn anew (default for several trees)");
  command.add_flag("--no-bootstrap", arguments.no_bootstrap, "Each tree sees every record once (default for one tree)");
  add_number(command, "--seed", o.seed, "Same seed, same forest, for any number of threads");
  add_threads_option(command, arguments.threads);
  command
      .add_option("--memory-budget", arguments.memory_budget,
                  "Bound of what the records take, and of what the trees' leaves do, such as 4GiB")
      ->option_text("SIZE (what is free)");
}

}  // namespace

void add_records_train(CLI::App& records) {
  auto arguments = std::make_shared<RecordsTrainArguments>();
  CLI::App* command = records.add_subcommand("train", "Grow a forest from a table of records")->fallthrough();
  arguments->table.add_to(*command);
  command->add_option("--out", arguments->out, "Model file to write")->required()->option_text("FILE");
  add_options(*command, *arguments);
  add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood records train --data letters.csv --out letters.fernwood --trees 100");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
