// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/onnx_branch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

/// The condition for the true child. @param mode  An ONNX name such as BRANCH_LEQ.
UpToTest test_of(std::string_view mode, double threshold, const ErrorContext& place) {
  const auto opposite = [](UpToTest test) { return UpToTest{test.threshold, !test.swapped, test.wide}; };
  FW_CHECK(!std::isnan(threshold), Model, place.file << ": a threshold is not a number" << place.remedy);
  if (mode == "BRANCH_LEQ") return up_to(threshold);
  if (mode == "BRANCH_LT") return below(threshold);
  if (mode == "BRANCH_GT") return opposite(up_to(threshold));
  if (mode == "BRANCH_GTE") return opposite(below(threshold));
  throw Error(ErrorKind::kModel, place.file + " has nodes of the mode " + std::string(mode) +
                                     "; BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ and, in "
                                     "TreeEnsemble, BRANCH_MEMBER can be imported");
}

// onnxruntime tests sets with at most this many members, none of which is larger than kMaxExactMember, by equality,
// member by member; for other sets it uses a table of whole numbers, and drops the fractions of values.
constexpr std::size_t kMaxExactMembers = 30;
constexpr double kMaxExactMember = 30;

bool are_tested_exactly(std::span<const double> members) {
  return members.size() <= kMaxExactMembers &&
         std::ranges::all_of(members, [](double member) { return member <= kMaxExactMember; });
}

CategorySet set_of(std::span<const double> members, bool is_exact, const ErrorContext& place) {
  CategorySet set;
  for (const double member : members) {
    FW_CHECK(member >= 0 && member < static_cast<double>(kMaxNamedCategories) && member == std::floor(member), Model,
             place.file << " asks whether a value is " << member << "; integers from 0 to " << kMaxNamedCategories - 1
                        << " can be asked so, so number categories from 0 on, or encode them as numbers of their own "
                        << "(one-hot), and train again");
    set.add(static_cast<std::uint32_t>(member));
  }
  set.bounds.is_exact = is_exact;
  if (!is_exact) set.bounds.first = std::nextafter(-1.0f, 0.0f);  // truncated to 0
  return set;
}

/// Whether the false child of a node only tests whether the value is another one that leads to the same node.
bool goes_on(const SourceTree& tree, const SourceNode& node) {
  if (!node.asks_set() || node.test.swapped) return false;
  const SourceNode& next = tree.nodes[static_cast<std::size_t>(node.right)];
  return next.asks_set() && !next.test.swapped && next.left == node.left && next.attribute == node.attribute &&
         tree.sets[static_cast<std::size_t>(next.set)].bounds == tree.sets[static_cast<std::size_t>(node.set)].bounds;
}

void add_members(const CategorySet& from, CategorySet& to) {
  to.words.resize(std::max(to.words.size(), from.words.size()), 0);
  for (std::size_t i = 0; i < from.words.size(); ++i) to.words[i] |= from.words[i];
}

}  // namespace

void merge_equalities(SourceTree& tree) {
  std::vector<std::uint32_t> num_parents(tree.nodes.size());
  for (const SourceNode& node : tree.nodes)
    if (!node.is_leaf())
      for (const std::int32_t child : {node.left, node.right}) ++num_parents[static_cast<std::size_t>(child)];
  const auto joins = [&](const SourceNode& node) {
    return goes_on(tree, node) && num_parents[static_cast<std::size_t>(node.right)] == 1;
  };
  std::vector<bool> is_merged(tree.nodes.size());
  for (const SourceNode& node : tree.nodes)
    if (!node.is_leaf() && joins(node)) is_merged[static_cast<std::size_t>(node.right)] = true;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    SourceNode& node = tree.nodes[i];
    while (!node.is_leaf() && !is_merged[i] && joins(node)) {
      const SourceNode& next = tree.nodes[static_cast<std::size_t>(node.right)];
      add_members(tree.sets[static_cast<std::size_t>(next.set)], tree.sets[static_cast<std::size_t>(node.set)]);
      node.right = next.right;
    }
  }
}

void set_branch(SourceTree& tree, SourceNode& node, std::string_view mode, double threshold,
                std::span<const double> members, bool nan_true, const ErrorContext& place) {
  const bool is_unequal = mode == "BRANCH_NEQ", is_member = mode == "BRANCH_MEMBER" && !members.empty();
  if (mode != "BRANCH_EQ" && !is_unequal && !is_member) {
    node.test = test_of(mode, threshold, place);
    node.nan_left = nan_true;
    return;
  }
  CategorySet set =
      is_member ? set_of(members, are_tested_exactly(members), place) : set_of(std::span(&threshold, 1), true, place);
  set.bounds.unknown_in = nan_true && !is_unequal;
  tree.ask_set(node, std::move(set), is_unequal);
}

}  // namespace fernwood::records
