// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/linear_shap.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fernwood/core/error.h"

namespace fernwood::records {

/// The games of a record, with one background record or none.
class LinearShap::Game {
 public:
  /// @param background  Index among `background_records`.
  Game(const LinearShap& shap, const LinearRecords& records, std::size_t record,
       const LinearRecords& background_records, std::size_t background, ShapEffects effects, ShapBlock& block)
      : shap_(shap),
        records_(records),
        others_(background_records),
        record_(record),
        other_(background),
        weight_(has_background() ? 1 / static_cast<double>(others_.columns.num_records) : 1),
        effects_(effects),
        block_(block) {}

  void add(const Tree& tree) {
    tree_ = &tree;
    elements_.clear();
    visit(0);
  }

 private:
  bool has_background() const { return others_.columns.num_records > 0; }

  static int side_at(const RecordNode& node, const LinearRecords& records, std::size_t record) {
    return side_of(node, records.columns.at(record, node.attribute));
  }

  void visit(std::size_t index) {
    if (!tree_->nodes[index].has_terms) return;
    const RecordTree& tree = tree_->tree;
    const RecordNode& node = tree.nodes[index];
    if (node.is_leaf()) return add_leaf(static_cast<std::size_t>(node.leaf_index()));
    const std::uint32_t player = shap_.player_of_[node.attribute];
    const int side = side_at(node, records_, record_);
    const auto left = static_cast<std::size_t>(node.child);
    for (const int to : {0, 1}) {
      const std::size_t child = left + static_cast<std::size_t>(to);
      const std::vector<std::uint32_t>& terms = tree_->nodes[child].all_terms;
      if (to != side && !has_background() && std::ranges::binary_search(terms, player)) continue;
      const double share = tree.covers.empty() || tree.covers[index] <= 0 ? 0 : tree.covers[child] / tree.covers[index];
      const std::vector<Element> before = elements_;
      Element& element = element_of(player);
      element.on *= to == side ? 1 : 0;
      element.off *= !has_background() ? share : side_at(node, others_, other_) == to ? 1 : 0;
      if (element.on != 0 || element.off != 0) visit(child);
      elements_ = before;
    }
  }

  Element& element_of(std::uint32_t player) {
    const auto known = std::ranges::find(elements_, player, &Element::player);
    if (known != elements_.end()) return *known;
    FW_CHECK(elements_.size() < kMaxPathElements, Model,
             "a linear leaf depends on more than "
                 << kMaxPathElements << " attributes; Shapley values are found for up to " << kMaxPathElements
                 << ", train with a smaller depth");
    elements_.push_back({player, 1.0, 1.0});
    return elements_.back();
  }

  /// A term's value, and 0 for magnitudes that the forest takes for 0.
  double value_of(const LinearRecords& records, std::size_t record, std::size_t attribute) const {
    const RecordView& view = records.attributes;
    const double value = view.exact ? view.exact[static_cast<std::ptrdiff_t>(record) * view.exact_record_step +
                                                 static_cast<std::ptrdiff_t>(attribute) * view.exact_attribute_step]
                                    : static_cast<double>(view.at(record, attribute));
    return std::abs(value) <= shap_.zero_ ? 0 : value;
  }

  void add_leaf(std::size_t leaf) {
    const LinearLeaf& function = tree_->tree.linear_leaves[leaf];
    const std::vector<Element> path = elements_;
    double value = function.constant - tree_->tree.float_values(leaf, 0);
    for (const LinearLeaf::Term& term : function.terms) {
      Element& element = element_of(shap_.player_of_[term.attribute]);
      const double own = value_of(records_, record_, term.attribute);
      const double others = has_background() ? value_of(others_, other_, term.attribute) : not_a_number();
      if (std::isnan(own)) element.on = 0;
      if (std::isnan(others)) element.off = 0;
      if (!has_background()) value += term.coefficient * own;
    }
    const bool is_reached =
        std::ranges::all_of(elements_, [](const Element& element) { return element.on != 0 || element.off != 0; });
    if (is_reached) add_games(function, value);
    elements_ = path;
  }

