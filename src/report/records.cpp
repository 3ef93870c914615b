// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/records.h"

#include <algorithm>

#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/text_table.h"

namespace fernwood::report {

using evaluate::Confusion, evaluate::Metrics;
using records::RecordForest, records::RecordTrainReport;

namespace {

constexpr std::size_t kFactWidth = 13;
constexpr std::size_t kMaxConfusionClasses = 12, kClassWidth = 12, kMostMistakes = 15;

double mean_depth(const records::RecordSummary& summary) {
  double sum = 0;
  for (const records::RecordSummary::TreeSummary& tree : summary.trees) sum += tree.depth;
  return sum / static_cast<double>(summary.trees.size());
}

/// Rows are the truth.
std::string confusion_rows(const RecordEvaluation& evaluation) {
  std::vector<TextColumn> columns = {left("", kClassWidth)};
  for (const std::string& name : evaluation.classes) columns.push_back(right(name, kClassWidth));
  TextTable table(columns);
  for (std::size_t t = 0; t < evaluation.classes.size(); ++t) {
    std::vector<TextCell> cells = {evaluation.classes[t]};
    for (std::size_t p = 0; p < evaluation.classes.size(); ++p)
      cells.emplace_back(format_count(evaluation.confusion.count(t, p)));
    table.row(cells);
  }
  return "\nconfusion: records of a row's class, by the class found\n" + table.text();
}

/// Stands for the matrix of many classes, which would not fit on a line.
std::string mistake_rows(const RecordEvaluation& evaluation) {
  const std::size_t num_classes = evaluation.classes.size();
  std::vector<std::pair<std::size_t, std::size_t>> mistakes;
  const auto count = [&](const auto& mistake) { return evaluation.confusion.count(mistake.first, mistake.second); };
  for (std::size_t t = 0; t < num_classes; ++t)
    for (std::size_t p = 0; p < num_classes; ++p)
      if (t != p && evaluation.confusion.count(t, p) > 0) mistakes.emplace_back(t, p);
  std::ranges::stable_sort(mistakes, std::greater(), count);
  TextTable table({right("records", kClassWidth), left("class", kClassWidth), left("found", kClassWidth)});
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMostMistakes); ++i)
    table.row({format_count(count(mistakes[i])), evaluation.classes[mistakes[i].first],
               evaluation.classes[mistakes[i].second]});
  return "\nmost frequent mistakes (--json has all)\n" + table.text();
}

std::string share_of_time(double seconds, double total) {
  return format_seconds(seconds) + format_text(" (%.0f %%)", total > 0 ? 100 * seconds / total : 0.0);
}

std::string tree_text(const stream::StreamReport& report) {
  return format_count(report.leaves) + (report.leaves == 1 ? " leaf" : " leaves") + ", depth " +
         std::to_string(report.depth) +
         (report.leaves < report.leaves_before_pruning
              ? ", " + format_count(report.leaves_before_pruning) + " leaves before pruning"
              : "");
}

}  // namespace

std::string record_training_table(const RecordForest& forest, std::size_t num_records,
                                  const RecordTrainReport& report) {
  const records::RecordSummary summary = summarize(forest);
  return facts({{"records", format_count(num_records)},
                {"attributes", format_count(forest.attributes.size())},
                {"classes", format_count(forest.classes.size())},
                {"trees", format_count(forest.trees.size()) + ", mean depth " + fixed(mean_depth(summary), 1) + ", " +
                              format_count(summary.num_leaves) + " leaves"},
                {"time", format_seconds(report.seconds)},
                {"out of bag", report.out_of_bag ? percent(*report.out_of_bag, 2) + " % of records right" : ""}},
               kFactWidth);
}

std::string record_training_json(const RecordForest& forest, std::size_t num_records, const RecordTrainReport& report,
                                 const std::filesystem::path& model) {
  const records::RecordSummary summary = summarize(forest);
  return dump({{"model", model.string()},
               {"records", num_records},
               {"attributes", forest.attributes.size()},
               {"classes", forest.classes},
               {"trees", forest.trees.size()},
               {"mean_depth", mean_depth(summary)},
               {"leaves", summary.num_leaves},
               {"seconds", report.seconds},
               {"out_of_bag_accuracy", or_null(report.out_of_bag)},
               {"options", Json::parse(forest.options_json)}});
}

