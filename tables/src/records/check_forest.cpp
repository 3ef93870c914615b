// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Checks the conditions that evaluation relies on, for every forest from a file or another library.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "fernwood/core/error.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

namespace {

constexpr std::array kClassLinks = {Link::kMean, Link::kLogistic, Link::kSoftmax, Link::kSigmoid};
constexpr std::array kValueLinks = {Link::kIdentity, Link::kExponential,  Link::kSigmoid,
                                    Link::kSoftplus, Link::kSignedSquare, Link::kIsolation};

void check_header(const RecordForest& forest, const std::string& place) {
  const std::size_t num_classes = forest.classes.size(), num_targets = forest.targets.size();
  FW_CHECK((num_classes == 0) != (num_targets == 0) && num_classes <= kMaxClasses && num_targets <= kMaxClasses, Model,
           place << " has " << num_classes << " classes and " << num_targets << " targets; 1 to " << kMaxClasses
                 << " of the ones or the others are possible");
  const bool fits = forest.has_classes() ? std::ranges::find(kClassLinks, forest.link) != kClassLinks.end()
                                         : std::ranges::find(kValueLinks, forest.link) != kValueLinks.end();
  FW_CHECK(fits, Model,
           place << " has link " << to_string(forest.link) << ", which is for "
                 << (forest.has_classes() ? "targets" : "classes") << ", and it has none");
  FW_CHECK(!forest.attributes.empty() && forest.attributes.size() <= kMaxAttributes, Model,
           place << " has " << forest.attributes.size() << " attributes; 1 to " << kMaxAttributes << " are possible");
  FW_CHECK(forest.link != Link::kLogistic || forest.classes.size() == 2, Model,
           place << " has link logistic and " << forest.classes.size() << " classes; that link is for 2");
  FW_CHECK(forest.fraction_bits >= 0 && forest.fraction_bits <= 30, Model,
           place << " has " << forest.fraction_bits << " bits of fraction; 0 to 30 are possible");
  const std::size_t expected = forest.has_classes() ? forest.num_outputs() : 0;
  FW_CHECK(forest.base.size() == expected, Model,
           place << " has " << forest.base.size() << " base values for " << expected << " integer outputs");
  FW_CHECK(forest.trees_per_iteration == 0 || forest.trees.size() % forest.trees_per_iteration == 0, Model,
           place << " has " << forest.trees.size() << " trees, which are not iterations of "
                 << forest.trees_per_iteration << " each");
  FW_CHECK(std::isfinite(forest.slope), Model, place << " has the slope " << forest.slope << ", which is not a number");
  const bool has_class_sums = forest.has_classes() && forest.float_sums && forest.link != Link::kMean;
  FW_CHECK(forest.class_rule == ClassRule::kProbability || has_class_sums, Model,
           place << " has the class rule " << to_string(forest.class_rule)
                 << ", which is for floating-point sums of boosted classes, and has no such");
  const bool may_have_threshold = forest.link == Link::kLogistic && forest.class_rule == ClassRule::kSum;
  FW_CHECK(std::isfinite(forest.class_threshold) && (forest.class_threshold == 0 || may_have_threshold), Model,
           place << " has the class threshold " << forest.class_threshold
                 << ", which is a number, and for two classes by their sum");
  FW_CHECK(forest.has_classes() || forest.float_sums, Model,
           place << " predicts numbers and has no floating-point sums");
}

/// Checks that floating-point sums cannot become infinite or NaN except by overflow.
void check_float_sums(const RecordForest& forest, const std::string& place) {
  if (!forest.float_sums) return;
  const FloatSums& sums = *forest.float_sums;
  const auto is_finite = [](double value) { return std::isfinite(value); };
  FW_CHECK(sums.base.size() == forest.num_outputs() && (sums.bias.empty() || sums.bias.size() == forest.num_outputs()),
           Model,
           place << " has " << sums.base.size() << " base values and " << sums.bias.size() << " biases for "
                 << forest.num_outputs() << " outputs");
  FW_CHECK(std::ranges::all_of(sums.base, is_finite) && std::ranges::all_of(sums.bias, is_finite) &&
               is_finite(sums.divisor) && sums.divisor != 0 && is_finite(sums.scale) &&
               std::ranges::all_of(sums.divisors, [](double value) { return std::isfinite(value) && value != 0; }),
           Model,
           place << " has a base value, a bias, the divisor " << sums.divisor << " or the scale " << sums.scale
                 << " that is not possible; numbers are, and a divisor that is not 0");
  FW_CHECK(sums.divisors.empty() || sums.divisors.size() * forest.trees_per_iteration == forest.trees.size(), Model,
           place << " has divisors of " << sums.divisors.size() << " iterations with " << forest.trees_per_iteration
                 << " trees each, and " << forest.trees.size() << " trees");
  for (std::size_t t = 0; t < forest.trees.size(); ++t)
    FW_CHECK(std::ranges::all_of(forest.trees[t].float_values, is_finite), Model,
             place << ": tree " << t << " has a leaf value that is not a number");
}

void check_columns(const RecordForest& forest, const std::string& place) {
  const ColumnRules& rules = forest.columns;
  const std::size_t num_attributes = forest.attributes.size();
  FW_CHECK(forest.num_columns() <= kMaxAttributes, Model,
           place << " has " << num_attributes << " attributes and " << rules.sets.size() << " sets of categories"
                 << (rules.tables.empty() ? "" : " and columns of tables") << "; " << kMaxAttributes
                 << " of both together are possible");
  for (std::size_t i = 0; i < rules.missing.size(); ++i) {
    const MissingValues& each = rules.missing[i];
    FW_CHECK(each.attribute < num_attributes && (i == 0 || rules.missing[i - 1].attribute < each.attribute), Model,
             place << " names the missing values of attribute " << each.attribute << " of " << num_attributes
                   << "; each attribute can occur once, in ascending order");
    FW_CHECK(std::isfinite(each.low) && std::isfinite(each.high) && each.low <= each.high, Model,
             place << " has missing values from " << each.low << " to " << each.high << "; use two ascending numbers");
  }
  for (std::size_t i = 0; i < rules.sets.size(); ++i) {
    const CategorySet& set = rules.sets[i];
    FW_CHECK(set.bounds.attribute < num_attributes, Model,
             place << ": set " << i << " is of attribute " << set.bounds.attribute << " of " << num_attributes);
    FW_CHECK(set.words.size() >= 1 && set.words.size() <= kMaxCategories / 64, Model,
             place << ": set " << i << " has " << 64 * set.words.size() << " categories; 64 to " << kMaxCategories
                   << " are possible");
    FW_CHECK(set.bounds.first <= 0 && set.bounds.first > -2, Model,
             place << ": set " << i << " begins with " << set.bounds.first << "; 0 or a fraction below it is possible");
  }
}

bool is_text_attribute(const ColumnRules& rules, std::size_t attribute) {
  return std::ranges::binary_search(rules.text_attributes, attribute);
}

/// Checks that only tables read attributes of texts, whose values are not numbers.
void check_text_attributes(const RecordForest& forest, const std::string& place) {
  const ColumnRules& rules = forest.columns;
  const std::vector<std::uint16_t>& texts = rules.text_attributes;
  for (std::size_t i = 0; i < texts.size(); ++i)
    FW_CHECK(texts[i] < forest.attributes.size() && (i == 0 || texts[i - 1] < texts[i]), Model,
             place << " names attribute " << texts[i] << " of " << forest.attributes.size()
                   << " as one of strings; each can occur once, in ascending order");
  const auto check = [&](std::size_t attribute, const std::string& what) {
    FW_CHECK(!is_text_attribute(rules, attribute), Model,
             place << ": " << what << " asks attribute " << attribute << " for a number, and its values are strings");
  };
  for (const MissingValues& each : rules.missing) check(each.attribute, "a rule for missing values");
  for (std::size_t i = 0; i < rules.sets.size(); ++i) check(rules.sets[i].bounds.attribute, "set " + std::to_string(i));
  if (texts.empty()) return;
  for (std::size_t t = 0; t < forest.trees.size(); ++t)
    for (const RecordNode& node : forest.trees[t].nodes)
      if (!node.is_leaf()) check(node.attribute, "tree " + std::to_string(t));
}

void check_part(const RecordForest& forest, const KeyPart& part, const std::string& where) {
  FW_CHECK(part.attribute < forest.attributes.size(), Model,
           where << " is made of attribute " << part.attribute << " of " << forest.attributes.size());
  const bool asks_text = part.kind != KeyKind::kIsAbove;
  FW_CHECK(is_text_attribute(forest.columns, part.attribute) == asks_text, Model,
           where << " asks attribute " << part.attribute << " for a " << (asks_text ? "category" : "number")
                 << ", and its values are " << (asks_text ? "numbers" : "texts"));
  FW_CHECK(!std::isnan(part.threshold), Model, where << " has a threshold that is not a number");
}

void check_tables(const RecordForest& forest, const std::string& place) {
  constexpr std::size_t kMaxParts = 64;
  for (std::size_t i = 0; i < forest.columns.tables.size(); ++i) {
    const CategoryTable& table = forest.columns.tables[i];
    const std::string where = place + ": table " + std::to_string(i);
    FW_CHECK(!table.parts.empty() && table.parts.size() <= kMaxParts, Model,
             where << " has keys of " << table.parts.size() << " parts; 1 to " << kMaxParts << " are possible");
    for (const KeyPart& part : table.parts) check_part(forest, part, where);
    FW_CHECK(std::ranges::adjacent_find(table.keys, std::greater_equal<>()) == table.keys.end(), Model,
             where << " has keys that do not ascend");
    FW_CHECK(table.values.rows() == table.keys.size() + 1 && table.num_columns() > 0, Model,
             where << " has " << table.values.rows() << " rows of " << table.num_columns() << " values for "
                   << table.keys.size() << " keys; each key needs one, and other keys one more");
  }
}

/// Checks the number of leaf values and, if any, of node covers.
void check_sizes(const RecordForest& forest, const RecordTree& tree, const std::string& where) {
  const std::size_t num_leaves = tree.num_leaves(), whole = tree.leaf_values.rows(), floats = tree.float_values.rows();
  FW_CHECK(whole == (forest.has_classes() ? num_leaves : 0) && floats == (forest.float_sums ? num_leaves : 0), Model,
           where << " has values of " << whole << " leaves in integers and of " << floats
                 << " in floating point; it has " << num_leaves << " leaves");
  FW_CHECK(!forest.has_classes() || !forest.float_sums || tree.leaf_values.cols() == tree.float_values.cols(), Model,
           where << " gives " << tree.leaf_values.cols() << " outputs in integers and " << tree.float_values.cols()
                 << " in floating point");
  FW_CHECK(tree.covers.empty() || tree.covers.size() == tree.nodes.size(), Model,
           where << " has covers of " << tree.covers.size() << " nodes, and " << tree.nodes.size() << " nodes");
  FW_CHECK(std::ranges::all_of(tree.covers, [](double cover) { return cover >= 0 && std::isfinite(cover); }), Model,
           where << " has a cover that is negative or not a number");
  FW_CHECK(tree.leaf_numbers.size() == (forest.trees[0].leaf_numbers.empty() ? 0 : num_leaves), Model,
           where << " has numbers of " << tree.leaf_numbers.size() << " leaves, and " << num_leaves
                 << " leaves; all trees have numbers of all leaves, or none has");
}

/// Checks that thresholds of 64 and of 32 bits divide the values of 32 bits alike.
void check_wide_thresholds(const RecordForest& forest, const RecordTree& tree, const std::string& where) {
  const std::vector<double>& wide = tree.wide_thresholds;
  bool fits = wide.size() == (forest.is_wide() ? tree.nodes.size() : 0);
  for (std::size_t i = 0; fits && i < wide.size(); ++i) {
    const RecordNode& node = tree.nodes[i];
    const bool is_compared = !node.is_leaf() && node.attribute < forest.attributes.size();
    fits = !is_compared || (wide[i] >= node.threshold && !(wide[i] >= std::nextafter(node.threshold, HUGE_VALF))) ||
           (std::isinf(node.threshold) && wide[i] == node.threshold);
  }
  FW_CHECK(fits, Model,
           where << " has " << wide.size() << " thresholds of 64 bits for " << tree.nodes.size()
                 << " nodes; each node of each tree has one that rounds down to its threshold, or none has");
}

void check_linear_leaves(const RecordForest& forest, const RecordTree& tree, const std::string& where) {
  if (tree.linear_leaves.empty()) return;
  FW_CHECK(forest.float_sums && tree.width() == 1 && tree.linear_leaves.size() == tree.num_leaves(), Model,
           where << " has linear functions in " << tree.linear_leaves.size() << " of " << tree.num_leaves()
                 << " leaves of " << tree.width() << " outputs; all leaves of a tree of one output that adds in "
                 << "floating point can have them");
  for (const LinearLeaf& leaf : tree.linear_leaves) {
    FW_CHECK(std::isfinite(leaf.constant), Model, where << " has a linear leaf whose constant is not a number");
    for (const LinearLeaf::Term& term : leaf.terms)
      FW_CHECK(term.attribute < forest.attributes.size() && std::isfinite(term.coefficient), Model,
               where << " has a linear leaf with the coefficient " << term.coefficient << " of attribute "
                     << term.attribute << " of " << forest.attributes.size() << "; numbers are possible");
  }
}

void check_nodes(const RecordTree& tree, std::size_t num_columns, const std::string& where) {
  const std::size_t num_nodes = tree.nodes.size(), num_leaves = tree.num_leaves();
  FW_CHECK(num_nodes % 2 == 1, Model, where << " has " << num_nodes << " nodes; a tree of n leaves has 2 n - 1");
  std::vector<bool> seen(num_leaves, false);
  std::int64_t next_child = 1;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const RecordNode& node = tree.nodes[i];
    if (node.is_leaf()) {
      const auto leaf = static_cast<std::size_t>(node.leaf_index());
      FW_CHECK(leaf < num_leaves && !seen[leaf], Model,
               where << ", node " << i << " is leaf " << leaf << "; each of " << num_leaves << " must occur once");
      seen[leaf] = true;
      continue;
    }
    FW_CHECK(node.child == next_child && static_cast<std::size_t>(next_child) > i &&
                 static_cast<std::size_t>(next_child) + 1 < num_nodes,
             Model,
             where << ", node " << i << " has child " << node.child << "; in breadth-first order it is " << next_child);
    FW_CHECK(node.attribute < num_columns, Model,
             where << ", node " << i << " asks attribute " << node.attribute << " of " << num_columns);
    FW_CHECK(!std::isnan(node.threshold) && node.nan_left <= 1, Model,
             where << ", node " << i << " has threshold " << node.threshold << " and nan_left " << node.nan_left
                   << "; a number and 0 or 1 were expected");
    next_child += 2;
  }
}

