// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/records.h"

#include <algorithm>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::report {

using records::RecordForest, records::RecordTrainReport;

namespace {

constexpr std::size_t kFactWidth = 13;
constexpr std::size_t kMaxConfusionClasses = 12, kClassWidth = 12, kMaxMistakes = 15;

double mean_depth(const records::RecordSummary& summary) {
  double sum = 0;
  for (const records::RecordSummary::TreeSummary& tree : summary.trees) sum += tree.depth;
  return sum / static_cast<double>(summary.trees.size());
}

/// Rows are true classes.
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

/// Replaces the matrix if there are many classes, whose rows would not fit on a line.
std::string mistake_rows(const RecordEvaluation& evaluation) {
  const std::size_t num_classes = evaluation.classes.size();
  std::vector<std::pair<std::size_t, std::size_t>> mistakes;
  const auto count = [&](const auto& mistake) { return evaluation.confusion.count(mistake.first, mistake.second); };
  for (std::size_t t = 0; t < num_classes; ++t)
    for (std::size_t p = 0; p < num_classes; ++p)
      if (t != p && evaluation.confusion.count(t, p) > 0) mistakes.emplace_back(t, p);
  std::ranges::stable_sort(mistakes, std::greater(), count);
  TextTable table({right("records", kClassWidth), left("class", kClassWidth), left("found", kClassWidth)});
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMaxMistakes); ++i)
    table.row({format_count(count(mistakes[i])), evaluation.classes[mistakes[i].first],
               evaluation.classes[mistakes[i].second]});
  return "\nmost frequent mistakes (--json has all)\n" + table.text();
}

std::string out_of_bag_text(const RecordForest& forest, const RecordTrainReport& report) {
  if (!report.out_of_bag) return "";
  return forest.has_classes() ? percent(*report.out_of_bag, 2) + " % of records right"
                              : "R^2 " + fixed(*report.out_of_bag, 4);
}

/// "0.25 s for classes, 4.00M/s; 0.30 s with reading".
std::string evaluation_time(const std::string& what, std::size_t num_records, double work_s, double total_s) {
  return format_seconds(work_s) + " for " + what + ", " + format_rate(static_cast<double>(num_records) / work_s) +
         "/s; " + format_seconds(total_s) + " with reading";
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

/// Accuracy on records tested before training on them; empty if there were none.
std::string prequential_text(const RecordForest& tree, const stream::Prequential& tested) {
  if (tested.records == 0) return "";
  if (!tree.has_classes()) {
    const auto errors_text = [](const stream::PrequentialErrors& errors) {
      return format_text("RMSE %.6g, MAE %.6g", errors.rmse, errors.mae) +
             (errors.r2 ? ", R^2 " + fixed(*errors.r2, 4) : "");
    };
    return errors_text(tested.errors) + " of " + format_count(tested.records) + " records before they were learnt; " +
           errors_text(tested.recent_errors) + " of the last " + format_count(tested.recent_records) +
           format_text("; RMSE %.6g by the value before", tested.no_change);
  }
  return percent(tested.accuracy(), 2) + " % of " + format_count(tested.records) +
         " records right before they were learnt, " + percent(tested.recent_accuracy(), 2) + " % of the last " +
         format_count(tested.recent_records) + ", " + percent(tested.no_change, 2) + " % by the class before";
}

Json prequential_json(const RecordForest& tree, const stream::Prequential& tested) {
  if (tested.records == 0) return nullptr;
  if (!tree.has_classes())
    return {{"records", tested.records},
            {"rmse", tested.errors.rmse},
            {"mae", tested.errors.mae},
            {"r2", or_null(tested.errors.r2)},
            {"recent_records", tested.recent_records},
            {"recent_rmse", tested.recent_errors.rmse},
            {"recent_mae", tested.recent_errors.mae},
            {"recent_r2", or_null(tested.recent_errors.r2)},
            {"no_change_rmse", tested.no_change}};
  return {{"records", tested.records},
          {"accuracy", tested.accuracy()},
          {"recent_records", tested.recent_records},
          {"recent_accuracy", tested.recent_accuracy()},
          {"no_change_accuracy", tested.no_change}};
}

std::string drift_text(const stream::DriftCounts& drift) {
  if (drift.warnings == 0) return "";
  const auto counted = [](std::uint64_t count, const std::string& what) {
    return format_count(count) + " " + what + (count == 1 ? "" : "s");
  };
  return counted(drift.warnings, "warning") + ", " + counted(drift.replaced, "part") + " replaced, " +
         counted(drift.dropped, "alternate") + " dropped";
}

Json drift_json(const stream::DriftCounts& drift) {
  return {{"warnings", drift.warnings}, {"replaced", drift.replaced}, {"dropped", drift.dropped}};
}

}  // namespace

std::string record_training_table(const RecordForest& forest, std::size_t num_records,
                                  const RecordTrainReport& report) {
  const records::RecordSummary summary = summarize(forest);
  return facts({{"records", format_count(num_records)},
                {"attributes", format_count(forest.attributes.size())},
                {"classes", forest.has_classes() ? format_count(forest.classes.size()) : ""},
                {"target", forest.has_classes() ? "" : join(forest.targets, ", ")},
                {"trees", format_count(forest.trees.size()) + ", mean depth " + fixed(mean_depth(summary), 1) + ", " +
                              format_count(summary.num_leaves) + " leaves"},
                {"time", format_seconds(report.seconds)},
                {"out of bag", out_of_bag_text(forest, report)}},
               kFactWidth);
}