  void add_games(const LinearLeaf& function, double value) {
    add_game(value);
    if (!has_background()) return;
    for (const LinearLeaf::Term& term : function.terms) {
      Element& element = element_of(shap_.player_of_[term.attribute]);
      const Element before = element;
      const auto times = [](double factor, double number) { return factor == 0 ? 0 : factor * number; };
      element.on = times(element.on, value_of(records_, record_, term.attribute));
      element.off = times(element.off, value_of(others_, other_, term.attribute));
      add_game(term.coefficient);
      element = before;
    }
  }

  /// Adds the effects of the product game of all elements, as the kernels do for leaves without functions.
  void add_game(double value) {
    const std::size_t count = elements_.size();
    const GaussRule& rule = shap_.rules_[(count + 1) / 2 - 1];
    found_.assign(num_effects(effects_, count), 0.0);
    before_.resize(count);
    factors_.resize(count);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const double point = rule.points[q];
      double product = rule.weights[q];
      for (std::size_t i = 0; i < count; ++i) {
        before_[i] = product;
        factors_[i] = elements_[i].on * point + elements_[i].off * (1 - point);
        product *= factors_[i];
      }
      double behind = 1;
      for (std::size_t i = count; i-- > 0; behind *= factors_[i]) {
        if (effects_ == ShapEffects::kPlayers) found_[i] += before_[i] * behind;
        double between = behind;
        for (std::size_t j = i; effects_ == ShapEffects::kPairs && j-- > 0; between *= factors_[j])
          found_[pair_place(j, i)] += before_[j] * between;
      }
    }
    const std::size_t output = tree_->tree.first_output;
    for (std::size_t i = 0; i < count; ++i) {
      const double change = value * weight_ * (elements_[i].on - elements_[i].off);
      if (effects_ == ShapEffects::kPlayers) block_.sums(output, elements_[i].player)[record_] += change * found_[i];
      for (std::size_t j = 0; effects_ == ShapEffects::kPairs && j < i; ++j)
        block_.sums(output, pair_place(elements_[j].player, elements_[i].player))[record_] +=
            change * (elements_[j].on - elements_[j].off) * found_[pair_place(j, i)];
    }
  }

  const LinearShap& shap_;
  const LinearRecords &records_, &others_;
  const std::size_t record_, other_;
  const double weight_;
  const ShapEffects effects_;
  ShapBlock& block_;
  const Tree* tree_ = nullptr;
  std::vector<Element> elements_;
  std::vector<double> found_, before_, factors_;
};

LinearShap::LinearShap(const RecordForest& forest, const ShapForest& model)
    : zero_(forest.linear_zero), rules_(gauss_rules(kMaxPathElements / 2)) {
  for (const ShapPlayer& player : players_of_columns(forest)) player_of_.push_back(place_of_player(model, player));
  for (const RecordTree& tree : forest.trees) {
    if (tree.linear_leaves.empty()) continue;
    trees_.push_back({tree, std::vector<Node>(tree.nodes.size())});
    Tree& kept = trees_.back();
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      const RecordNode& node = tree.nodes[i];
      Node& found = kept.nodes[i];
      if (node.is_leaf()) {
        for (const LinearLeaf::Term& term : tree.linear_leaves[static_cast<std::size_t>(node.leaf_index())].terms)
          found.all_terms.push_back(player_of_[term.attribute]);
        std::ranges::sort(found.all_terms);
        found.has_terms = !found.all_terms.empty();
        continue;
      }
      const Node &left = kept.nodes[static_cast<std::size_t>(node.child)],
                 &right = kept.nodes[static_cast<std::size_t>(node.child) + 1];
      found.has_terms = left.has_terms || right.has_terms;
      if (left.has_terms && right.has_terms)
        std::ranges::set_intersection(left.all_terms, right.all_terms, std::back_inserter(found.all_terms));
      else
        found.all_terms = left.has_terms ? left.all_terms : right.all_terms;
    }
  }
}

void LinearShap::add(const LinearRecords& records, const LinearRecords& background, ShapEffects effects,
                     ShapBlock& block) const {
  const std::size_t num_games = std::max<std::size_t>(background.columns.num_records, 1);
  for (std::size_t i = 0; i < records.columns.num_records; ++i)
    for (std::size_t g = 0; g < num_games; ++g) {
      Game game(*this, records, i, background, g, effects, block);
      for (const Tree& tree : trees_) game.add(tree);
    }
}

}  // namespace fernwood::records