void check_outputs(const RecordTree& tree, std::size_t num_outputs, const std::string& where) {
  const std::size_t width = tree.width();
  FW_CHECK(width > 0 && tree.first_output < num_outputs && width <= num_outputs - tree.first_output, Model,
           where << " gives " << width << " outputs from output " << tree.first_output << " on, of " << num_outputs);
}

/// Checks that no sum over trees overflows 32 bits, for any combination of leaves.
void check_sums(const RecordForest& forest, const std::string& place) {
  std::vector<std::int64_t> largest(forest.base.size());
  for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::llabs(forest.base[k]);
  for (const RecordTree& tree : forest.trees)
    for (std::size_t k = 0; k < tree.leaf_values.cols(); ++k) {
      std::int64_t of_tree = 0;
      for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
        of_tree = std::max(of_tree, static_cast<std::int64_t>(std::llabs(tree.leaf_values(leaf, k))));
      largest[tree.first_output + k] += of_tree;
    }
  for (std::size_t k = 0; k < largest.size(); ++k)
    FW_CHECK(largest[k] <= INT32_MAX, Model,
             place << ": output " << k << " could reach " << largest[k] << "; sums must fit into 32 bits");
}

}  // namespace

void check_records(const RecordForest& forest, const std::string& place) {
  check_header(forest, place);
  check_columns(forest, place);
  check_text_attributes(forest, place);
  check_tables(forest, place);
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const std::string where = place + ": tree " + std::to_string(t);
    check_nodes(forest.trees[t], forest.num_columns(), where);
    check_sizes(forest, forest.trees[t], where);
    check_outputs(forest.trees[t], forest.num_outputs(), where);
    check_linear_leaves(forest, forest.trees[t], where);
    check_wide_thresholds(forest, forest.trees[t], where);
  }
  FW_CHECK(forest.linear_zero >= 0 && std::isfinite(forest.linear_zero), Model,
           place << " takes values up to " << forest.linear_zero << " for 0 in linear leaves; use a number from 0 on");
  check_float_sums(forest, place);
  check_sums(forest, place);
}

}  // namespace fernwood::records
