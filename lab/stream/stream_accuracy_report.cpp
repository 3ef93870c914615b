// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/text.h"
#include "lab/records/timing.h"
#include "lab/stream/stream_accuracy_study.h"
#include "lab/stream/stream_study.h"
#include "shell/console.h"

namespace fernwood::lab {

namespace {

constexpr const char* kNone = "-";

std::string percent(double share) { return share > 0 ? format_text("%.2f", 100 * share) : kNone; }
std::string percent(const OrderSpread& spread) {
  return format_text("%.2f +- %.2f", 100 * spread.mean, 100 * spread.deviation);
}

std::string accuracy_table(const StreamAccuracyStudy& study, std::size_t row, const char* title) {
  std::string text =
      format_text("\n%s: accuracy on the test file, %%, %d records of a level for each node; %d %s\n", title,
                  row == 0 ? 100 : 200, study.options.repeats, study.options.repeats == 1 ? "order" : "orders");
  text += format_text("%-14s %7s %5s %7s %8s %15s %15s %15s %15s %8s\n", "", "records", "depth", "GSPDT", "CPU-SPDT",
                      "fresh", "Ben-Haim", "passes", "exact", "majority");
  for (const StreamAccuracySet& set : study.sets) {
    const OrderAccuracy& ours = set.accuracy[row];
    const PublishedSet::Accuracy& theirs = row == 0 ? set.published->of_100 : set.published->of_200;
    text += format_text("%-14s %7s %5d %7s %8s %15s %15s %15s %15s %8s\n", set.published->name,
                        format_count(set.used_records).c_str(), ours.depth, percent(theirs.gspdt).c_str(),
                        percent(theirs.cpu_spdt).c_str(), percent(ours.fresh).c_str(),
                        ours.ben_haim ? percent(*ours.ben_haim).c_str() : kNone, percent(ours.passes).c_str(),
                        percent(ours.exact).c_str(), percent(set.majority).c_str());
  }
  return text;
}

std::string training_table(const StreamAccuracyStudy& study) {
  std::string text = format_text(
      "\nTable 5.6: training, ms, and accuracy, %%; median of %d %s\n%-14s %8s %8s %8s %8s %8s %8s | %9s %8s %8s %8s "
      "%8s\n%-14s %8s %8s %8s %8s %8s %8s | %9s %8s %8s %8s %8s\n",
      study.options.repeats, study.options.repeats == 1 ? "run" : "runs", "", "", "GSPDT", "GSPDT", "CPU-", "", "",
      "whole", "", "", "depth", "", "", "records", "train", "program", "SPDT", "fresh", "passes", "file", "passes",
      "accuracy", "20", "accuracy");
  for (const StreamAccuracySet& set : study.sets) {
    const PublishedSet& theirs = *set.published;
    const auto ms = [](const TimedTree& tree) { return tree.report.times.total_s * 1e3; };
    text += format_text("%-14s %8s %8.0f %8.0f %8.0f %8.2f %8.2f | %9s %8.2f %8s %8.2f %8s\n", theirs.name,
                        format_count(set.used_records).c_str(), theirs.train_s * 1e3, theirs.program_s * 1e3,
                        theirs.cpu_spdt_s * 1e3, ms(set.fresh), ms(set.passes), format_count(set.train_records).c_str(),
                        ms(set.whole), percent(set.whole.accuracy).c_str(), ms(set.deep),
                        percent(set.deep.accuracy).c_str());
  }
  return text;
}

std::string shares_row(const std::string& name, const stream::StreamTimes& t) {
  const auto share = [&](double seconds) { return 100 * seconds / t.total_s; };
  return format_text("%-30s %8.2f %8.2f %8.2f %8.2f %8.2f\n", name.c_str(), share(t.navigate_s), share(t.update_s),
                     share(t.merge_s), share(t.gain_s), share(t.read_s));
}

std::string shares_table(const StreamAccuracyStudy& study) {
  std::string text = format_text(
      "\nTable 5.7: shares of the time, %%\n%-30s %8s %8s %8s %8s %8s\n"
      "GSPDT, page-blocks                 0.02    68.65    27.31     0.72     3.29 (sort)\n"
      "GSPDT, shuttle                     0.00    67.27    29.59     0.32     2.81 (sort)\n",
      "", "navigate", "update", "merge", "gain", "read");
  for (const StreamAccuracySet& set : study.sets) {
    const std::string name = set.published->name;
    if (name != "page-blocks" && name != "shuttle" && name != "skin") continue;
    text += shares_row(name + ", fresh", set.fresh.report.times);
    text += shares_row(name + ", passes, whole file", set.whole.report.times);
  }
  return text;
}

std::string curve_row(const char* name, const StreamAccuracySet& set, double DepthAccuracy::*way) {
  std::string text = format_text("  %-12s", name);
  for (const DepthAccuracy& point : set.curve) text += format_text(" %6.2f", 100 * (point.*way));
  return text + "\n";
}

std::string curves(const StreamAccuracyStudy& study) {
  std::string text =
      "\nFigures 5.1 and 5.2: accuracy on the test file by depth, %, trained on the whole file in a drawn order\n";
  for (const StreamAccuracySet& set : study.sets) {
    text += format_text("%-14s", set.published->name);
    for (const DepthAccuracy& point : set.curve) text += format_text(" %6d", point.depth);
    text += "\n" + curve_row("fresh, 100", set, &DepthAccuracy::fresh_100);
    text += curve_row("fresh, 200", set, &DepthAccuracy::fresh_200);
    text += curve_row("passes", set, &DepthAccuracy::passes) + curve_row("exact", set, &DepthAccuracy::exact);
  }
  return text;
}

std::string work_times(const StreamAccuracyStudy& study) {
  std::string text =
      "\nFigures 5.3, 5.4, 5.6: fresh, 100 records for a node, workers that share the records; merge, update, total; "
      "ms\n" +
      format_text("%-14s", "");
  for (const WorkTime& time : study.sets[0].by_workers)
    text += format_text(" %25s", (std::to_string(time.workers) + (time.workers == 1 ? " worker" : " workers")).c_str());
  for (const StreamAccuracySet& set : study.sets) {
    text += format_text("\n%-14s", set.published->name);
    for (const WorkTime& time : set.by_workers)
      text += format_text("    %6.3f %6.3f %8.2f", time.report.times.merge_s * 1e3, time.report.times.update_s * 1e3,
                          time.report.times.total_s * 1e3);
  }
  text += "\n\nFigure 5.5: fresh, one worker, by records for a node; update, ms, of records read\n" +
          format_text("%-14s", "");
  for (const WorkTime& time : study.sets[0].by_samples) text += format_text(" %20d", time.samples_per_leaf);
  for (const StreamAccuracySet& set : study.sets) {
    text += format_text("\n%-14s", set.published->name);
    for (const WorkTime& time : set.by_samples)
      text +=
          format_text("   %6.3f of %8s", time.report.times.update_s * 1e3, format_count(time.report.records).c_str());
  }
  return text + "\n";
}

nlohmann::ordered_json to_json(const OrderSpread& spread) {
  return {{"mean", spread.mean}, {"deviation", spread.deviation}};
}

nlohmann::ordered_json to_json(const TimedTree& tree) {
  return {{"seconds", times_json(tree.report.times)},
          {"records", tree.report.records},
          {"leaves", tree.report.leaves},
          {"depth", tree.report.depth},
          {"accuracy", tree.accuracy}};
}

nlohmann::ordered_json to_json(const OrderAccuracy& row) {
  return {{"samples_per_leaf", row.samples_per_leaf},
          {"depth", row.depth},
          {"fresh", to_json(row.fresh)},
          {"ben_haim", row.ben_haim ? to_json(*row.ben_haim) : nlohmann::ordered_json(nullptr)},
          {"passes", to_json(row.passes)},
          {"exact", to_json(row.exact)}};
}

nlohmann::ordered_json to_json(const std::vector<WorkTime>& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const WorkTime& time : times)
    json.push_back({{"workers", time.workers},
                    {"samples_per_leaf", time.samples_per_leaf},
                    {"records", time.report.records},
                    {"updates", time.report.updates},
                    {"seconds", times_json(time.report.times)}});
  return json;
}

nlohmann::ordered_json to_json(const StreamAccuracySet& set) {
  nlohmann::ordered_json curve = nlohmann::ordered_json::array();
  for (const DepthAccuracy& point : set.curve)
    curve.push_back({{"depth", point.depth},
                     {"fresh_100", point.fresh_100},
                     {"fresh_200", point.fresh_200},
                     {"passes", point.passes},
                     {"exact", point.exact}});
  return {{"name", set.published->name},
          {"train_records", set.train_records},
          {"used_records", set.used_records},
          {"test_records", set.test_records},
          {"majority", set.majority},
          {"accuracy", {to_json(set.accuracy[0]), to_json(set.accuracy[1])}},
          {"by_depth", curve},
          {"training",
           {{"fresh", to_json(set.fresh)},
            {"passes", to_json(set.passes)},
            {"whole", to_json(set.whole)},
            {"deep", to_json(set.deep)}}},
          {"by_workers", to_json(set.by_workers)},
          {"by_samples_per_leaf", to_json(set.by_samples)}};
}

}  // namespace

