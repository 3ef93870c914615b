// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/packed_forest.h"

#include <algorithm>
#include <bit>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

namespace fernwood::records {

namespace {

PackedRecordNode pack_node(const FlatForest& flat, const FlatTree& tree, std::uint32_t slot, const RankTable* ranks,
                           bool rank_thresholds, const PackedBits& bits) {
  const FlatNode& node = flat.nodes[tree.first_slot + slot];
  const std::uint32_t attribute = flat.bits.attribute(node.link);
  const std::uint32_t name = ranks ? ranks->slot_of(attribute) : attribute;
  const std::uint32_t payload = rank_thresholds ? ranks->rank_of_threshold(name, node.threshold)
                                                : static_cast<std::uint32_t>(bits_of(node.threshold));
  return {payload, bits.pack(name, flat.bits.nan_left(node.link), flat.bits.child(node.link))};
}

}  // namespace

OptionSentence packed_unsupported(const EvaluationModel& model, Values values) {
  if (values == Values::kFloat) return "";
  if (model.ranks.attributes.empty())
    return "its trees ask no attribute, so that there are no ranks; use " + named_option("values", "float");
  for (const RankedAttribute& ranked : model.ranks.attributes)
    if (ranked.nan_rank == kNanRankUnknown)
      return "its tests on " + in_quotes(model.forest.attributes[ranked.attribute]) +
             " do not agree where unknown values go, so that these have no rank; use " +
             named_option("values", "float");
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
    packed.nodes.push_back({0, kPackedLeaf});  // the unused slot before the root
    for (std::uint32_t slot = kRootSlot; slot < tree.num_slots; ++slot)
      packed.nodes.push_back(
          nodes[slot - kRootSlot].is_leaf()
              ? PackedRecordNode{static_cast<std::uint32_t>(flat.answers[tree.first_slot + slot]), kPackedLeaf}
              : pack_node(flat, tree, slot, ranks, rank_thresholds, packed.bits));
  }
  return packed;
}

namespace {

constexpr std::uint32_t kMaxPackedDepth = 12;  // 4095 tests, of which a lopsided tree has few
constexpr std::size_t kMaxWords = std::size_t{1} << 26;

/// Fills the words of one tree.
class HeapFiller {
 public:
  HeapFiller(const PackedForest& packed, std::uint32_t first_slot, std::uint32_t depth, bool ranks,
             std::uint32_t* words)
      : packed_(packed), first_slot_(first_slot), depth_(depth), ranks_(ranks), words_(words) {}

  void fill(std::uint32_t slot, std::uint32_t place, std::uint32_t level) {
    const PackedRecordNode& node = packed_.nodes[first_slot_ + slot];
    if (level == depth_) {
      words_[num_tests() * test_words() + place - num_tests()] = node.payload;
      return;
    }
    const bool leaf = PackedBits::is_leaf(node.link);
    if (!leaf) write_test(node, place);
    const std::uint32_t left = leaf ? slot : packed_.bits.children(node.link);
    fill(left, 2 * place + 1, level + 1);
    fill(leaf ? slot : left + 1, 2 * place + 2, level + 1);
  }

 private:
  std::uint32_t num_tests() const { return (1u << depth_) - 1; }
  std::uint32_t test_words() const { return ranks_ ? kHeapTestWords<Ranks16> : kHeapTestWords<FloatsNanRight>; }

  void write_test(const PackedRecordNode& node, std::uint32_t place) {
    const std::uint32_t slot = packed_.bits.attribute(node.link);
    if (ranks_) {
      words_[place] = node.payload | slot << 16;
      return;
    }
    words_[2 * place] = node.payload;
    words_[2 * place + 1] = slot | static_cast<std::uint32_t>(packed_.bits.nan_left(node.link)) << 31;
  }

  const PackedForest& packed_;
  const std::uint32_t first_slot_, depth_;
  const bool ranks_;
  std::uint32_t* words_;
};

}  // namespace

