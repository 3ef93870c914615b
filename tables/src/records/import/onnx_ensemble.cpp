// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/onnx_ensemble.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fernwood/core/error.h"
#include "records/import/onnx_attributes.h"
#include "records/import/onnx_branch.h"

namespace fernwood::records {

namespace {

std::uint32_t attribute_of(std::int64_t feature, const OnnxAttributes& attributes) {
  if (feature < 0 || feature >= static_cast<std::int64_t>(kMaxAttributes))
    attributes.fail("nodes_featureids", "be from 0 to " + std::to_string(kMaxAttributes - 1));
  return static_cast<std::uint32_t>(feature);
}

/// A summand of a leaf for an output.
struct LeafWeight {
  std::size_t node = 0;
  std::size_t output = 0;
  double value = 0;
};

/// Adds leaf values to a tree whose nodes are complete.
/// @param weights  In the order of nodes. @param node_of  [node of the weights] Node of the tree. @param num_left
/// Number of further values allowed: wide and mostly empty leaves could require unlimited memory.
void add_leaves(SourceTree& tree, std::span<const LeafWeight> weights, std::size_t num_outputs, std::size_t& num_left,
                const ErrorContext& place) {
  const bool is_of_one =
      std::ranges::all_of(weights, [&](const LeafWeight& weight) { return weight.output == weights[0].output; });
  tree.width = is_of_one ? 1 : static_cast<std::uint32_t>(num_outputs);
  tree.first_output = is_of_one && !weights.empty() ? static_cast<std::uint32_t>(weights[0].output) : 0;
  std::vector<double> values(tree.width);
  std::size_t next = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    std::ranges::fill(values, 0.0);
    std::vector<bool> is_set(tree.width);
    for (; next < weights.size() && weights[next].node == i; ++next) {
      const std::size_t k = weights[next].output - tree.first_output;
      FW_CHECK(tree.nodes[i].is_leaf() && !is_set[k], Model,
               place.file << " has a value of an inner node, or two of a leaf for an output" << place.remedy);
      is_set[k] = true;
      values[k] = weights[next].value;
    }
    if (!tree.nodes[i].is_leaf()) continue;
    FW_CHECK(num_left >= tree.width, Model,
             place.file << " has so many outputs that most values of its leaves are 0; import the model from a file of "
                        << "the library that trained it");
    num_left -= tree.width;
    tree.add_leaf(tree.nodes[i], values.data());
  }
}

/// Limit on the number of leaf values of a model.
std::size_t most_values(std::size_t num_weights) { return (std::size_t{1} << 20) + 256 * num_weights; }

std::size_t output_of(std::int64_t id, const EnsembleFacts& facts, const char* name, const OnnxAttributes& attributes) {
  if (id < 0 || static_cast<std::size_t>(id) >= facts.num_predicted)
    attributes.fail(name, "be from 0 to " + std::to_string(facts.num_predicted - 1));
  return facts.is_binary ? 0 : static_cast<std::size_t>(id);
}

/// Nodes of versions 1 to 3, each with the number of its tree and its own number in the tree.
class ListedTrees {
 public:
  ListedTrees(const OnnxAttributes& attributes, const EnsembleFacts& facts) : attributes_(attributes), facts_(facts) {
    const OnnxValue* const ids = attributes.find("nodes_nodeids");
    if (!ids || ids->whole.empty()) attributes.fail("nodes_nodeids", "have at least one value");
    const std::vector<std::int64_t>& tree_ids = attributes.wholes("nodes_treeids", ids->whole.size());
    for (std::size_t i = 0; i < ids->whole.size(); ++i) {
      const auto [tree, is_new] = tree_of_.try_emplace(tree_ids[i], trees_.size());
      if (is_new) trees_.emplace_back();
      ListedTree& listed = trees_[tree->second];
      if (!listed.place_of.try_emplace(ids->whole[i], listed.rows.size()).second)
        attributes.fail("nodes_nodeids", "name each node of a tree once");
      listed.rows.push_back(i);
    }
  }

  std::vector<SourceTree> read() {
    add_nodes();
    add_weights();
    std::size_t num_left = most_values(num_weights_);
    std::vector<SourceTree> trees;
    for (ListedTree& listed : trees_) {
      std::ranges::stable_sort(listed.weights, {}, &LeafWeight::node);
      const std::size_t num_outputs = facts_.is_binary ? 1 : facts_.num_predicted;
      add_leaves(listed.tree, listed.weights, num_outputs, num_left, attributes_.place);
      move_root(listed);
      merge_equalities(listed.tree);
      trees.push_back(std::move(listed.tree));
    }
    return trees;
  }

