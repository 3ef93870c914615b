// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "evaluate/format.h"
#include "fernwood/core/text.h"
#include "fernwood/evaluate/importance.h"
#include "fernwood/forest/summary.h"

namespace fernwood::evaluate {
namespace {

using Json = nlohmann::ordered_json;  // it writes NaN as null
using Exchange = PermutationImportance::Exchange;

constexpr int kNameWidth = 36;
constexpr std::size_t kMaxPairs = 12;

std::string without_blanks_behind(const std::string& text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

/// Writes with ANSI colours, or without.
auto painter(bool color) {
  return [color](const std::string& text, const char* code) {
    return color ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  };
}

std::string exchange_name(const Exchange& exchange) {
  if (exchange.scale) return "scale (depth that divides offsets)";
  if (exchange.channels.size() == 1) return exchange.name;
  std::string text = exchange.name + " (";
  for (const std::string& channel : exchange.channels) text += (text.ends_with("(") ? "" : ", ") + channel;
  return text + ")";
}

std::string permutation_text(const PermutationImportance& permutation, const auto& paint) {
  const auto row = [](const std::string& name, const std::string& a, const std::string& b, const std::string& c,
                      const std::string& d) {
    return without_blanks_behind(format_text("%-*s%9s%9s%14s%14s", kNameWidth, name.c_str(), a.c_str(), b.c_str(),
                                             c.c_str(), d.c_str())) +
           "\n";
  };
  const forest::Accuracy& intact = permutation.intact;
  std::string text = paint(row("exchanged between frames", "pixel %", "class %", "pixel points", "class points"), "1") +
                     row("nothing", percent(intact.pixel), percent(intact.class_average), "", "");
  for (const Exchange& exchange : permutation.exchanged) {
    const forest::Accuracy& now = exchange.accuracy;
    text += row(exchange_name(exchange), percent(now.pixel), percent(now.class_average),
                percent(now.pixel - intact.pixel), percent(now.class_average - intact.class_average));
  }
  return text;
}

std::string gain_text(const GainImportance& gain, const auto& paint) {
  const auto row = [](const std::string& name, const std::string& a, const std::string& b) {
    return without_blanks_behind(format_text("%-*s%9s%12s", kNameWidth, name.c_str(), a.c_str(), b.c_str())) + "\n";
  };
  std::string text = paint(row("information gained in training", "share %", ""), "1");
  for (const GainImportance::Channel& channel : gain.channels) text += row(channel.name, percent(channel.share), "");
  text += "\n" + paint(row("by channel pair", "share %", "splits"), "1");
  for (std::size_t i = 0; i < std::min(kMaxPairs, gain.pairs.size()); ++i) {
    const GainImportance::Pair& pair = gain.pairs[i];
    text += row(forest::pair_name(pair.channel_a, pair.channel_b), percent(pair.share), grouped(pair.splits));
  }
  if (gain.pairs.size() > kMaxPairs) text += std::to_string(gain.pairs.size() - kMaxPairs) + " more\n";
  return text;
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

/// File names need not be UTF-8, JSON must be.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string permutation_table(const PermutationImportance& permutation, bool color) {
  return permutation_text(permutation, painter(color));
}

std::string permutation_json(const PermutationImportance& permutation) { return dump(permuted_json(permutation)); }

std::string importance_table(const ImportanceReport& report, bool color) {
  std::string text;
  if (!report.model.empty()) text += "model     " + report.model + "\n";
  if (!report.dataset.empty()) text += "data set  " + report.dataset + "\n";
  return text + "frames    " + grouped(report.permutation.num_frames) + "\n\n" +
         permutation_text(report.permutation, painter(color)) + "\n" + gain_text(report.gain, painter(color));
}

std::string importance_json(const ImportanceReport& report) {
  Json json = {{"schema_version", 1}, {"model", report.model}, {"dataset", report.dataset}};
  json.update(permuted_json(report.permutation));
  Json channels = Json::array(), pairs = Json::array();
  for (const GainImportance::Channel& channel : report.gain.channels)
    channels.push_back({{"channel", channel.name}, {"share", channel.share}});
  for (const GainImportance::Pair& pair : report.gain.pairs)
    pairs.push_back({{"channel_a", pair.channel_a},
                     {"channel_b", pair.channel_b.empty() ? Json() : Json(pair.channel_b)},
                     {"splits", pair.splits},
                     {"share", pair.share}});
  json["gain"] = {{"channels", channels}, {"pairs", pairs}};
  return dump(json);
}

}  // namespace fernwood::evaluate
