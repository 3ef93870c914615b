// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>

#include "fernwood/core/text.h"
#include "lab/bench/filling.h"
#include "shell/console.h"

namespace fernwood::lab {

namespace {

using Json = nlohmann::json;

struct Measure {
  const char *key, *title;
  double Accuracy::*share;
};
constexpr Measure kMeasures[] = {{"pixel_accuracy", "pixel accuracy", &Accuracy::pixel},
                                 {"class_accuracy", "class accuracy", &Accuracy::class_average}};

Spread spread_at(const FillingResult& result, const Measure& measure, std::size_t train, std::size_t predict) {
  std::vector<double> shares;
  for (const FillingTable<Accuracy>& table : result.accuracy) shares.push_back(table[train][predict].*measure.share);
  return spread_of(shares);
}

std::string cell(const Spread& share, bool with_deviation) {
  if (!with_deviation) return format_text("%14.1f", 100 * share.mean);
  return format_text("%7.1f ± %4.1f", 100 * share.mean, 100 * share.deviation);
}

std::string header(const char* title) {
  std::string text = format_text("%-16s", title);
  for (const image::DepthFilling filling : image::kDepthFillings)
    text += format_text("%14s", to_string(filling).c_str());
  return text + "\n";
}

std::string table(const FillingResult& result, const Measure& measure) {
  std::string text = header(measure.title);
  for (std::size_t train = 0; train < kNumFillings; ++train) {
    text += format_text("%-16s", to_string(image::kDepthFillings[train]).c_str());
    for (std::size_t predict = 0; predict < kNumFillings; ++predict)
      text += cell(spread_at(result, measure, train, predict), result.seeds.size() > 1);
    text += "\n";
  }
  return text;
}

std::string data_line(const char* name, const FillingData& data) {
  return format_text("%-8s%zu %s, depth unknown at %.1f %% of the pixels: ", name, data.num_frames,
                     data.num_frames == 1 ? "frame" : "frames", 100 * data.unknown_share()) +
         data.folder + "\n";
}

Json data_json(const FillingData& data) {
  return {{"folder", data.folder}, {"frames", data.num_frames}, {"unknown_share", data.unknown_share()}};
}

/// [training][prediction] Table of the means or of the deviations.
Json table_json(const FillingResult& result, const Measure& measure, double Spread::*part) {
  Json rows = Json::array();
  for (std::size_t train = 0; train < kNumFillings; ++train) {
    Json row = Json::array();
    for (std::size_t predict = 0; predict < kNumFillings; ++predict)
      row.push_back(spread_at(result, measure, train, predict).*part);
    rows.push_back(row);
  }
  return rows;
}

Json fill_json(const FillingResult& result) {
  Json json;
  for (std::size_t f = 0; f < kNumFillings; ++f) json[to_string(image::kDepthFillings[f])] = result.fill[f].median();
  return json;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

std::string filling_text(const FillingResult& result) {
  std::string text = data_line("train", result.train) + data_line("test", result.test);
  text += "\npercent without void; rows: filling in training, columns: at prediction";
  if (result.seeds.size() > 1) text += format_text("; mean ± standard deviation of %zu seeds", result.seeds.size());
  text += "\n\n";
  for (const Measure& measure : kMeasures) text += table(result, measure) + "\n";
  text += header("filling a frame") + format_text("%-16s", "ms, one thread");
  for (const apps::Times& times : result.fill) text += format_text("%14.2f", times.median());
  return text + "\n";
}

std::string filling_json(const FillingResult& result) {
  Json json = {{"schema_version", 1},
               {"benchmark", "filling"},
               {"train", data_json(result.train)},
               {"test", data_json(result.test)},
               {"options", Json::parse(result.options_json)},
               {"seeds", result.seeds},
               {"fillings", Json::array()},
               {"fill_ms", fill_json(result)}};
  for (const image::DepthFilling filling : image::kDepthFillings) json["fillings"].push_back(to_string(filling));
  for (const Measure& measure : kMeasures) {
    json[measure.key] = table_json(result, measure, &Spread::mean);
    json[measure.key + std::string("_deviation")] = table_json(result, measure, &Spread::deviation);
  }
  return apps::json_result(json);
}

}  // namespace fernwood::lab