 private:
  struct ListedTree {
    std::vector<std::size_t> rows;                           ///< [node] Row in the attributes' arrays.
    std::unordered_map<std::int64_t, std::size_t> place_of;  ///< By a node's number.
    std::vector<LeafWeight> weights;
    SourceTree tree;
  };

  void add_nodes() {
    const std::size_t count = attributes_.find("nodes_nodeids")->whole.size();
    const OnnxValue* const modes = attributes_.find("nodes_modes");
    if (!modes || modes->texts.size() != count) attributes_.fail("nodes_modes", "have a value for each node");
    const auto& features = attributes_.wholes("nodes_featureids", count);
    const auto& when_true = attributes_.wholes("nodes_truenodeids", count);
    const auto& when_false = attributes_.wholes("nodes_falsenodeids", count);
    const auto& thresholds = attributes_.reals("nodes_values", count);
    const auto missing = attributes_.wholes_or("nodes_missing_value_tracks_true", count, 0);
    for (ListedTree& listed : trees_)
      for (const std::size_t i : listed.rows) {
        SourceNode& node = listed.tree.nodes.emplace_back();
        if (modes->texts[i] == "LEAF") continue;
        node.left = child_of(listed, when_true[i]);
        node.right = child_of(listed, when_false[i]);
        node.attribute = attribute_of(features[i], attributes_);
        set_branch(listed.tree, node, modes->texts[i], thresholds[i], {}, missing[i] != 0, attributes_.place);
      }
  }

  std::int32_t child_of(const ListedTree& listed, std::int64_t id) const {
    const auto found = listed.place_of.find(id);
    if (found == listed.place_of.end()) attributes_.fail("nodes_truenodeids and nodes_falsenodeids", "name nodes");
    return static_cast<std::int32_t>(found->second);
  }

  void add_weights() {
    const std::string kind = facts_.is_classifier ? "class" : "target";
    const OnnxValue* const ids = attributes_.find(kind + "_ids");
    num_weights_ = ids ? ids->whole.size() : 0;
    const auto& trees = attributes_.wholes(kind + "_treeids", num_weights_);
    const auto& nodes = attributes_.wholes(kind + "_nodeids", num_weights_);
    const auto& values = attributes_.reals(kind + "_weights", num_weights_);
    for (std::size_t i = 0; i < num_weights_; ++i) {
      const auto tree = tree_of_.find(trees[i]);
      if (tree == tree_of_.end()) attributes_.fail(kind + "_treeids", "name trees");
      ListedTree& listed = trees_[tree->second];
      const auto node = listed.place_of.find(nodes[i]);
      if (node == listed.place_of.end()) attributes_.fail(kind + "_nodeids", "name nodes");
      listed.weights.push_back(
          {node->second, output_of(ids->whole[i], facts_, (kind + "_ids").c_str(), attributes_), values[i]});
    }
  }

  /// Moves the root, the only node without a parent, to index 0.
  void move_root(ListedTree& listed) const {
    std::vector<SourceNode>& nodes = listed.tree.nodes;
    std::vector<bool> is_child(nodes.size());
    for (const SourceNode& node : nodes)
      if (!node.is_leaf())
        is_child[static_cast<std::size_t>(node.left)] = is_child[static_cast<std::size_t>(node.right)] = true;
    if (std::ranges::count(is_child, false) != 1) attributes_.fail("nodes_nodeids", "have one root in each tree");
    const auto root = static_cast<std::int32_t>(std::ranges::find(is_child, false) - is_child.begin());
    if (nodes[static_cast<std::size_t>(root)].is_leaf() && nodes.size() > 1)
      attributes_.fail("nodes_nodeids", "have one root in each tree");
    if (root == 0) return;
    std::swap(nodes[0], nodes[static_cast<std::size_t>(root)]);
    const auto moved = [&](std::int32_t child) { return child == 0 ? root : child; };
    for (SourceNode& node : nodes)
      if (!node.is_leaf()) {
        node.left = moved(node.left);
        node.right = moved(node.right);
      }
  }

  const OnnxAttributes& attributes_;
  const EnsembleFacts& facts_;
  std::unordered_map<std::int64_t, std::size_t> tree_of_;  ///< By a tree's number.
  std::vector<ListedTree> trees_;
  std::size_t num_weights_ = 0;
};

// Names for the numbers in TreeEnsemble of version 5.
constexpr const char* kModeNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",   "BRANCH_GT",
                                      "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER"};
