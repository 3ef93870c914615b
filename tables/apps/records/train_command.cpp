// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/records/records_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/train_records.h"
#include "fernwood/report/records.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct RecordsTrainArguments {
  TableArguments input;
  records::RecordTrainOptions options;
  std::filesystem::path out;
  bool json = false;
  int threads = 0;

  void add_to(CLI::App& command) {
    input.add_to(command, {});
    command.add_option("--out", out, "Model file to write")->required()->option_text("FILE");
    add_table(command, options);
    add_threads_option(command, threads);
    add_json_flag(command, json);
  }
  void finish() { options.check(); }
  CommandFiles files() const { return {.reads = {{"--data", input.data}}, .writes = {{"--out", out}}}; }
};

void print_result(const RecordsTrainArguments& arguments, const records::RecordForest& forest, std::size_t num_records,
                  const records::RecordTrainReport& report) {
  if (arguments.json) {
    std::cout << report::record_training_json(forest, num_records, report, arguments.out);
    return;
  }
  std::cout << report::record_training_table(forest, num_records, report);
  print() << "model        " << arguments.out << " (" << format_bytes(std::filesystem::file_size(arguments.out))
          << ")\nnext         fernwood-tables evaluate --model " << shell_word(arguments.out) << " --data FILE\n";
}

void run(const RecordsTrainArguments& arguments) {
  records::TableOptions table_options = arguments.input.options();
  table_options.needs_class = true;
  if (arguments.options.predicts_targets()) table_options.labels = records::LabelKind::kTarget;
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  const records::RecordTable table =
      records::read_table(arguments.input.data, table_options, pool, bar.counter("reading"));
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
  warn_each(texts_of(report.warnings));
  records::save_records(forest, arguments.out);
  print_result(arguments, forest, table.values.rows(), report);
}

}  // namespace

void add_records_train(CLI::App& records) {
  add_command<RecordsTrainArguments>(
      records,
      {.name = "train",
       .summary = "Train a forest on a table of records",
       .example = "fernwood-tables train --data letters.csv --out letters.fernwood --trees 100\n"
                  "  fernwood-tables train --data houses.csv --label price --task regression --out houses.fernwood",
       .finish = &RecordsTrainArguments::finish,
       .files = &RecordsTrainArguments::files,
       .run = run});
}

}  // namespace fernwood::apps