std::uint32_t heap_words(std::uint32_t depth, Values values) {
  const std::uint32_t test_words = values == Values::kRanks ? kHeapTestWords<Ranks16> : kHeapTestWords<FloatsNanRight>;
  return ((((1u << depth) - 1) * test_words + (1u << depth)) + 3) / 4 * 4;
}

OptionSentence heap_unsupported(const EvaluationModel& model) {
  if (!model.ranks_unsupported.empty()) return model.ranks_unsupported;
  if (model.flat.depth > kMaxPackedDepth)
    return "a tree has " + std::to_string(model.flat.depth) + " levels, and trees are filled up to " +
           std::to_string(kMaxPackedDepth);
  std::size_t num_words = 0;
  for (const FlatTree& tree : model.flat.trees) num_words += heap_words(tree.depth, Values::kFloat);
  return num_words <= kMaxWords ? "" : "its trees, filled up, take too much memory";
}

HeapForest fill_up(const EvaluationModel& model, Values values) {
  const PackedForest packed = pack(model, values, AttributeNames::kSlot);
  HeapForest forest;
  for (const FlatTree& tree : model.flat.trees) {
    const auto first_word = static_cast<std::uint32_t>(forest.words.size());
    forest.trees.push_back({first_word, heap_words(tree.depth, values), tree.depth});
    forest.words.resize(first_word + forest.trees.back().num_words, 0);
    HeapFiller(packed, tree.first_slot, tree.depth, values == Values::kRanks, forest.words.data() + first_word)
        .fill(kRootSlot, 0, 0);
  }
  return forest;
}

OptionSentence speculation_unsupported(const EvaluationModel& model, Values values, std::size_t most_processors,
                                       bool with_leaves) {
  const OptionSentence unsupported_reason = packed_unsupported(model, values);
  if (!unsupported_reason.empty()) return unsupported_reason;
  if (model.forest.trees.size() != 1)
    return "it is for one tree, and the forest has " + std::to_string(model.forest.trees.size());
  const std::size_t num_nodes = model.forest.trees[0].nodes.size();
  const std::size_t processors = with_leaves ? num_nodes : num_nodes / 2;
  if (processors > most_processors)
    return "it needs " + std::to_string(processors) + " threads for a record, and a record group has at most " +
           std::to_string(most_processors);
  return "";
}

LaneTree lane_tree(const EvaluationModel& model, Values values) {
  const PackedForest packed = pack(model, values, AttributeNames::kRecord);
  const FlatTree& flat = model.flat.trees[0];
  const std::size_t num_lanes = std::max<std::size_t>(1, num_tests(model.forest));
  LaneTree tree{std::vector<LaneTest>(std::bit_ceil(num_lanes), LaneTest{{0, 0}, {~0, ~0}}),
                static_cast<std::uint32_t>(std::bit_width(std::max(1u, flat.depth) - 1)), packed.bits};
  std::vector<std::int32_t> leading_to(flat.num_slots);
  std::int32_t next_lane = 0;
  for (std::uint32_t slot = kRootSlot; slot < flat.num_slots; ++slot) {
    const PackedRecordNode& node = packed.nodes[slot];
    leading_to[slot] = PackedBits::is_leaf(node.link) ? ~static_cast<std::int32_t>(node.payload) : next_lane++;
  }
  if (next_lane == 0) tree.lanes[0].next[0] = tree.lanes[0].next[1] = leading_to[kRootSlot];
  for (std::uint32_t slot = kRootSlot; slot < flat.num_slots; ++slot) {
    const PackedRecordNode& node = packed.nodes[slot];
    if (PackedBits::is_leaf(node.link)) continue;
    const std::uint32_t left = packed.bits.children(node.link);
    tree.lanes[static_cast<std::size_t>(leading_to[slot])] = {node, {leading_to[left], leading_to[left + 1]}};
  }
  return tree;
}

}  // namespace fernwood::records