constexpr const char* kTransformNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
constexpr const char* kAggregateNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};

/// The name for a number; a number without a name is returned as text.
std::string word_of(std::int64_t number, std::span<const char* const> words) {
  return number >= 0 && static_cast<std::size_t>(number) < words.size() ? words[static_cast<std::size_t>(number)]
                                                                        : std::to_string(number);
}

/// Trees of version 5: nodes refer to other nodes, or leaves, by their indices in arrays.
class ArrayTrees {
 public:
  ArrayTrees(const OnnxAttributes& attributes, const EnsembleFacts& facts)
      : attributes_(attributes),
        facts_(facts),
        num_nodes_(count_of("nodes_featureids")),
        num_leaves_(count_of("leaf_targetids")),
        features_(attributes.wholes("nodes_featureids", num_nodes_)),
        modes_(attributes.wholes("nodes_modes", num_nodes_)),
        splits_(attributes.reals("nodes_splits", num_nodes_)),
        missing_(attributes.wholes_or("nodes_missing_value_tracks_true", num_nodes_, 0)),
        is_seen_(num_nodes_) {
    find_members();
  }

  std::vector<SourceTree> read() {
    std::size_t num_left = most_values(num_leaves_);
    std::vector<SourceTree> trees;
    for (const std::int64_t root : attributes_.wholes("tree_roots", count_of("tree_roots"))) {
      SourceTree& tree = trees.emplace_back();
      const std::vector<LeafWeight> weights = read_tree(root, tree);
      add_leaves(tree, weights, facts_.num_predicted, num_left, attributes_.place);
    }
    return trees;
  }

 private:
  struct OpenNode {
    std::size_t node;  ///< In the tree being built.
    bool is_leaf;      ///< Whether `index` refers to leaves or nodes.
    std::int64_t index;
  };

  std::size_t count_of(const char* name) const {
    const OnnxValue* const value = attributes_.find(name);
    return value ? value->whole.size() : 0;
  }

  /// Finds the members of sets, which are stored in the order of the nodes that test them, separated by NaN.
  void find_members() {
    const OnnxValue* const found = attributes_.reals("membership_values");
    const std::span<const double> all = found ? std::span<const double>(found->reals) : std::span<const double>();
    std::size_t next = 0;
    for (const std::int64_t mode : modes_) {
      std::span<const double>& members = members_.emplace_back();
      if (word_of(mode, kModeNames) != "BRANCH_MEMBER") continue;
      const std::size_t begin = next;
      while (next < all.size() && !std::isnan(all[next])) ++next;
      if (begin == next) attributes_.fail("membership_values", "have a value for each node of BRANCH_MEMBER");
      members = all.subspan(begin, next - begin);
      ++next;
    }
  }

  std::size_t index_in(std::int64_t index, std::size_t count, const char* what) const {
    if (index < 0 || static_cast<std::size_t>(index) >= count) attributes_.fail(what, "name what is in the arrays");
    return static_cast<std::size_t>(index);
  }

  std::vector<LeafWeight> read_tree(std::int64_t root, SourceTree& tree) {
    std::vector<LeafWeight> weights;
    tree.nodes.resize(1);
    for (std::vector<OpenNode> open = {{0, false, root}}; !open.empty();) {
      const OpenNode next = open.back();
      open.pop_back();
      if (next.is_leaf)
        weights.push_back(leaf_weight(next));
      else
        read_node(next, tree, open);
    }
    std::ranges::stable_sort(weights, {}, &LeafWeight::node);
    return weights;
  }

  LeafWeight leaf_weight(const OpenNode& leaf) const {
    const std::size_t i = index_in(leaf.index, num_leaves_, "nodes_truenodeids and nodes_falsenodeids");
    const std::int64_t target = attributes_.wholes("leaf_targetids", num_leaves_)[i];
    return {leaf.node, output_of(target, facts_, "leaf_targetids", attributes_),
            attributes_.reals("leaf_weights", num_leaves_)[i]};
  }

