// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "fernwood/core/text.h"
#include "fernwood/forest/summary.h"

namespace fernwood::forest {

namespace {

using Json = nlohmann::json;

std::string hex_color(image::Rgb color) { return format_text("#%02x%02x%02x", color.r, color.g, color.b); }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string tree_row(const std::string& name, const ForestSummary::TreeSummary& tree) {
  return format_text("%-6s %10zu %10zu %7d %12llu\n", name.c_str(), tree.nodes, tree.leaves, tree.depth,
                     static_cast<unsigned long long>(tree.samples));
}

/// "tree" rows; with context stages "stage.tree", the stage that labels last.
std::string tree_rows(const ForestSummary& summary) {
  std::string text = format_text("%-6s %10s %10s %7s %12s\n", "tree", "nodes", "leaves", "depth", "samples");
  std::vector<std::vector<ForestSummary::TreeSummary>> stages = summary.context_stages;
  stages.push_back(summary.trees);
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t k = 0; k < stages[s].size(); ++k)
      text += tree_row((stages.size() > 1 ? std::to_string(s + 1) + "." : "") + std::to_string(k + 1), stages[s][k]);
  return text;
}

std::string context_lines(const Forest& forest) {
  if (forest.context_stages.empty()) return "";
  const image::ChannelLayout& channels = forest.preparation.channels;
  std::vector<std::string> names;
  for (int c = channels.context_channel(); c < channels.num_channels(); ++c) names.push_back(channels.name(c));
  return format_text("\nstages    %zu, each after the first reads the classes' probabilities by the one before it",
                     forest.num_stages()) +
         "\ncontext   " + join(names);
}

std::string pair_rows(const ForestSummary& summary) {
  std::uint64_t total = 0;
  for (const ChannelPairUse& pair : summary.channel_pairs) total += pair.count;
  std::string text = "\nsplits by channel pair    share   by level, in percent of the level\n";
  for (const ChannelPairUse& pair : summary.channel_pairs) {
    text += format_text("%-24s %5.1f %%  ", pair_name(pair.channel_a, pair.channel_b).c_str(),
                        100.0 * static_cast<double>(pair.count) / static_cast<double>(total));
    for (std::size_t level = 0; level < pair.by_level.size() && level < 16; ++level)
      text += format_text("%4.0f", 100.0 * static_cast<double>(pair.by_level[level]) /
                                       static_cast<double>(std::max<std::uint64_t>(1, summary.splits_by_level[level])));
    text += "\n";
  }
  return text;
}

Json tree_list(const std::vector<ForestSummary::TreeSummary>& trees) {
  Json list = Json::array();
  for (const auto& tree : trees)
    list.push_back({{"nodes", tree.nodes}, {"leaves", tree.leaves}, {"depth", tree.depth}, {"samples", tree.samples}});
  return list;
}

}  // namespace

std::string class_weights_text(const Forest& forest) {
  std::string text;
  for (std::size_t c = 0; c < forest.leaves.class_weights.size(); ++c)
    text += (c > 0 ? ", " : "") + forest.classes.classes[c].name +
            format_text(" %.4g", static_cast<double>(forest.leaves.class_weights[c]));
  return text;
}

std::string summary_table(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  std::string text = tree_rows(summary) + "\nclasses   ";
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    text += (c > 0 ? ", " : "") + forest.classes.classes[c].name + " " + hex_color(forest.classes.classes[c].color);
  text += "\nkind      " + to_string(forest.kind);
  text += "\nchannels  " + join(forest.preparation.channels.set_names());
  text += context_lines(forest);
  text += "\nfilling   " + to_string(forest.preparation.depth_filling);
  if (forest.preparation.camera) text += "\ncamera    " + to_string(*forest.preparation.camera);
  if (!forest.leaves.class_weights.empty()) text += "\nweights   " + class_weights_text(forest);
  text +=
      "\noptions   " + forest.options_json + "\ndata      " + forest.provenance_json + "\nchecksum  " + checksum + "\n";
  if (!summary.channel_pairs.empty()) text += pair_rows(summary);
  return text;
}

std::string summary_json(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  Json json = {{"schema_version", 1},
               {"checksum", checksum},
               {"kind", to_string(forest.kind)},
               {"channels", forest.preparation.channels.set_names()},
               {"depth_filling", to_string(forest.preparation.depth_filling)},
               {"reweight", forest.leaves.reweight},
               {"histogram_bias", forest.leaves.histogram_bias},
               {"class_weights", forest.leaves.class_weights.empty() ? Json() : Json(forest.leaves.class_weights)},
               {"options", Json::parse(forest.options_json)},
               {"provenance", Json::parse(forest.provenance_json)},
               {"splits_by_level", summary.splits_by_level},
               {"num_trees", summary.trees.size()},
               {"classes", Json::array()},
               {"context_stages", Json::array()},
               {"trees", tree_list(summary.trees)},
               {"feature_use", Json::array()}};
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    json["classes"].push_back({{"name", forest.classes.classes[c].name},
                               {"color", hex_color(forest.classes.classes[c].color)},
                               {"pixels", forest.class_pixels[c]}});
  for (const auto& stage : summary.context_stages) json["context_stages"].push_back(tree_list(stage));
  for (const ChannelPairUse& pair : summary.channel_pairs)
    json["feature_use"].push_back({{"channel_a", pair.channel_a},
                                   {"channel_b", pair.channel_b.empty() ? Json() : Json(pair.channel_b)},
                                   {"count", pair.count},
                                   {"by_level", pair.by_level}});
  return json.dump(2) + "\n";
}

}  // namespace fernwood::forest
