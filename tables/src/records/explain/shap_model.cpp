// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/shap_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

/// An element of the path above a group. Its index is its bit in patterns.
struct PathElement {
  std::uint32_t player;
  double share;
};

/// Values of leaves for explanations: floating-point values if present, otherwise whole numbers times their unit. Of a
/// linear leaf, the value for records that lack a value in its terms.
class LeafValues {
 public:
  LeafValues(const RecordTree& tree, int fraction_bits) : tree_(tree), unit_(std::ldexp(1.0, -fraction_bits)) {}

  double at(std::size_t leaf, std::size_t k) const {
    if (!tree_.linear_leaves.empty() && tree_.linear_leaves[leaf].terms.empty())
      return tree_.linear_leaves[leaf].constant;
    return tree_.float_values.size() > 0 ? tree_.float_values(leaf, k) : tree_.leaf_values(leaf, k) * unit_;
  }

 private:
  const RecordTree& tree_;
  double unit_;
};

/// Indices in ShapForest of each column of read_columns().
struct ColumnPlaces {
  std::vector<std::uint32_t> column, player;
};

/// Converts a tree to steps and groups, from the root down.
class ShapTreeBuilder {
 public:
  ShapTreeBuilder(const RecordTree& tree, int fraction_bits, std::size_t index, const ColumnPlaces& places,
                  ShapForest& forest)
      : tree_(tree), values_(tree, fraction_bits), index_(index), places_(places), forest_(forest) {}

  void build() {
    const std::size_t first_step = forest_.steps.size(), first_group = forest_.groups.size();
    count_tests();
    add_expected();
    if (!tree_.nodes[0].is_leaf()) visit(0, 0);
    const auto begin = forest_.groups.begin() + static_cast<std::ptrdiff_t>(first_group);
    const auto is_wide = [](const ShapGroup& group) { return group.num_bits > 32; };
    forest_.trees.push_back(
        {static_cast<std::uint32_t>(first_step), static_cast<std::uint32_t>(forest_.steps.size() - first_step),
         static_cast<std::uint32_t>(first_group), static_cast<std::uint32_t>(forest_.groups.size() - first_group),
         tree_.first_output, static_cast<std::uint32_t>(tree_.width()),
         std::any_of(begin, forest_.groups.end(), is_wide)});
  }

 private:
  const RecordNode& node(std::size_t index) const { return tree_.nodes[index]; }
  std::uint32_t player(std::size_t index) const { return places_.player[node(index).attribute]; }
  std::size_t child(std::size_t index, int side) const { return static_cast<std::size_t>(node(index).child + side); }
  /// Share of the training records of a node that went to a side; 0 for a node that no record reached.
  double share(std::size_t index, int side) const {
    return !tree_.covers.empty() && tree_.covers[index] > 0 ? tree_.covers[child(index, side)] / tree_.covers[index]
                                                            : 0;
  }

  void count_tests() {
    num_tests_.assign(tree_.nodes.size(), 0);
    for (std::size_t i = tree_.nodes.size(); i-- > 0;)
      if (!node(i).is_leaf()) num_tests_[i] = 1 + num_tests_[child(i, 0)] + num_tests_[child(i, 1)];
  }