  void read_node(const OpenNode& next, SourceTree& tree, std::vector<OpenNode>& open) {
    const std::size_t i = index_in(next.index, num_nodes_, "nodes_truenodeids, nodes_falsenodeids and tree_roots");
    if (is_seen_[i]) attributes_.fail("nodes_truenodeids and nodes_falsenodeids", "name each node once");
    is_seen_[i] = true;
    const std::size_t left = tree.nodes.size();
    tree.nodes.resize(left + 2);
    SourceNode& node = tree.nodes[next.node];
    node.left = static_cast<std::int32_t>(left);
    node.right = static_cast<std::int32_t>(left + 1);
    node.attribute = attribute_of(features_[i], attributes_);
    set_branch(tree, node, word_of(modes_[i], kModeNames), splits_[i], members_[i], missing_[i] != 0,
               attributes_.place);
    open.push_back({left, attributes_.wholes("nodes_trueleafs", num_nodes_)[i] != 0,
                    attributes_.wholes("nodes_truenodeids", num_nodes_)[i]});
    open.push_back({left + 1, attributes_.wholes("nodes_falseleafs", num_nodes_)[i] != 0,
                    attributes_.wholes("nodes_falsenodeids", num_nodes_)[i]});
  }

  const OnnxAttributes& attributes_;
  const EnsembleFacts& facts_;
  std::size_t num_nodes_, num_leaves_;
  const std::vector<std::int64_t>&features_, &modes_;
  const std::vector<double>& splits_;
  std::vector<std::int64_t> missing_;
  std::vector<std::span<const double>> members_;  ///< [node] For BRANCH_MEMBER.
  std::vector<bool> is_seen_;
};

/// Reads how the answers of trees are combined and converted to predictions.
void read_words(const OnnxAttributes& attributes, EnsembleFacts& facts) {
  const bool are_numbers = attributes.operation.type == "TreeEnsemble";
  facts.post_transform = are_numbers ? word_of(attributes.whole_or("post_transform", 0), kTransformNames)
                                     : attributes.text_or("post_transform", "NONE");
  const std::string aggregate = are_numbers ? word_of(attributes.whole_or("aggregate_function", 1), kAggregateNames)
                                            : attributes.text_or("aggregate_function", "SUM");
  FW_CHECK(aggregate == "SUM" || aggregate == "AVERAGE", Model,
           attributes.place.file << " has the aggregate_function " << aggregate << "; SUM and AVERAGE can be imported");
  facts.is_average = aggregate == "AVERAGE";
}

}  // namespace

EnsembleFacts read_facts(const OnnxOperator& operation, const ErrorContext& place) {
  const OnnxAttributes attributes{operation, place};
  EnsembleFacts facts;
  facts.is_classifier = operation.type == "TreeEnsembleClassifier";
  read_words(attributes, facts);
  const OnnxValue* const thresholds =
      attributes.reals(operation.type == "TreeEnsemble" ? "nodes_splits" : "nodes_values");
  facts.is_double = thresholds && thresholds->is_double;
  if (facts.is_classifier) {
    const OnnxValue *texts = attributes.find("classlabels_strings"), *wholes = attributes.find("classlabels_int64s");
    if (texts) facts.classes.assign(texts->texts.begin(), texts->texts.end());
    if (wholes && facts.classes.empty())
      for (const std::int64_t label : wholes->whole) facts.classes.push_back(std::to_string(label));
    facts.num_predicted = facts.classes.size();
    const OnnxValue* const ids = attributes.find("class_ids");
    facts.is_binary = facts.num_predicted == 2 && ids && !ids->whole.empty() &&
                      std::ranges::all_of(ids->whole, [&](std::int64_t id) { return id == ids->whole[0]; });
    if (facts.num_predicted < 2 || facts.num_predicted > kMaxClasses)
      attributes.fail("classlabels_int64s or classlabels_strings",
                      "name 2 to " + std::to_string(kMaxClasses) + " classes");
  } else {
    const std::int64_t num_targets = attributes.whole_or("n_targets", 1);
    if (num_targets < 1 || num_targets > static_cast<std::int64_t>(kMaxClasses))
      attributes.fail("n_targets", "be from 1 to " + std::to_string(kMaxClasses));
    facts.num_predicted = static_cast<std::size_t>(num_targets);
  }
  if (const OnnxValue* const base = attributes.reals("base_values"); base && !base->reals.empty())
    facts.base_values = attributes.reals("base_values", facts.is_binary ? 1 : facts.num_predicted);
  return facts;
}

std::vector<SourceTree> read_ensemble(const OnnxOperator& operation, const EnsembleFacts& facts,
                                      const ErrorContext& place) {
  const OnnxAttributes attributes{operation, place};
  return operation.type == "TreeEnsemble" ? ArrayTrees(attributes, facts).read()
                                          : ListedTrees(attributes, facts).read();
}

}  // namespace fernwood::records
