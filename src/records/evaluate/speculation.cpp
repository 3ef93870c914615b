// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/speculation.h"

#include <algorithm>
#include <cmath>

#include "fernwood/core/text.h"
#include "fernwood/records/tuner.h"

namespace fernwood::records {

std::string speculation_obstacle(const EvaluationModel& model, Values values, std::size_t most_processors,
                                 bool with_leaves) {
  const std::string obstacle = packed_obstacle(model, values);
  if (!obstacle.empty()) return obstacle;
  if (model.forest.trees.size() != 1)
    return "it is for one tree, and the forest has " + std::to_string(model.forest.trees.size());
  const std::size_t num_nodes = model.forest.trees[0].nodes.size();
  const std::size_t processors = with_leaves ? num_nodes : num_nodes / 2;
  if (processors > most_processors)
    return "it needs " + std::to_string(processors) + " threads for a record, and a record group has at most " +
           std::to_string(most_processors);
  return "";
}

double speculation_bound(double mean_depth) { return 2 * mean_depth / (1 + std::log2(mean_depth)); }

std::string speculation_no_use(const EvaluationModel& model) {
  const auto tests = static_cast<double>(model.forest.trees[0].nodes.size() / 2);
  const double bound = speculation_bound(std::max(1u, model.flat.trees[0].depth));
  if (tests < bound) return "";
  return format_text("it pays below %.1f tests at this depth (Spencer, eq. 1), and there are %.0f", bound, tests);
}

SpeculativeTree speculative_tree(const EvaluationModel& model, Values values) {
  const PackedForest packed = pack(model, values, AttributeNames::kRecord);
  SpeculativeTree tree;
  tree.bits = packed.bits;
  tree.depth = model.flat.trees[0].depth;
  for (std::uint32_t slot = kRootSlot; slot < model.flat.trees[0].num_slots; ++slot) {
    const PackedNode& node = packed.nodes[slot];
    const auto index = static_cast<std::int32_t>(slot - kRootSlot);
    if (PackedBits::is_leaf(node.link)) {
      tree.nodes.push_back({0, 0});
      tree.child.push_back(index);
      tree.answers.push_back(static_cast<std::int32_t>(node.payload));
      continue;
    }
    tree.nodes.push_back(
        {node.payload, packed.bits.pack(packed.bits.attribute(node.link), packed.bits.nan_left(node.link), 0)});
    tree.child.push_back(static_cast<std::int32_t>(packed.bits.children(node.link) - kRootSlot));
    tree.answers.push_back(kNoAnswer);
    tree.tests.push_back(index);
  }
  return tree;
}

}  // namespace fernwood::records
