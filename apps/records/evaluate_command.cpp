// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/records.h"

namespace fernwood::apps {

namespace {

struct RecordsEvaluateArguments {
  TableArguments table;
  EvaluatorArguments evaluator;
  std::filesystem::path model;
  std::size_t block = 65536;
  bool json = false;
};

/// Classes as a picture of one row; without a class: void.
image::LabelImage as_labels(const std::vector<std::int32_t>& classes) {
  image::LabelImage labels(1, classes.size());
  std::ranges::transform(classes, labels.begin(), [](std::int32_t c) {
    return c == records::kNoClass ? image::kVoid : static_cast<std::uint16_t>(c);
  });
  return labels;
}

report::RecordEvaluation evaluate_records(const RecordsEvaluateArguments& arguments,
                                          const records::RecordForest& forest) {
  records::TableOptions table_options = arguments.table.options();
  table_options.match(forest);
  const records::EvaluatorOptions options = arguments.evaluator.options;
  ThreadPool pool(options.threads);
  const double start_s = seconds_now();
  records::TableReader reader(arguments.table.data, table_options, pool);
  const std::unique_ptr<records::RecordEvaluator> evaluator = records::make_record_evaluator(forest, options);
  ProgressBar bar;
  report::RecordEvaluation result{.classes = forest.classes, .confusion = evaluate::Confusion(forest.classes.size())};
  records::RecordTable block;
  std::size_t num_records = 0;
  while (reader.read(block, arguments.block)) {
    std::vector<std::int32_t> found(block.labels.size());
    const double before_s = seconds_now();
    evaluator->classify(block.view(), found.data());
    result.classify_s += seconds_now() - before_s;
    result.confusion.add(as_labels(block.labels), as_labels(found));
    show_progress(bar, "evaluating", reader, num_records += found.size());
  }
  result.total_s = seconds_now() - start_s;
  if (arguments.evaluator.explain) result.strategy = evaluator->explain();
  return result;
}

void run(const RecordsEvaluateArguments& arguments) {
  FW_CHECK(arguments.block >= 1, Usage, "--block is 0; give at least 1");
  const records::RecordForest forest = records::load_records(arguments.model);
  const report::RecordEvaluation result = evaluate_records(arguments, forest);
  FW_CHECK(evaluate::compute_metrics(result.confusion, {}).labelled_pixels > 0, Data,
           (arguments.table.data == "-" ? "standard input" : arguments.table.data.string())
               << ": no record has a class to compare with; name its column with --label, or use "
               << "fernwood records predict");
  std::cout << (arguments.json ? report::record_evaluation_json(result) : report::record_evaluation_table(result));
}

}  // namespace

void add_records_evaluate(CLI::App& records) {
  auto arguments = std::make_shared<RecordsEvaluateArguments>();
  CLI::App* command =
      records.add_subcommand("evaluate", "Classify records and compare with their true classes")->fallthrough();
  add_model_option(*command, arguments->model);
  arguments->table.add_to(*command);
  add_block_option(*command, arguments->block);
  arguments->evaluator.add_to(*command);
  add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood " + records.get_name() +
                  " evaluate --model letters.fernwood --data test.csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
