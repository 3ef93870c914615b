// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"
#include "lab/records/one_tree_study.h"
#include "shell/console.h"

namespace fernwood::lab {

namespace {

std::string cells(const RunTimes& times) {
  return format_text(" %9.1f %9.1f %9.1f %8.1f", times.mean * 1e6, times.least * 1e6, times.most * 1e6,
                     times.deviation * 1e6);
}

std::string times_table(const OneTreeStudy& study) {
  std::string text = format_text("%-38s %39s %39s\n", "", "outer, us", "inner, us");
  text += format_text("%-38s %9s %9s %9s %8s  %9s %9s %9s %8s\n", "", "mean", "least", "most", "sd", "mean", "least",
                      "most", "sd");
  text +=
      "Spencer (Core2 Duo E8600, Quadro 2000)\n"
      "  EvalTree, host                         1914.2    1900.5    2343.7     43.5\n"
      "  EvalTreeBySample, GPU                  3907.6    3794.2    4741.2     77.2      538.2     525.7     769.3     "
      "15.4\n"
      "  EvalTreeByNode, GPU                    3785.3    3685.2    4677.8     87.1      404.5     394.8     432.7     "
      "11.0\n";
  std::string device;
  for (const OneTreeTime& time : study.times) {
    if (device_line(time.device, 1) != device) text += (device = device_line(time.device, 1)) + "\n";
    const std::string name = time.way + (time.by_columns ? ", by columns" : "");
    text += format_text("  %-36s", name.c_str()) + cells(time.outer) + " " + cells(time.inner) + "\n";
  }
  return text;
}

std::string cases_table(const OneTreeStudy& study) {
  if (study.cases.empty())
    return "\nSpencer's condition for speculation is checked on a GPU only: run this with --device cuda.\n";
  std::string text =
      "\nSpencer's eq. (1): speculation wins where p < 2 d / (1 + log2 d); p tests, d mean depth of the records.\n" +
      format_text("  %-9s %-8s %4s %7s %7s %8s %14s %12s %8s %9s\n", "tree", "records", "p", "d", "bound", "expected",
                  "data-parallel", "speculative", "warp", "measured");
  for (const OneTreeCase& each : study.cases) {
    const bool expected = each.tests < each.bound, measured = each.speculative_us < each.data_parallel_us;
    text +=
        format_text("  %-9s %-8s %4d %7.2f %7.2f %8s %11.1f us %9.1f us %8s %9s\n", each.shape.c_str(),
                    each.ordered ? "ordered" : "random", each.tests, each.mean_depth, each.bound,
                    expected ? "wins" : "loses", each.data_parallel_us, each.speculative_us,
                    each.warp_us > 0 ? format_text("%.1f us", each.warp_us).c_str() : "-", measured ? "wins" : "loses");
  }
  return text;
}

}  // namespace

std::string one_tree_study_text(const OneTreeStudy& study) {
  return format_count(study.num_records) +
         format_text(" records of %zu attributes; a tree of %zu nodes, %zu leaves, depth %d; %d %s\n\n",
                     study.num_attributes, study.num_nodes, study.num_nodes / 2 + 1, study.depth,
                     study.options.timing.repeat, study.options.timing.repeat == 1 ? "run" : "runs") +
         times_table(study) + cases_table(study) +
         "\nEvery time was checked: the classes are those of the serial way.\n";
}

nlohmann::json one_tree_study_json(const OneTreeStudy& study) {
  nlohmann::json times = nlohmann::json::array(), cases = nlohmann::json::array();
  for (const OneTreeTime& time : study.times)
    times.push_back({{"device", device_line(time.device, 1)},
                     {"strategy", time.way},
                     {"by_columns", time.by_columns},
                     {"outer", to_json(time.outer)},
                     {"inner", to_json(time.inner)}});
  for (const OneTreeCase& each : study.cases)
    cases.push_back({{"tree", each.shape},
                     {"ordered", each.ordered},
                     {"tests", each.tests},
                     {"mean_depth", each.mean_depth},
                     {"bound", each.bound},
                     {"data_parallel_us", each.data_parallel_us},
                     {"speculative_us", each.speculative_us},
                     {"warp_us", each.warp_us}});
  return {{"benchmark", "one-tree"},
          {"records", study.num_records},
          {"attributes", study.num_attributes},
          {"nodes", study.num_nodes},
          {"depth", study.depth},
          {"times", times},
          {"cases", cases}};
}

}  // namespace fernwood::lab
