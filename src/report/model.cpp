// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// What a model holds, which channels it needs, and whether all ways to label with it agree.

#include <algorithm>

#include "core/result_json.h"
#include "core/text_table.h"
#include "dataset/dataset_folder.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::report {

using evaluate::ImportanceReport, evaluate::PermutationImportance;
using evaluate::VerifyReport, evaluate::WayResult;
using forest::ChannelPairUse, forest::Forest, forest::ForestSummary;
using Exchange = PermutationImportance::Exchange;

namespace {

constexpr std::size_t kMaxLevelsShown = 16;  // of the table of channel pairs

std::string classes_text(const image::ClassMap& classes) {
  std::vector<std::string> words;
  for (const image::ClassInfo& info : classes.classes) words.push_back(info.name + " " + dataset::to_hex(info.color));
  return join(words);
}

std::string things_text(const image::ClassMap& classes) {
  std::vector<std::string> things;
  for (const image::ClassInfo& info : classes.classes)
    if (info.is_thing()) things.push_back(info.name);
  return things.empty() ? "none" : join(things);
}

/// "tree" rows; for context stages "stage.tree", including the stage that labels last.
std::string tree_rows(const ForestSummary& summary) {
  TextTable table({left("tree", 6), right("nodes", 10), right("leaves", 10), right("depth", 7), right("samples", 12)});
  const auto& stages = summary.stages;
  for (std::size_t s = 0; s < stages.size(); ++s)
    add_first_and_last(table, stages[s].size(), "trees", [&](std::size_t k) {
      const ForestSummary::TreeSummary& tree = stages[s][k];
      table.row({(stages.size() > 1 ? std::to_string(s + 1) + "." : "") + std::to_string(k + 1),
                 std::to_string(tree.nodes), std::to_string(tree.leaves), std::to_string(tree.depth),
                 std::to_string(tree.samples)});
    });
  return table.text();
}

std::string stages_text(const Forest& forest) {
  if (forest.num_stages() < 2) return "";
  return std::to_string(forest.num_stages()) +
         ", each after the first reads the classes' probabilities by the one before it";
}

std::string context_text(const Forest& forest) {
  if (forest.num_stages() < 2) return "";
  const image::ChannelLayout& channels = forest.preparation.channels;
  std::vector<std::string> names;
  for (int c = channels.context_channel(); c < channels.num_channels(); ++c) names.push_back(channels.name(c));
  return join(names);
}

std::string pair_rows(const ForestSummary& summary) {
  if (summary.channel_pairs.empty()) return "";
  std::uint64_t total = 0;
  for (const ChannelPairUse& pair : summary.channel_pairs) total += pair.count;
  std::string text = "\nsplits by channel pair    share   by level, in percent of the level\n";
  for (const ChannelPairUse& pair : summary.channel_pairs) {
    text += format_text("%-24s %5.1f %%  ", pair_name(pair.channel_a, pair.channel_b).c_str(),
                        100 * fernwood::ratio(pair.count, total));
    for (std::size_t level = 0; level < std::min(pair.by_level.size(), kMaxLevelsShown); ++level)
      text += format_text("%4.0f", 100.0 * static_cast<double>(pair.by_level[level]) /
                                       static_cast<double>(std::max<std::uint64_t>(1, summary.splits_by_level[level])));
    text += "\n";
  }
  return text;
}

Json trees_json(const std::vector<ForestSummary::TreeSummary>& trees) {
  Json list = Json::array();
  for (const ForestSummary::TreeSummary& tree : trees)
    list.push_back({{"nodes", tree.nodes}, {"leaves", tree.leaves}, {"depth", tree.depth}, {"samples", tree.samples}});
  return list;
}

constexpr std::size_t kNameWidth = 36;

std::string exchange_name(const Exchange& exchange) {
  if (exchange.scale) return "scale (depth that divides offsets)";
  if (exchange.channels.size() == 1) return exchange.name;
  return exchange.name + " (" + join(exchange.channels) + ")";
}

std::string permutation_table(const PermutationImportance& permutation, const Painter& painter) {
  const Accuracy& intact = permutation.intact;
  TextTable table({left("exchanged between frames", kNameWidth), right("pixel %", 8), right("class %", 8),
                   right("pixel points", 13), right("class points", 13)},
                  painter);
  table.row({"nothing", percent(intact.pixel), percent(intact.class_average)});
  for (const Exchange& exchange : permutation.exchanged) {
    const Accuracy& now = exchange.accuracy;
    table.row({exchange_name(exchange), percent(now.pixel), percent(now.class_average),
               percent(now.pixel - intact.pixel), percent(now.class_average - intact.class_average)});
  }
  return table.text();
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

/// Comparison of a strategy with the first one; `is_first` marks that one.
TextCell comparison(const WayResult& way, bool is_first) {
  if (way.first)
    return {counted(way.num_different, "pixel") + (way.num_different == 1 ? " differs" : " differ") +
                ", first in frame " + way.first->frame + " at (" + std::to_string(way.first->x) + ", " +
                std::to_string(way.first->y) + "): " + way.first->values,
            "31"};
  if (is_first) return {"what the others are compared with", "2"};
  return {"identical", "32"};
}

const char* resolution_text(const image::MapSource& maps) {
  return maps.reduction() == 1 ? "full" : maps.reduction() == 2 ? "half" : "a quarter of the";
}

/// "lite0 at half resolution, 432 feature maps, 3.1 MiB of this file", or empty.
std::string backbone_text(const image::Preparation& preparation) {
  if (!preparation.maps) return "";
  const image::MapSource& maps = *preparation.maps;
  return maps.name() + " at " + resolution_text(maps) + " resolution, " + std::to_string(maps.num_maps()) +
         " feature maps, " + format_bytes(maps.bytes().size()) + " of this file";
}

/// "432, which come with each frame", or empty.
std::string supplied_text(const forest::Forest& forest) {
  const std::size_t num_maps = forest.preparation.supplied_maps.size();
  if (num_maps == 0) return "";
  const std::string text = std::to_string(num_maps) + ", which come with each frame";
  if (!forest.encoder) return text;
  const std::string options =
      forest.encoder->options_json == "{}" ? "" : ", opened with " + forest.encoder->options_json;
  return text + ", by the encoder " + forest.encoder->text() + options;
}

Json backbone_json(const image::Preparation& preparation) {
  if (!preparation.maps) return Json();
  const image::MapSource& maps = *preparation.maps;
  return {
      {"name", maps.name()}, {"maps", maps.num_maps()}, {"reduction", maps.reduction()}, {"checksum", maps.checksum()}};
}

}  // namespace

Json encoder_json(const forest::Forest& forest) {
  if (!forest.encoder) return Json();
  const encoder::EncoderInfo& encoder = *forest.encoder;
  return {{"name", encoder.name}, {"checksum", encoder.checksum}, {"options", Json::parse(encoder.options_json)}};
}

std::string maps_text(const image::Preparation& preparation) {
  std::vector<std::string> parts;
  if (preparation.maps)
    parts.push_back(std::to_string(preparation.num_backbone_maps()) + " of " + preparation.maps->name() + " at " +
                    resolution_text(*preparation.maps) + " resolution");
  if (!preparation.supplied_maps.empty())
    parts.push_back(std::to_string(preparation.num_supplied_maps()) + " that come with the frames");
  if (preparation.head) parts.push_back("the scores of a linear head");
  if (!parts.empty()) return join(parts);
  const std::vector<std::string> installed = backbone::backbone_names();
  if (std::ranges::find(installed, backbone::kDefaultBackbone) == installed.end())
    return "none; this build lacks the pretrained backbone lite0, which is worth most where frames are few: fernwood "
           "doctor";
  return "none; a pretrained backbone gives some, and is worth most where frames are few: --backbone lite0";
}

std::string model_table(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  const image::Preparation& preparation = forest.preparation;
  return tree_rows(summary) + "\n" +
         facts({{"classes", classes_text(forest.classes)},
                {"things", things_text(forest.classes)},
                {"kind", to_string(forest.kind)},
                {"channels", join(preparation.channels.set_names())},
                {"backbone", backbone_text(preparation)},
                {"maps", supplied_text(forest)},
                {"head", preparation.head ? "linear, a score of each class from all maps" : ""},
                {"stages", stages_text(forest)},
                {"context", context_text(forest)},
                {"filling", to_string(preparation.depth_filling)},
                {"camera", preparation.camera ? to_string(*preparation.camera) : ""},
                {"weights", named_numbers(forest.classes.names(), forest.leaves.class_weights)},
                {"label weights", named_numbers(forest.classes.names(), forest.label_weights.plain)},
                {"smoothed", named_numbers(forest.classes.names(), forest.label_weights.smoothed)},
                {"options", forest.options_json},
                {"data", forest.provenance_json},
                {"checksum", checksum}},
               15) +
         pair_rows(summary);
}

std::string model_json(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  const forest::LeafOptions& leaves = forest.leaves;
  Json json = {{"schema_version", 1},
               {"checksum", checksum},
               {"kind", to_string(forest.kind)},
               {"channels", forest.preparation.channels.set_names()},
               {"backbone", backbone_json(forest.preparation)},
               {"supplied_maps", forest.preparation.supplied_maps.size()},
               {"encoder", encoder_json(forest)},
               {"linear_head", forest.preparation.head != nullptr},
               {"depth_filling", to_string(forest.preparation.depth_filling)},
               {"reweight", leaves.reweight},
               {"class_weights", or_null(leaves.class_weights)},
               {"label_weights", or_null(forest.label_weights.plain)},
               {"label_weights_smoothed", or_null(forest.label_weights.smoothed)},
               {"options", Json::parse(forest.options_json)},
               {"provenance", Json::parse(forest.provenance_json)},
               {"splits_by_level", summary.splits_by_level},
               {"num_trees", summary.stages.back().size()},
               {"classes", Json::array()},
               {"context_stages", Json::array()},
               {"trees", trees_json(summary.stages.back())},
               {"feature_use", Json::array()}};
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    json["classes"].push_back({{"name", forest.classes.classes[c].name},
                               {"color", dataset::to_hex(forest.classes.classes[c].color)},
                               {"thing", forest.classes.classes[c].is_thing()},
                               {"pixels", forest.class_pixels[c]}});
  for (std::size_t s = 0; s + 1 < summary.stages.size(); ++s)
    json["context_stages"].push_back(trees_json(summary.stages[s]));
  for (const ChannelPairUse& pair : summary.channel_pairs)
    json["feature_use"].push_back({{"channel_a", pair.channel_a},
                                   {"channel_b", or_null(pair.channel_b)},
                                   {"count", pair.count},
                                   {"by_level", pair.by_level}});
  return dump(json);
}

std::string importance_table(const ImportanceReport& report, bool color) {
  return facts({{"model", report.model},
                {"data set", report.dataset},
                {"frames", format_count(report.permutation.num_frames)}},
               10) +
         "\n" + permutation_table(report.permutation, {color});
}

std::string importance_json(const ImportanceReport& report) {
  Json json = {{"schema_version", 1}, {"model", report.model}, {"dataset", report.dataset}};
  json.update(permuted_json(report.permutation));
  return dump(json);
}

std::string verification_table(const VerifyReport& report, bool color) {
  constexpr std::size_t kLongestComparison = 500;  // including names of frames, which are not shortened
  const Painter painter{color};
  TextTable table({left("device", 9), left("layout", 16), left("labels and probabilities", kLongestComparison)},
                  painter);
  for (const WayResult& way : report.ways)
    table.row({way.device, way.layout, comparison(way, &way == &report.ways.front())});
  if (!report.missing.empty()) table.line("");
  for (const std::string& sentence : report.missing) table.line(painter.paint(sentence, "33"));
  if (report.ways.size() == 1) table.line(painter.paint("there was nothing to compare with", "33"));
  return facts({{"model", report.model},
                {"data set", report.dataset},
                {"frames", format_count(report.num_frames) + ", " + counted(report.num_pixels, "pixel")}},
               10, painter) +
         "\n" + table.text();
}

std::string verification_json(const VerifyReport& report) {
  Json json = {{"schema_version", 1},         {"model", report.model},       {"dataset", report.dataset},
               {"frames", report.num_frames}, {"pixels", report.num_pixels}, {"identical", report.identical()},
               {"ways", Json::array()},       {"missing", report.missing}};
  for (const WayResult& way : report.ways) {
    Json first;
    if (way.first)
      first = {{"frame", way.first->frame}, {"x", way.first->x}, {"y", way.first->y}, {"values", way.first->values}};
    json["ways"].push_back({{"device", way.device},
                            {"layout", way.layout},
                            {"different_pixels", way.num_different},
                            {"first_difference", first}});
  }
  return dump(json);
}

ProcessorFacts processor_facts(const forest::GatherReport& gather) {
  const bool gathers = gather.choice == "gather";
  const std::string rates =
      format_text("%s: %.0f million responses per second with %s, %.0f with the other (%s, one core; ",
                  gather.choice.c_str(), 1e-6 * (gathers ? gather.gather_rate : gather.scalar_rate),
                  gathers ? "gather instructions" : "one load after another",
                  1e-6 * (gathers ? gather.scalar_rate : gather.gather_rate), gather.instruction_set.c_str());
  const Json json = {{"gather",
                      {{"choice", gather.choice},
                       {"instruction_set", gather.instruction_set},
                       {"gather_responses_per_second", gather.gather_rate},
                       {"scalar_responses_per_second", gather.scalar_rate},
                       {"remembered", gather.remembered}}}};
  return {{{"gather", rates + (gather.remembered ? "measured by an earlier run)" : "measured now)")}}, dump(json)};
}

}  // namespace fernwood::report