  void add_expected() {
    std::vector<double> shares(tree_.nodes.size(), 1.0);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (node(i).is_leaf()) {
        for (std::size_t k = 0; k < tree_.width(); ++k)
          forest_.expected[tree_.first_output + k] +=
              shares[i] * values_.at(static_cast<std::size_t>(node(i).leaf_index()), k);
        continue;
      }
      for (const int side : {0, 1}) shares[child(i, side)] = shares[i] * share(i, side);
    }
  }

  /// @param level  Of the node's patterns, which have the bits of path_.
  void visit(std::size_t index, std::uint32_t level) {
    FW_CHECK(path_.size() < kMaxPathElements, Model,
             "tree " << index_ << " has a test below those of " << kMaxPathElements
                     << " attributes; Shapley values are found for paths of up to " << kMaxPathElements
                     << ", train with a smaller depth or fewer attributes");
    forest_.num_levels = std::max<std::size_t>(forest_.num_levels, level + 2);
    if (fits_group(index)) return add_group(index, level, true);
    const bool has_leaf = node(child(index, 0)).is_leaf() || node(child(index, 1)).is_leaf();
    if (has_leaf) add_group(index, level, false);
    for (const int side : {0, 1})
      if (!node(child(index, side)).is_leaf()) visit_child(index, side, level);
  }

  void visit_child(std::size_t index, int side, std::uint32_t level) {
    const auto known = std::ranges::find(path_, player(index), &PathElement::player);
    const auto place = known - path_.begin();
    const std::uint64_t others = ~(std::uint64_t{1} << place);
    add_step(index, level, level + 1, side == 0 ? ~std::uint64_t{0} : others, side == 0 ? others : ~std::uint64_t{0});
    const bool is_new = known == path_.end();
    if (is_new) path_.push_back({player(index), 1.0});
    const double before = path_[static_cast<std::size_t>(place)].share;
    path_[static_cast<std::size_t>(place)].share = before * share(index, side);
    visit(child(index, side), level + 1);
    path_[static_cast<std::size_t>(place)].share = before;
    if (is_new) path_.pop_back();
  }

  bool fits_group(std::size_t index) const {
    if (path_.size() + num_tests_[index] > kMaxGroupBits) return false;
    std::set<std::uint32_t> players;
    for (const PathElement& element : path_) players.insert(element.player);
    std::vector<std::size_t> open = {index};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (node(next).is_leaf()) continue;
      players.insert(player(next));
      open.insert(open.end(), {child(next, 0), child(next, 1)});
    }
    return players.size() <= kMaxGroupSlots;
  }

  void add_step(std::size_t index, std::uint32_t from_level, std::uint32_t to_level, std::uint64_t left_mask,
                std::uint64_t right_mask) {
    const std::uint32_t column = places_.column[node(index).attribute];
    forest_.steps.push_back(
        {from_level, to_level, column, node(index).threshold, node(index).nan_left, left_mask, right_mask, -1});
  }

  /// @param whole  Add all leaves below the node; otherwise only its children that are leaves.
  void add_group(std::size_t root, std::uint32_t level, bool whole) {
    const auto first_leaf = static_cast<std::uint32_t>(forest_.leaves.size());
    first_slot_ = forest_.slots.size();
    num_bits_ = path_.size() + (whole ? num_tests_[root] : 1);
    next_bit_ = path_.size();
    elements_.clear();
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      forest_.slots.push_back(path_[i].player);
      elements_.push_back({bit, bit, path_[i].share, static_cast<std::uint32_t>(i)});
    }
    add_leaves_below(root, level, level, whole);
    forest_.steps.back().group = static_cast<std::int32_t>(forest_.groups.size());
    forest_.groups.push_back({static_cast<std::uint32_t>(num_bits_), first_leaf,
                              static_cast<std::uint32_t>(forest_.leaves.size()) - first_leaf,
                              static_cast<std::uint32_t>(first_slot_),
                              static_cast<std::uint32_t>(forest_.slots.size() - first_slot_)});
  }

  /// @param from_level  Level of the patterns that the test narrows.
  void add_leaves_below(std::size_t index, std::uint32_t from_level, std::uint32_t level, bool whole) {
    const std::uint64_t bit = std::uint64_t{1} << next_bit_++;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - num_bits_);
    add_step(index, from_level, level + 1, all, all & ~bit);
    for (const int side : {0, 1}) {
      const std::size_t next = child(index, side);
      if (!whole && !node(next).is_leaf()) continue;
      const std::vector<ShapElement> before = elements_;
      require(slot_of(player(index)), bit, side == 0 ? bit : 0, share(index, side));
      if (node(next).is_leaf())
        add_leaf(static_cast<std::size_t>(node(next).leaf_index()));
      else
        add_leaves_below(next, level + 1, level, whole);
      elements_ = before;
    }
  }

  std::uint32_t slot_of(std::uint32_t player) {
    const auto first = forest_.slots.begin() + static_cast<std::ptrdiff_t>(first_slot_);
    const auto found = std::find(first, forest_.slots.end(), player);
    const auto slot = static_cast<std::uint32_t>(found - first);
    if (found == forest_.slots.end()) forest_.slots.push_back(player);
    return slot;
  }

  void require(std::uint32_t slot, std::uint64_t bit, std::uint64_t wanted, double share) {
    const auto known = std::ranges::find(elements_, slot, &ShapElement::slot);
    if (known == elements_.end()) {
      elements_.push_back({bit, wanted, share, slot});
    } else {
      known->mask |= bit;
      known->wanted |= wanted;
      known->share *= share;
    }
  }

  void add_leaf(std::size_t leaf) {
    const std::size_t first_value = forest_.leaf_values.size();
    bool is_zero = true;
    for (std::size_t k = 0; k < tree_.width(); ++k) {
      forest_.leaf_values.push_back(values_.at(leaf, k));
      is_zero = is_zero && forest_.leaf_values.back() == 0;
    }
    if (is_zero) return forest_.leaf_values.resize(first_value);
    forest_.leaves.push_back({static_cast<std::uint32_t>(forest_.elements.size()),
                              static_cast<std::uint32_t>(elements_.size()), static_cast<std::uint32_t>(first_value)});
    forest_.elements.insert(forest_.elements.end(), elements_.begin(), elements_.end());
  }

  const RecordTree& tree_;
  const LeafValues values_;
  const std::size_t index_;
  const ColumnPlaces& places_;
  ShapForest& forest_;
  std::vector<std::size_t> num_tests_;  ///< [node] Number of tests in its subtree.
  std::vector<PathElement> path_;
  // Of the current group.
  std::size_t first_slot_ = 0, num_bits_ = 0, next_bit_ = 0;
  std::vector<ShapElement> elements_;
};

}  // namespace