std::string stream_accuracy_study_text(const StreamAccuracyStudy& study) {
  std::string text = device_line(device_of(study.options.work), study.workers) + "\n";
  for (const std::string& name : study.missing) text += "no files of " + name + "\n";
  text += accuracy_table(study, 0, "Table 5.4") + accuracy_table(study, 1, "Table 5.5");
  return text + training_table(study) + shares_table(study) + curves(study) + work_times(study) +
         "\nGSPDT: GTX 980 Ti; CPU-SPDT: i7-6850K. Its accuracies are of other splits of the same sets. A tree grown "
         "in passes sees all\nrecords at each level, as CPU-SPDT does; fresh ones are seen once, as in GSPDT, until "
         "each "
         "leaf has had enough or the file ends.\n";
}

nlohmann::ordered_json stream_accuracy_study_json(const StreamAccuracyStudy& study) {
  nlohmann::ordered_json sets = nlohmann::ordered_json::array();
  for (const StreamAccuracySet& set : study.sets) sets.push_back(to_json(set));
  return {{"benchmark", "stream-accuracy"},
          {"device", device_line(device_of(study.options.work), study.workers)},
          {"workers", study.workers},
          {"repeats", study.options.repeats},
          {"seed", study.options.seed},
          {"missing", study.missing},
          {"sets", sets}};
}

}  // namespace fernwood::lab
