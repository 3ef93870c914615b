// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/records/record_file.h"

namespace fernwood::apps {

namespace {

struct RecordsEvaluateArguments {
  TableArguments table;
  EvaluatorArguments evaluator;
  std::filesystem::path model;
  std::size_t block = 65536;
  bool json = false;
};

struct RecordsEvaluation {
  evaluate::Confusion confusion;
  double classify_s = 0, total_s = 0;  ///< Giving classes alone, and with reading.
  std::string strategy = "";           ///< How classes were found, for people.
};

/// Classes as a picture of one row; without a class: void.
image::LabelImage as_labels(const std::vector<std::int32_t>& classes) {
  image::LabelImage labels(1, classes.size());
  std::ranges::transform(classes, labels.begin(), [](std::int32_t c) {
    return c == records::kNoClass ? image::kVoid : static_cast<std::uint16_t>(c);
  });
  return labels;
}

RecordsEvaluation evaluate_records(const RecordsEvaluateArguments& arguments, const records::RecordForest& forest) {
  records::TableOptions table_options = arguments.table.options();
  table_options.match(forest);
  const records::EvaluatorOptions options = arguments.evaluator.finish();
  ThreadPool pool(options.threads);
  const double start_s = seconds_now();
  records::TableReader reader(arguments.table.data, table_options, pool);
  const std::unique_ptr<records::RecordEvaluator> evaluator = records::make_record_evaluator(forest, options);
  ProgressBar bar;
  RecordsEvaluation result{evaluate::Confusion(forest.classes.size())};
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
  result.strategy = evaluator->explain();
  return result;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isnan(value) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
}

void print_json(const records::RecordForest& forest, const RecordsEvaluation& result, const evaluate::Metrics& metrics,
                bool explain) {
  const std::size_t num_classes = forest.classes.size();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), of_classes = rows;
  for (std::size_t t = 0; t < num_classes; ++t) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (std::size_t p = 0; p < num_classes; ++p) row.push_back(result.confusion.count(t, p));
    rows.push_back(row);
    of_classes.push_back(number_or_null(metrics.class_accuracy[t]));
  }
  const auto num_records = static_cast<double>(metrics.labelled_pixels + metrics.void_pixels);
  nlohmann::ordered_json json = {{"accuracy", number_or_null(metrics.without_void.pixel)},
                                 {"class_average", number_or_null(metrics.without_void.class_average)},
                                 {"class_accuracy", of_classes},
                                 {"records", metrics.labelled_pixels},
                                 {"unlabelled", metrics.void_pixels},
                                 {"classes", forest.classes},
                                 {"confusion", rows},
                                 {"classify_seconds", result.classify_s},
                                 {"seconds", result.total_s},
                                 {"records_per_second", num_records / result.classify_s}};
  if (explain) json["strategy"] = result.strategy;
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

/// Rows are the truth; the columns of many classes would not fit on a line, so that then the most frequent mistakes
/// stand for them.
void print_confusion(const records::RecordForest& forest, const evaluate::Confusion& confusion) {
  constexpr std::size_t kMostColumns = 12, kNameWidth = 12, kMistakes = 15;
  const std::size_t n = forest.classes.size();
  const auto name = [&](std::size_t c) { return forest.classes[c].substr(0, kNameWidth); };
  if (n <= kMostColumns) {
    std::cout << "\nconfusion: records of a row's class, by the class found\n" << std::string(kNameWidth, ' ');
    for (std::size_t p = 0; p < n; ++p) std::cout << format_text(" %12s", name(p).c_str());
    for (std::size_t t = 0; t < n; ++t) {
      std::cout << format_text("\n%-12s", name(t).c_str());
      for (std::size_t p = 0; p < n; ++p)
        std::cout << format_text(" %12s", format_count(confusion.count(t, p)).c_str());
    }
    std::cout << "\n";
    return;
  }
  std::vector<std::pair<std::size_t, std::size_t>> mistakes;
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t p = 0; p < n; ++p)
      if (t != p && confusion.count(t, p) > 0) mistakes.emplace_back(t, p);
  const auto more = [&](const auto& a, const auto& b) {
    return confusion.count(a.first, a.second) > confusion.count(b.first, b.second);
  };
  std::ranges::stable_sort(mistakes, more);
  std::cout << "\nmost frequent mistakes (--json has all)\n"
            << format_text("%12s %-12s %-12s\n", "records", "class", "found");
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMistakes); ++i) {
    const auto [t, p] = mistakes[i];
    std::cout << format_text("%12s %-12s %-12s\n", format_count(confusion.count(t, p)).c_str(), name(t).c_str(),
                             name(p).c_str());
  }
}

std::string percent(double share) { return std::isnan(share) ? "-" : format_text("%.2f", 100 * share); }

void print_table(const records::RecordForest& forest, const RecordsEvaluation& result,
                 const evaluate::Metrics& metrics) {
  std::cout << "records      " << format_count(metrics.labelled_pixels) << " with a class, "
            << format_count(metrics.void_pixels) << " without\naccuracy     " << percent(metrics.without_void.pixel)
            << " %, class average " << percent(metrics.without_void.class_average) << " %\ntime         "
            << format_seconds(result.classify_s) << " for classes, "
            << format_rate(static_cast<double>(metrics.labelled_pixels + metrics.void_pixels) / result.classify_s)
            << "/s; " << format_seconds(result.total_s) << " with reading\n\n";
  std::cout << format_text("%-24s %12s %10s %10s\n", "class", "records", "accuracy", "precision");
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    std::cout << format_text("%-24s %12s %10s %10s\n", forest.classes[c].substr(0, 24).c_str(),
                             format_count(result.confusion.truth_pixels(c)).c_str(),
                             percent(metrics.class_accuracy[c]).c_str(), percent(metrics.class_precision[c]).c_str());
  print_confusion(forest, result.confusion);
}

void run(const RecordsEvaluateArguments& arguments) {
  FW_CHECK(arguments.block >= 1, Usage, "--block is 0; give at least 1");
  const records::RecordForest forest = records::load_records(arguments.model);
  const RecordsEvaluation result = evaluate_records(arguments, forest);
  const evaluate::Metrics metrics = evaluate::compute_metrics(result.confusion, {});
  FW_CHECK(metrics.labelled_pixels > 0, Data,
           (arguments.table.data == "-" ? "standard input" : arguments.table.data.string())
               << ": no record has a class to compare with; name its column with --label, or use "
               << "fernwood records predict");
  const bool explain = arguments.evaluator.explain;
  if (arguments.json) return print_json(forest, result, metrics, explain);
  if (explain) std::cout << result.strategy << "\n";
  print_table(forest, result, metrics);
}

}  // namespace

void add_records_evaluate(CLI::App& records) {
  auto arguments = std::make_shared<RecordsEvaluateArguments>();
  CLI::App* command =
      records.add_subcommand("evaluate", "Give records their classes and compare with the true ones")->fallthrough();
  command->add_option("--model", arguments->model, "Model file")->required()->option_text("FILE");
  arguments->table.add_to(*command);
  add_block_option(*command, arguments->block);
  arguments->evaluator.add_to(*command);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood " + records.get_name() +
                  " evaluate --model letters.fernwood --data test.csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
