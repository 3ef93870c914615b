// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/heap_forest.h"

namespace fernwood::records {

namespace {

constexpr std::uint32_t kMostDepth = 12;  // 4095 tests, of which a lopsided tree has few
constexpr std::size_t kMostWords = std::size_t{1} << 26;

/// Fills one tree.
class HeapFiller {
 public:
  HeapFiller(const PackedForest& packed, std::uint32_t first_slot, std::uint32_t depth, bool ranks,
             std::uint32_t* words)
      : packed_(packed), first_slot_(first_slot), depth_(depth), ranks_(ranks), words_(words) {}

  void fill(std::uint32_t slot, std::uint32_t place, std::uint32_t level) {
    const PackedNode& node = packed_.nodes[first_slot_ + slot];
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

  void write_test(const PackedNode& node, std::uint32_t place) {
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

std::string heap_obstacle(const EvaluationModel& model) {
  if (!model.rank_obstacle.empty()) return model.rank_obstacle;
  if (model.flat.depth > kMostDepth)
    return "a tree has " + std::to_string(model.flat.depth) + " levels, and trees are filled up to " +
           std::to_string(kMostDepth);
  std::size_t num_words = 0;
  for (const FlatTree& tree : model.flat.trees) num_words += heap_words(tree.depth, Values::kFloat);
  return num_words <= kMostWords ? "" : "its trees, filled up, take too much memory";
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

}  // namespace fernwood::records
