// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "fernwood/core/text.h"
#include "fernwood/forest/summary.h"

namespace fernwood {

namespace {

using Json = nlohmann::json;

std::string hex_color(Rgb color) { return format_text("#%02x%02x%02x", color.r, color.g, color.b); }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
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

}  // namespace

std::string summary_table(const Forest& forest, const ForestSummary& summary, const std::string& checksum) {
  std::string text = format_text("%-6s %10s %10s %7s %12s\n", "tree", "nodes", "leaves", "depth", "samples");
  for (std::size_t k = 0; k < summary.trees.size(); ++k) {
    const auto& tree = summary.trees[k];
    text += format_text("%-6zu %10zu %10zu %7d %12llu\n", k + 1, tree.nodes, tree.leaves, tree.depth,
                        static_cast<unsigned long long>(tree.samples));
  }
  text += "\nclasses   ";
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    text += (c > 0 ? ", " : "") + forest.classes.classes[c].name + " " + hex_color(forest.classes.classes[c].color);
  text += "\nkind      " + to_string(forest.kind);
  text += "\nchannels  " + join(forest.preparation.channels.set_names());
  text += "\nfilling   " + to_string(forest.preparation.depth_filling);
  if (forest.preparation.camera) text += "\ncamera    " + to_string(*forest.preparation.camera);
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
               {"options", Json::parse(forest.options_json)},
               {"provenance", Json::parse(forest.provenance_json)},
               {"splits_by_level", summary.splits_by_level},
               {"num_trees", summary.trees.size()},
               {"classes", Json::array()},
               {"trees", Json::array()},
               {"feature_use", Json::array()}};
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    json["classes"].push_back({{"name", forest.classes.classes[c].name},
                               {"color", hex_color(forest.classes.classes[c].color)},
                               {"pixels", forest.class_pixels[c]}});
  for (const auto& tree : summary.trees)
    json["trees"].push_back(
        {{"nodes", tree.nodes}, {"leaves", tree.leaves}, {"depth", tree.depth}, {"samples", tree.samples}});
  for (const ChannelPairUse& pair : summary.channel_pairs)
    json["feature_use"].push_back({{"channel_a", pair.channel_a},
                                   {"channel_b", pair.channel_b.empty() ? Json() : Json(pair.channel_b)},
                                   {"count", pair.count},
                                   {"by_level", pair.by_level}});
  return json.dump(2) + "\n";
}

}  // namespace fernwood
