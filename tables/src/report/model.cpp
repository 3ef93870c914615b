// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/text.h"
#include "fernwood/report/records.h"

namespace fernwood::report {

using records::RecordForest, records::RecordSummary;

namespace {

constexpr std::size_t kMaxAttributes = 12;  // names in tables; the JSON lists all

/// "17: a, b, c, ...".
std::string listed(std::vector<std::string> names) {
  const std::size_t count = names.size();
  if (count > kMaxAttributes) {
    names.resize(kMaxAttributes);
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
  for (std::size_t i = 0; i < std::min(summary.attributes.size(), kMaxAttributes); ++i) {
    const RecordSummary::AttributeUse& use = summary.attributes[i];
    if (use.splits == 0) break;
    if (text.empty()) text = "\nsplits by attribute      share\n";
    text += format_text("%-24s %5.1f %%\n", printable(use.name).c_str(), 100 * fernwood::ratio(use.splits, num_splits));
  }
  return text;
}

}  // namespace

std::string model_table(const RecordForest& forest, const RecordSummary& summary, const std::string& checksum) {
  return facts({{"kind", kRecordModel.holds},
                {"trees", format_text("%zu, %zu nodes, %zu leaves, depth ", summary.trees.size(), summary.num_nodes,
                                      summary.num_leaves) +
                              range(summary.min_depth, summary.max_depth)},
                {"classes", forest.has_classes() ? listed(forest.classes) : ""},
                {"targets", forest.has_classes() ? "" : listed(forest.targets)},
                {"attributes", listed(forest.attributes)},
                {"link", to_string(forest.link) + ", sums in " +
                             (forest.has_classes() ? "units of 2^-" + std::to_string(forest.fraction_bits)
                                                   : std::string("floating point"))},
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
               {"targets", forest.targets},
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