std::string record_training_json(const RecordForest& forest, std::size_t num_records, const RecordTrainReport& report,
                                 const std::filesystem::path& model) {
  const records::RecordSummary summary = summarize(forest);
  Json json = {{"schema_version", 1},
               {"model", model.string()},
               {"records", num_records},
               {"attributes", forest.attributes.size()},
               {"trees", forest.trees.size()},
               {"mean_depth", mean_depth(summary)},
               {"leaves", summary.num_leaves},
               {"seconds", report.seconds},
               {"options", Json::parse(forest.options_json)}};
  if (forest.has_classes())
    json["classes"] = forest.classes, json["out_of_bag_accuracy"] = or_null(report.out_of_bag);
  else
    json["targets"] = forest.targets, json["out_of_bag_r2"] = or_null(report.out_of_bag);
  return dump(json);
}

std::string record_evaluation_table(const RecordEvaluation& evaluation) {
  const Metrics metrics = compute_metrics(evaluation.confusion, {});
  const std::size_t num_records = metrics.labelled_pixels + metrics.void_pixels;
  TextTable table({left("class", 24), right("records", 12), right("accuracy", 10), right("precision", 10)});
  for (std::size_t c = 0; c < evaluation.classes.size(); ++c)
    table.row({evaluation.classes[c], format_count(evaluation.confusion.truth_pixels(c)),
               percent(metrics.class_accuracy[c], 2), percent(metrics.class_precision[c], 2)});
  return (evaluation.strategy.empty() ? "" : evaluation.strategy + "\n") +
         facts({{"records", format_count(metrics.labelled_pixels) + " with a class, " +
                                format_count(metrics.void_pixels) + " without"},
                {"accuracy", percent(metrics.without_void.pixel, 2) + " %, class average " +
                                 percent(metrics.without_void.class_average, 2) + " %"},
                {"time", evaluation_time("classes", num_records, evaluation.classify_s, evaluation.total_s)}},
               kFactWidth) +
         "\n" + table.text() +
         (evaluation.classes.size() <= kMaxConfusionClasses ? confusion_rows(evaluation) : mistake_rows(evaluation));
}

std::string record_evaluation_json(const RecordEvaluation& evaluation) {
  const Metrics metrics = compute_metrics(evaluation.confusion, {});
  const auto num_records = static_cast<double>(metrics.labelled_pixels + metrics.void_pixels);
  Json json = {{"schema_version", 1},
               {"accuracy", metrics.without_void.pixel},
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

std::string value_evaluation_table(const ValueEvaluation& evaluation) {
  const records::ValueErrors& errors = evaluation.errors;
  const std::optional<double> r2 = errors.r2();
  const std::size_t num_records = errors.num_known() + errors.num_unknown();
  return (evaluation.strategy.empty() ? "" : evaluation.strategy + "\n") +
         facts({{"records", format_count(errors.num_known()) + " with a value, " + format_count(errors.num_unknown()) +
                                " without"},
                {"target", evaluation.target},
                {"RMSE", format_text("%.6g", errors.rmse())},
                {"MAE", format_text("%.6g", errors.mae())},
                {"R^2", r2 ? fixed(*r2, 4) : "not defined, the values are all equal or too large"},
                {"time", evaluation_time("values", num_records, evaluation.predict_s, evaluation.total_s)}},
               kFactWidth);
}

std::string value_evaluation_json(const ValueEvaluation& evaluation) {
  const records::ValueErrors& errors = evaluation.errors;
  const auto num_records = static_cast<double>(errors.num_known() + errors.num_unknown());
  Json json = {{"schema_version", 1},           {"rmse", errors.rmse()},
               {"mae", errors.mae()},           {"r2", or_null(errors.r2())},
               {"records", errors.num_known()}, {"unlabelled", errors.num_unknown()},
               {"target", evaluation.target},   {"predict_seconds", evaluation.predict_s},
               {"seconds", evaluation.total_s}, {"records_per_second", num_records / evaluation.predict_s}};
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
                {"classes", tree.has_classes() ? format_count(tree.classes.size()) : ""},
                {"target", tree.has_classes() ? "" : join(tree.targets, ", ")},
                {"tree", tree_text(report)},
                {"prequential", prequential_text(tree, report.prequential)},
                {"drift", drift_text(report.drift)},
                {"processes", processes},
                {"time", format_seconds(t.total_s)},
                {"  read", part(t.read_s)},
                {"  test", t.test_s > 0 ? part(t.test_s) : ""},
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
  return dump({{"schema_version", 1},
               {"model", model.string()},
               {"records", report.records},
               {"attributes", tree.attributes.size()},
               {"classes", tree.classes},
               {"targets", tree.targets},
               {"leaves", report.leaves},
               {"leaves_before_pruning", report.leaves_before_pruning},
               {"depth", report.depth},
               {"rounds", report.rounds},
               {"updates", report.updates},
               {"prequential", prequential_json(tree, report.prequential)},
               {"drift", drift_json(report.drift)},
               {"processes", training.processes},
               {"seconds",
                {{"total", t.total_s},
                 {"read", t.read_s},
                 {"test", t.test_s},
                 {"navigate", t.navigate_s},
                 {"update", t.update_s},
                 {"merge", t.merge_s},
                 {"communicate", t.communicate_s},
                 {"gain", t.gain_s},
                 {"checkpoint", t.checkpoint_s}}},
               {"options", Json::parse(tree.options_json)}});
}

}  // namespace fernwood::report
