// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/model.h"

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/report/description.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/text_table.h"

namespace fernwood::report {

using forest::ChannelPairUse, forest::Forest, forest::ForestSummary;
using records::RecordForest, records::RecordSummary;

namespace {

constexpr std::size_t kMaxLevelsShown = 16;  // of the table of channel pairs
constexpr std::size_t kMostAttributes = 12;  // names in tables of records; the JSON has all

std::string classes_text(const image::ClassMap& classes) {
  std::vector<std::string> words;
  for (const image::ClassInfo& info : classes.classes) words.push_back(info.name + " " + dataset::to_hex(info.color));
  return join(words);
}

/// "tree" rows; with context stages "stage.tree", the stage that labels last.
std::string tree_rows(const ForestSummary& summary) {
  TextTable table({left("tree", 6), right("nodes", 10), right("leaves", 10), right("depth", 7), right("samples", 12)});
  const auto& stages = summary.stages;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t k = 0; k < stages[s].size(); ++k) {
      const ForestSummary::TreeSummary& tree = stages[s][k];
      table.row({(stages.size() > 1 ? std::to_string(s + 1) + "." : "") + std::to_string(k + 1),
                 std::to_string(tree.nodes), std::to_string(tree.leaves), std::to_string(tree.depth),
                 std::to_string(tree.samples)});
    }
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
                        100 * forest::ratio(pair.count, total));
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

/// "17: a, b, c, ...".
std::string listed(std::vector<std::string> names) {
  const std::size_t count = names.size();
  if (count > kMostAttributes) {
    names.resize(kMostAttributes);
    names.emplace_back("...");
  }
  return std::to_string(count) + ": " + join(names);
}

std::string range(int min, int max) {
  return min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
}

std::string attribute_rows(const RecordSummary& summary) {
  std::string text;
  const std::size_t num_splits = summary.num_nodes - summary.num_leaves;
  for (std::size_t i = 0; i < std::min(summary.attributes.size(), kMostAttributes); ++i) {
    const RecordSummary::AttributeUse& use = summary.attributes[i];
    if (use.splits == 0) break;
    if (text.empty()) text = "\nsplits by attribute      share\n";
    text += format_text("%-24s %5.1f %%\n", use.name.c_str(), 100 * forest::ratio(use.splits, num_splits));
  }
  return text;
}

}  // namespace

std::string pair_name(const std::string& channel_a, const std::string& channel_b) {
  return channel_b.empty() ? channel_a : channel_a + " - " + channel_b;
}

std::string class_weights_text(const Forest& forest) {
  std::vector<std::string> words;
  for (std::size_t c = 0; c < forest.leaves.class_weights.size(); ++c)
    words.push_back(forest.classes.classes[c].name +
                    format_text(" %.4g", static_cast<double>(forest.leaves.class_weights[c])));
  return join(words);
}

std::string model_table(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  const image::Preparation& preparation = forest.preparation;
  return tree_rows(summary) + "\n" +
         facts({{"classes", classes_text(forest.classes)},
                {"kind", to_string(forest.kind)},
                {"channels", join(preparation.channels.set_names())},
                {"stages", stages_text(forest)},
                {"context", context_text(forest)},
                {"filling", to_string(preparation.depth_filling)},
                {"camera", preparation.camera ? to_string(*preparation.camera) : ""},
                {"weights", class_weights_text(forest)},
                {"options", forest.options_json},
                {"data", forest.provenance_json},
                {"checksum", checksum}},
               10) +
         pair_rows(summary);
}

std::string model_json(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  const forest::LeafOptions& leaves = forest.leaves;
  Json json = {{"schema_version", 1},
               {"checksum", checksum},
               {"kind", to_string(forest.kind)},
               {"channels", forest.preparation.channels.set_names()},
               {"depth_filling", to_string(forest.preparation.depth_filling)},
               {"reweight", leaves.reweight},
               {"histogram_bias", leaves.histogram_bias},
               {"class_weights", leaves.class_weights.empty() ? Json() : Json(leaves.class_weights)},
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

std::string model_table(const RecordForest& forest, const RecordSummary& summary, const std::string& checksum) {
  return facts({{"kind", kRecordModel.holds},
                {"trees", format_text("%zu, %zu nodes, %zu leaves, depth ", summary.trees.size(), summary.num_nodes,
                                      summary.num_leaves) +
                              range(summary.min_depth, summary.max_depth)},
                {"classes", listed(forest.classes)},
                {"attributes", listed(forest.attributes)},
                {"link", to_string(forest.link) + ", sums in units of 2^-" + std::to_string(forest.fraction_bits)},
                {"options", forest.options_json},
                {"data", forest.provenance_json},
                {"checksum", checksum}},
               12) +
         attribute_rows(summary);
}

std::string model_json(const RecordForest& forest, const RecordSummary& summary, const std::string& checksum) {
  Json json = {{"schema_version", 1},
               {"checksum", checksum},
               {"kind", "records"},
               {"classes", forest.classes},
               {"attributes", forest.attributes},
               {"link", to_string(forest.link)},
               {"fraction_bits", forest.fraction_bits},
               {"options", Json::parse(forest.options_json)},
               {"provenance", Json::parse(forest.provenance_json)},
               {"num_trees", summary.trees.size()},
               {"num_nodes", summary.num_nodes},
               {"num_leaves", summary.num_leaves},
               {"min_depth", summary.min_depth},
               {"max_depth", summary.max_depth},
               {"trees", Json::array()},
               {"attribute_use", Json::array()}};
  for (const RecordSummary::TreeSummary& tree : summary.trees)
    json["trees"].push_back({{"nodes", tree.nodes}, {"leaves", tree.leaves}, {"depth", tree.depth}});
  for (const RecordSummary::AttributeUse& use : summary.attributes)
    json["attribute_use"].push_back({{"name", use.name}, {"splits", use.splits}});
  return dump(json);
}

}  // namespace fernwood::report
