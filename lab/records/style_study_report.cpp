// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <map>

#include "fernwood/core/text.h"
#include "lab/records/style_study.h"
#include "shell/console.h"

namespace fernwood::lab {

namespace {

/// The paper's measurements on a GTX 1070 with 50 million records, in ms.
struct PublishedTime {
  const char* style;
  StyleInput input;
  int trees, depth;
  double ms;  ///< 0: the kernel did not run.
};

// The IF values in the paper's tables are those of its worst inputs; the best ones are from its logs.
constexpr PublishedTime kPublishedStyles[] = {
    {"IF", StyleInput::kBest, 1, 4, 1.99},      {"IF", StyleInput::kBest, 1, 5, 1.99},
    {"IF", StyleInput::kBest, 1, 6, 1.99},      {"IF", StyleInput::kBest, 1, 7, 2.00},
    {"IF", StyleInput::kBest, 1, 8, 1.99},      {"IF", StyleInput::kBest, 1, 9, 2.00},
    {"IF", StyleInput::kBest, 1, 10, 2.00},     {"IF", StyleInput::kWorst, 1, 3, 2.56},
    {"IF", StyleInput::kWorst, 1, 4, 3.52},     {"IF", StyleInput::kWorst, 1, 5, 6.54},
    {"IF", StyleInput::kWorst, 1, 6, 8.48},     {"IF", StyleInput::kWorst, 1, 7, 10.17},
    {"IF", StyleInput::kWorst, 1, 8, 13.0},     {"IF", StyleInput::kWorst, 1, 9, 15.7},
    {"IF", StyleInput::kWorst, 1, 10, 18.9},    {"IF", StyleInput::kWorst, 4, 3, 10.12},
    {"IF", StyleInput::kWorst, 4, 5, 21.32},    {"IF", StyleInput::kWorst, 4, 6, 34.42},
    {"IF", StyleInput::kWorst, 4, 7, 48.34},    {"IF", StyleInput::kWorst, 10, 5, 53.31},
    {"no-IF", StyleInput::kWorst, 1, 3, 1.99},  {"no-IF", StyleInput::kWorst, 1, 5, 3.62},
    {"no-IF", StyleInput::kWorst, 1, 6, 6.56},  {"no-IF", StyleInput::kWorst, 1, 7, 13.04},
    {"no-IF", StyleInput::kWorst, 1, 8, 25.9},  {"no-IF", StyleInput::kWorst, 1, 9, 84.0},
    {"no-IF", StyleInput::kWorst, 1, 10, 0},    {"no-IF", StyleInput::kWorst, 4, 3, 2.89},
    {"no-IF", StyleInput::kWorst, 4, 5, 10.23}, {"no-IF", StyleInput::kWorst, 4, 6, 21.62},
    {"no-IF", StyleInput::kWorst, 4, 7, 46.95}, {"no-IF", StyleInput::kWorst, 10, 5, 33.4},
    {"table", StyleInput::kWorst, 1, 3, 2.01},  {"table", StyleInput::kWorst, 1, 5, 5.39},
    {"table", StyleInput::kWorst, 1, 6, 7.57},  {"table", StyleInput::kWorst, 1, 7, 15.14},
    {"table", StyleInput::kWorst, 4, 3, 4.65},  {"table", StyleInput::kWorst, 4, 5, 14.32},
    {"table", StyleInput::kWorst, 4, 6, 25.87}, {"table", StyleInput::kWorst, 4, 7, 58.66}};

std::string row(const std::string& name, const std::vector<int>& depths, const std::map<int, std::string>& cells) {
  std::string text = format_text("%-32s", name.c_str());
  for (const int depth : depths) {
    const auto found = cells.find(depth);
    text += format_text(" %9s", found == cells.end() ? "" : found->second.c_str());
  }
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string published_rows(const StyleStudy& study, StyleInput input, int trees) {
  std::string text;
  for (const char* style : {"IF", "no-IF", "table"}) {
    std::map<int, std::string> cells;
    for (const PublishedTime& time : kPublishedStyles)
      if (std::string(time.style) == style && time.input == input && time.trees == trees)
        cells[time.depth] = time.ms > 0 ? format_text("%.2f", time.ms) : "failed";
    if (!cells.empty()) text += row(std::string("  Penha et al., ") + style, study.options.depths, cells);
  }
  return text;
}

std::string own_rows(const StyleStudy& study, StyleInput input, int trees) {
  std::vector<std::string> ways;
  std::map<std::string, std::map<int, std::string>> cells;
  for (const StyleTime& time : study.times) {
    if (time.input != input || time.trees != trees) continue;
    if (std::ranges::find(ways, time.way) == ways.end()) ways.push_back(time.way);
    cells[time.way][time.depth] = format_text("%.3f", time.seconds * 1e3);
  }
  std::string text;
  for (const std::string& way : ways) text += row("  " + way, study.options.depths, cells[way]);
  return text;
}

/// The fastest way for each depth, as a multiple of the copy's time.
std::string best_row(const StyleStudy& study, StyleInput input, int trees) {
  std::map<int, double> best;
  for (const StyleTime& time : study.times)
    if (time.input == input && time.trees == trees)
      best[time.depth] = best.count(time.depth) ? std::min(best[time.depth], time.seconds) : time.seconds;
  std::map<int, std::string> cells;
  for (const auto& [depth, seconds] : best) cells[depth] = format_text("%.2f", seconds / study.copy_seconds);
  return row("  fastest, in times of a copy", study.options.depths, cells);
}

}  // namespace

std::string style_study_text(const StyleStudy& study) {
  std::string text = format_count(study.options.num_records) + " records of one attribute, " +
                     device_line(study.options.timing.chosen_device(), study.options.timing.threads) +
                     "; ms, mean of " + std::to_string(study.options.timing.repeat) +
                     (study.options.timing.repeat == 1 ? " run\n" : " runs\n");
  if (study.copy_seconds > 0)
    text += format_text("a copy of the same bytes (a float in, a class out): %.3f ms\n", study.copy_seconds * 1e3);
  std::map<int, std::string> heads;
  for (const int depth : study.options.depths) heads[depth] = "depth " + std::to_string(depth);
  for (const int trees : study.options.trees)
    for (const StyleInput input : kStyleInputs) {
      text += "\n" + row(std::to_string(trees) + (trees == 1 ? " tree, " : " trees, ") + to_string(input) + " input",
                         study.options.depths, heads);
      text += published_rows(study, input, trees) + own_rows(study, input, trees);
      if (study.copy_seconds > 0) text += best_row(study, input, trees);
    }
  text +=
      "\nPenha et al.: GTX 1070, 50 million records. Every time was checked: the classes are those of the serial "
      "way.\n";
  return text;
}

nlohmann::json style_study_json(const StyleStudy& study) {
  nlohmann::json times = nlohmann::json::array();
  for (const StyleTime& time : study.times)
    times.push_back({{"strategy", time.way},
                     {"depth", time.depth},
                     {"trees", time.trees},
                     {"input", to_string(time.input)},
                     {"ms", time.seconds * 1e3}});
  return {{"benchmark", "styles"},
          {"records", study.options.num_records},
          {"device", device_line(study.options.timing.chosen_device(), study.options.timing.threads)},
          {"copy_ms", study.copy_seconds > 0 ? nlohmann::json(study.copy_seconds * 1e3) : nlohmann::json(nullptr)},
          {"times", times}};
}

}  // namespace fernwood::lab
