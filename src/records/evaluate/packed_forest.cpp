// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/packed_forest.h"

#include <bit>

namespace fernwood::records {

namespace {

PackedNode pack_node(const FlatForest& flat, const FlatTree& tree, std::uint32_t slot, const RankTable* ranks,
                     bool rank_thresholds, const PackedBits& bits) {
  const FlatNode& node = flat.nodes[tree.first_slot + slot];
  const std::uint32_t attribute = flat.bits.attribute(node.link);
  const std::uint32_t name = ranks ? ranks->slot_of(attribute) : attribute;
  const std::uint32_t payload = rank_thresholds ? ranks->rank_of_threshold(name, node.threshold)
                                                : static_cast<std::uint32_t>(bits_of(node.threshold));
  return {payload, bits.pack(name, flat.bits.nan_left(node.link), flat.bits.child(node.link))};
}

}  // namespace

std::string packed_obstacle(const EvaluationModel& model, Values values) {
  if (values == Values::kFloat) return "";
  if (model.ranks.attributes.empty())
    return "its trees ask no attribute, so that there are no ranks; give --values float";
  for (const RankedAttribute& ranked : model.ranks.attributes)
    if (ranked.nan_rank == kNanRankUnknown)
      return "its tests on attribute " + model.forest.attributes[ranked.attribute] +
             " do not agree where unknown values go, so that these have no rank; give --values float";
  return "";
}

PackedForest pack(const EvaluationModel& model, Values values, AttributeNames names) {
  const FlatForest& flat = model.flat;
  const bool rank_thresholds = values == Values::kRanks;
  const RankTable* ranks = rank_thresholds || names == AttributeNames::kSlot ? &model.ranks : nullptr;
  PackedForest packed;
  packed.bits = {flat.bits.attribute_bits};
  packed.nodes.reserve(flat.nodes.size());
  for (std::size_t t = 0; t < flat.trees.size(); ++t) {
    const std::vector<RecordNode>& nodes = model.forest.trees[t].nodes;
    const FlatTree& tree = flat.trees[t];
    packed.nodes.push_back({0, kPackedLeaf});  // beside the root
    for (std::uint32_t slot = kRootSlot; slot < tree.num_slots; ++slot)
      packed.nodes.push_back(
          nodes[slot - kRootSlot].is_leaf()
              ? PackedNode{static_cast<std::uint32_t>(flat.answers[tree.first_slot + slot]), kPackedLeaf}
              : pack_node(flat, tree, slot, ranks, rank_thresholds, packed.bits));
  }
  return packed;
}

}  // namespace fernwood::records