std::uint32_t place_of_player(const ShapForest& forest, const ShapPlayer& player) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(forest.players, player) - forest.players.begin());
}

std::vector<ShapPlayer> players_of_columns(const RecordForest& forest) {
  std::vector<ShapPlayer> players;
  for (std::size_t a = 0; a < forest.attributes.size(); ++a) players.push_back({static_cast<std::uint16_t>(a)});
  for (const CategorySet& set : forest.columns.sets) players.push_back({set.bounds.attribute});
  for (const CategoryTable& table : forest.columns.tables) {
    const bool has_categories = std::ranges::count(table.parts, KeyKind::kCategory, &KeyPart::kind) > 0;
    ShapPlayer player;
    for (const KeyPart& part : table.parts)
      if (part.kind == KeyKind::kCategory || !has_categories) player.push_back(part.attribute);
    std::ranges::sort(player);
    player.erase(std::unique(player.begin(), player.end()), player.end());
    players.insert(players.end(), table.num_columns(), player);
  }
  return players;
}

ShapForest make_shap_forest(const RecordForest& forest, bool needs_covers) {
  ShapForest result;
  result.expected.assign(forest.num_outputs(), 0.0);
  const std::vector<ShapPlayer> players = players_of_columns(forest);
  std::vector<bool> is_tested(players.size(), false);
  std::set<ShapPlayer> known;
  for (const RecordTree& tree : forest.trees) {
    for (const RecordNode& node : tree.nodes)
      if (!node.is_leaf()) is_tested[node.attribute] = true;
    for (const LinearLeaf& leaf : tree.linear_leaves)
      for (const LinearLeaf::Term& term : leaf.terms) known.insert(players[term.attribute]);
  }
  for (std::size_t c = 0; c < players.size(); ++c)
    if (is_tested[c]) known.insert(players[c]);
  result.players.assign(known.begin(), known.end());
  ColumnPlaces places{std::vector<std::uint32_t>(players.size(), 0), std::vector<std::uint32_t>(players.size(), 0)};
  for (std::uint32_t c = 0; c < players.size(); ++c) {
    if (!is_tested[c]) continue;
    places.column[c] = static_cast<std::uint32_t>(result.columns.size());
    result.columns.push_back(c);
    places.player[c] = place_of_player(result, players[c]);
  }
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const RecordTree& tree = forest.trees[t];
    FW_CHECK(!needs_covers || !tree.covers.empty(), Model,
             "tree " << t
                     << " does not know how many training records reached its nodes (covers), which Shapley values "
                     << "need; pass background records, or train or import the forest again");
    FW_CHECK(tree.depth() < kMaxShapLevels, Model,
             "tree " << t << " has " << tree.depth() << " levels; Shapley values are found for trees of less than "
                     << kMaxShapLevels << ", train with a smaller depth");
    ShapTreeBuilder(tree, forest.fraction_bits, t, places, result).build();
  }
  return result;
}

}  // namespace fernwood::records
