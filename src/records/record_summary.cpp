// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fernwood/core/model_format.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostShown = 12;  // names in the table for people; the JSON has all

/// "17: a, b, c, …".
std::string counted(const std::vector<std::string>& names) {
  std::string text = std::to_string(names.size()) + ":";
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i) text += (i > 0 ? ", " : " ") + names[i];
  return text + (names.size() > kMostShown ? ", ..." : "");
}

std::string range(int min, int max) {
  return min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
}

std::string attribute_rows(const RecordSummary& summary) {
  std::string text;
  const std::size_t num_splits = summary.num_nodes - summary.num_leaves;
  for (std::size_t i = 0; i < std::min(summary.attributes.size(), kMostShown); ++i) {
    const RecordSummary::AttributeUse& use = summary.attributes[i];
    if (use.splits == 0) break;
    if (text.empty()) text = "\nsplits by attribute      share\n";
    text += format_text("%-24s %5.1f %%\n", use.name.c_str(),
                        100.0 * static_cast<double>(use.splits) / static_cast<double>(num_splits));
  }
  return text;
}

}  // namespace

RecordSummary summarize(const RecordForest& forest) {
  RecordSummary summary;
  for (const std::string& name : forest.attributes) summary.attributes.push_back({name, 0});
  for (const RecordTree& tree : forest.trees) {
    summary.trees.push_back({tree.nodes.size(), tree.num_leaves(), tree.depth()});
    summary.num_nodes += tree.nodes.size();
    summary.num_leaves += tree.num_leaves();
    for (const RecordNode& node : tree.nodes)
      if (!node.is_leaf()) ++summary.attributes[node.attribute].splits;
  }
  if (!summary.trees.empty()) {
    const auto [least, most] =
        std::ranges::minmax(summary.trees, {}, [](const RecordSummary::TreeSummary& tree) { return tree.depth; });
    summary.min_depth = least.depth;
    summary.max_depth = most.depth;
  }
  std::ranges::stable_sort(summary.attributes, std::greater(), &RecordSummary::AttributeUse::splits);
  return summary;
}

std::string summary_table(const RecordForest& forest, const RecordSummary& summary, const std::string& checksum) {
  std::string text = std::string("kind        ") + kRecordModel.holds;
  text += format_text("\ntrees       %zu, %zu nodes, %zu leaves, depth ", summary.trees.size(), summary.num_nodes,
                      summary.num_leaves);
  text += range(summary.min_depth, summary.max_depth);
  text += "\nclasses     " + counted(forest.classes);
  text += "\nattributes  " + counted(forest.attributes);
  text += "\nlink        " + to_string(forest.link) + ", sums in units of 2^-" + std::to_string(forest.fraction_bits);
  text += "\noptions     " + forest.options_json + "\ndata        " + forest.provenance_json;
  text += "\nchecksum    " + checksum + "\n";
  return text + attribute_rows(summary);
}

std::string summary_json(const RecordForest& forest, const RecordSummary& summary, const std::string& checksum) {
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
  return json.dump(2) + "\n";
}

}  // namespace fernwood::records