std::string record_evaluation_table(const RecordEvaluation& evaluation) {
  const Metrics metrics = evaluate::compute_metrics(evaluation.confusion, {});
  const auto num_records = static_cast<double>(metrics.labelled_pixels + metrics.void_pixels);
  TextTable table({left("class", 24), right("records", 12), right("accuracy", 10), right("precision", 10)});
  for (std::size_t c = 0; c < evaluation.classes.size(); ++c)
    table.row({evaluation.classes[c], format_count(evaluation.confusion.truth_pixels(c)),
               percent(metrics.class_accuracy[c], 2), percent(metrics.class_precision[c], 2)});
  return (evaluation.strategy.empty() ? "" : evaluation.strategy + "\n") +
         facts({{"records", format_count(metrics.labelled_pixels) + " with a class, " +
                                format_count(metrics.void_pixels) + " without"},
                {"accuracy", percent(metrics.without_void.pixel, 2) + " %, class average " +
                                 percent(metrics.without_void.class_average, 2) + " %"},
                {"time", format_seconds(evaluation.classify_s) + " for classes, " +
                             format_rate(num_records / evaluation.classify_s) + "/s; " +
                             format_seconds(evaluation.total_s) + " with reading"}},
               kFactWidth) +
         "\n" + table.text() +
         (evaluation.classes.size() <= kMaxConfusionClasses ? confusion_rows(evaluation) : mistake_rows(evaluation));
}

std::string record_evaluation_json(const RecordEvaluation& evaluation) {
  const Metrics metrics = evaluate::compute_metrics(evaluation.confusion, {});
  const auto num_records = static_cast<double>(metrics.labelled_pixels + metrics.void_pixels);
  Json json = {{"accuracy", metrics.without_void.pixel},
               {"class_average", metrics.without_void.class_average},
               {"class_accuracy", metrics.class_accuracy},
               {"records", metrics.labelled_pixels},
               {"unlabelled", metrics.void_pixels},
               {"classes", evaluation.classes},
               {"confusion", confusion_json(evaluation.confusion)},
               {"classify_seconds", evaluation.classify_s},
               {"seconds", evaluation.total_s},
               {"records_per_second", num_records / evaluation.classify_s}};
  if (!evaluation.strategy.empty()) json["strategy"] = evaluation.strategy;
  return dump(json);
}

std::string stream_training_table(const RecordForest& tree, const StreamTraining& training) {
  const stream::StreamReport& report = training.report;
  const stream::StreamTimes& t = report.times;
  const auto part = [&](double seconds) { return share_of_time(seconds, t.total_s); };
  const std::string rate =
      report.updates > 0 && t.update_s > 0
          ? ", " + format_rate(static_cast<double>(report.updates) / t.update_s) + " values a second"
          : "";
  const std::string processes = training.processes > 1 ? std::to_string(training.processes) : "";
  return facts({{"records", format_count(report.records)},
                {"attributes", format_count(tree.attributes.size())},
                {"classes", format_count(tree.classes.size())},
                {"tree", tree_text(report)},
                {"processes", processes},
                {"time", format_seconds(t.total_s)},
                {"  read", part(t.read_s)},
                {"  navigate", part(t.navigate_s)},
                {"  update", part(t.update_s) + rate},
                {"  merge", part(t.merge_s)},
                {"  gain", part(t.gain_s)},
                {"  exchange", processes.empty() ? "" : part(t.communicate_s)},
                {"  checkpoint", training.checkpoints ? part(t.checkpoint_s) : ""}},
               kFactWidth);
}

std::string stream_training_json(const RecordForest& tree, const StreamTraining& training,
                                 const std::filesystem::path& model) {
  const stream::StreamReport& report = training.report;
  const stream::StreamTimes& t = report.times;
  return dump({{"model", model.string()},
               {"records", report.records},
               {"attributes", tree.attributes.size()},
               {"classes", tree.classes},
               {"leaves", report.leaves},
               {"leaves_before_pruning", report.leaves_before_pruning},
               {"depth", report.depth},
               {"rounds", report.rounds},
               {"updates", report.updates},
               {"processes", training.processes},
               {"seconds",
                {{"total", t.total_s},
                 {"read", t.read_s},
                 {"navigate", t.navigate_s},
                 {"update", t.update_s},
                 {"merge", t.merge_s},
                 {"communicate", t.communicate_s},
                 {"gain", t.gain_s},
                 {"checkpoint", t.checkpoint_s}}},
               {"options", Json::parse(tree.options_json)}});
}

}  // namespace fernwood::report
