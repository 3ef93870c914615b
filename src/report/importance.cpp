// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/report/evaluation.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/model.h"
#include "report/text_table.h"

namespace fernwood::report {

using evaluate::GainImportance, evaluate::ImportanceReport, evaluate::PermutationImportance;
using Exchange = PermutationImportance::Exchange;

namespace {

constexpr std::size_t kNameWidth = 36, kMaxPairs = 12;

std::string exchange_name(const Exchange& exchange) {
  if (exchange.scale) return "scale (depth that divides offsets)";
  if (exchange.channels.size() == 1) return exchange.name;
  return exchange.name + " (" + join(exchange.channels) + ")";
}

std::string gain_text(const GainImportance& gain, const Painter& painter) {
  TextTable channels({left("information gained in training", kNameWidth), right("share %", 8)}, painter);
  for (const GainImportance::Channel& channel : gain.channels) channels.row({channel.name, percent(channel.share)});
  TextTable pairs({left("by channel pair", kNameWidth), right("share %", 8), right("splits", 11)}, painter);
  for (std::size_t i = 0; i < std::min(kMaxPairs, gain.pairs.size()); ++i) {
    const GainImportance::Pair& pair = gain.pairs[i];
    pairs.row({pair_name(pair.channel_a, pair.channel_b), percent(pair.share), format_count(pair.splits)});
  }
  if (gain.pairs.size() > kMaxPairs) pairs.line(std::to_string(gain.pairs.size() - kMaxPairs) + " more");
  return channels.text() + "\n" + pairs.text();
}

Json permuted_json(const PermutationImportance& permutation) {
  Json exchanged = Json::array();
  for (const Exchange& exchange : permutation.exchanged)
    exchanged.push_back({{"name", exchange.name},
                         {"channels", exchange.channels},
                         {"pixel_accuracy", exchange.accuracy.pixel},
                         {"class_accuracy", exchange.accuracy.class_average},
                         {"pixel_drop", permutation.intact.pixel - exchange.accuracy.pixel},
                         {"class_drop", permutation.intact.class_average - exchange.accuracy.class_average}});
  return {{"frames", permutation.num_frames},
          {"pixel_accuracy", permutation.intact.pixel},
          {"class_accuracy", permutation.intact.class_average},
          {"exchanged", exchanged}};
}

}  // namespace

std::string permutation_table(const PermutationImportance& permutation, bool color) {
  const forest::Accuracy& intact = permutation.intact;
  TextTable table({left("exchanged between frames", kNameWidth), right("pixel %", 8), right("class %", 8),
                   right("pixel points", 13), right("class points", 13)},
                  {color});
  table.row({"nothing", percent(intact.pixel), percent(intact.class_average)});
  for (const Exchange& exchange : permutation.exchanged) {
    const forest::Accuracy& now = exchange.accuracy;
    table.row({exchange_name(exchange), percent(now.pixel), percent(now.class_average),
               percent(now.pixel - intact.pixel), percent(now.class_average - intact.class_average)});
  }
  return table.text();
}

std::string permutation_json(const PermutationImportance& permutation) { return dump(permuted_json(permutation)); }

std::string importance_table(const ImportanceReport& report, bool color) {
  return facts({{"model", report.model},
                {"data set", report.dataset},
                {"frames", format_count(report.permutation.num_frames)}},
               10) +
         "\n" + permutation_table(report.permutation, color) + "\n" + gain_text(report.gain, {color});
}

std::string importance_json(const ImportanceReport& report) {
  Json json = {{"schema_version", 1}, {"model", report.model}, {"dataset", report.dataset}};
  json.update(permuted_json(report.permutation));
  Json channels = Json::array(), pairs = Json::array();
  for (const GainImportance::Channel& channel : report.gain.channels)
    channels.push_back({{"channel", channel.name}, {"share", channel.share}});
  for (const GainImportance::Pair& pair : report.gain.pairs)
    pairs.push_back({{"channel_a", pair.channel_a},
                     {"channel_b", or_null(pair.channel_b)},
                     {"splits", pair.splits},
                     {"share", pair.share}});
  json["gain"] = {{"channels", channels}, {"pairs", pairs}};
  return dump(json);
}

}  // namespace fernwood::report
