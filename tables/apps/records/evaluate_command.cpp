// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/records/records_command.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/records.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct RecordsEvaluateArguments {
  TableArguments input;
  EvaluatorArguments evaluator;
  std::filesystem::path model;
  BlockOptions block;
  bool json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    input.add_to(command);
    add_table(command, block);
    evaluator.add_to(command);
    add_json_flag(command, json);
  }
};

/// Reads records block by block, and passes each to take(block). @return Seconds of the whole loop.
template <typename Take>
double for_each_block(const RecordsEvaluateArguments& arguments, const records::TableOptions& table_options,
                      const Take& take) {
  ThreadPool pool(arguments.evaluator.options.threads);
  const double start_s = seconds_now();
  records::TableReader reader(arguments.input.data, table_options, pool);
  ProgressBar bar;
  records::RecordTable block;
  std::size_t num_records = 0;
  while (reader.read(block, arguments.block.records)) {
    take(block);
    show_progress(bar, "evaluating", reader, num_records += block.values.rows());
  }
  return seconds_now() - start_s;
}

report::RecordEvaluation evaluate_classes(const RecordsEvaluateArguments& arguments,
                                          const records::TableOptions& table_options,
                                          const records::RecordForest& forest) {
  const auto evaluator = records::make_record_evaluator(forest, arguments.evaluator.options);
  report::RecordEvaluation result{.classes = forest.classes, .confusion = Confusion(forest.classes.size())};
  result.total_s = for_each_block(arguments, table_options, [&](const records::RecordTable& block) {
    std::vector<std::int32_t> found(block.labels.size());
    const double before_s = seconds_now();
    evaluator->classify(block.view(), found.data());
    result.classify_s += seconds_now() - before_s;
    result.confusion.add(block.labels, found);
  });
  if (arguments.evaluator.explain) result.strategy = evaluator->explain();
  return result;
}

report::ValueEvaluation evaluate_values(const RecordsEvaluateArguments& arguments,
                                        const records::TableOptions& table_options,
                                        const records::RecordForest& forest) {
  FW_CHECK(forest.targets.size() == 1, Usage,
           "the model predicts " << forest.targets.size()
                                 << " values of a record, and a table has one; compare what fernwood-tables predict "
                                    "writes");
  records::ValueEvaluator evaluator(forest, arguments.evaluator.options);
  report::ValueEvaluation result{.target = forest.targets[0], .errors = {}};
  result.total_s = for_each_block(arguments, table_options, [&](const records::RecordTable& block) {
    std::vector<double> found(block.targets.size());
    const double before_s = seconds_now();
    evaluator.predict(block.view(), found.data());
    result.predict_s += seconds_now() - before_s;
    for (std::size_t i = 0; i < found.size(); ++i) result.errors.add(block.targets[i], found[i]);
  });
  if (arguments.evaluator.explain) result.strategy = evaluator.explain();
  return result;
}

void check_compared(const RecordsEvaluateArguments& arguments, bool is_compared, const std::string& what) {
  FW_CHECK(is_compared, Data,
           (arguments.input.data == "-" ? "standard input" : arguments.input.data.string())
               << ": no record has a " << what << " to compare with; name its column with --label, or use "
               << "fernwood-tables predict");
}

void run(const RecordsEvaluateArguments& arguments) {
  arguments.block.check();
  records::TableOptions table_options = arguments.input.options();
  const records::RecordForest forest = table_options.match(records::load_records(arguments.model));
  if (forest.has_classes()) {
    const report::RecordEvaluation result = evaluate_classes(arguments, table_options, forest);
    check_compared(arguments, compute_metrics(result.confusion, {}).labelled_pixels > 0, "class");
    std::cout << (arguments.json ? report::record_evaluation_json(result) : report::record_evaluation_table(result));
  } else {
    const report::ValueEvaluation result = evaluate_values(arguments, table_options, forest);
    check_compared(arguments, result.errors.num_known() > 0, "value of " + in_quotes(result.target));
    std::cout << (arguments.json ? report::value_evaluation_json(result) : report::value_evaluation_table(result));
  }
}

}  // namespace

void add_records_evaluate(CLI::App& records) {
  add_command<RecordsEvaluateArguments>(
      records, {.name = "evaluate",
                .summary = "Classify records, or predict their values, and compare with the true ones",
                .example = "fernwood " + records.get_name() + " evaluate --model letters.fernwood --data test.csv",
                .run = run});
}

}  // namespace fernwood::apps
