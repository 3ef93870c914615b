// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_tree.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fernwood/core/arithmetic.h"
#include "records/grow/grow_record_tree.h"

namespace fernwood::stream {

namespace {

constexpr double kLog2Pi = 1.6514961294723187;

/// log2(Gamma(twice / 2)), from Gamma(x + 1) = x Gamma(x), Gamma(1) = 1 and Gamma(1 / 2) = sqrt(pi).
double log2_gamma_of_half(std::size_t twice) {
  double sum = twice % 2 == 0 ? 0 : kLog2Pi / 2;
  for (std::size_t k = twice % 2 == 0 ? 2 : 1; k < twice; k += 2) sum += exact_log2(static_cast<double>(k)) - 1;
  return sum;
}

}  // namespace

StreamTree::StreamTree(LeafStatistics statistics) : statistics_(statistics) { add_node(0); }

void StreamTree::add_node(int depth) {
  nodes_.emplace_back();
  set_slot(static_cast<std::int32_t>(nodes_.size() - 1), kNoSlot);
  counts_.resize(nodes_.size() * statistics_.size());
  depths_.push_back(static_cast<std::uint8_t>(depth));
}

void StreamTree::add_classes(std::size_t num_classes) {
  if (statistics_.of_targets) return;
  std::vector<std::uint64_t> counts(nodes_.size() * num_classes);
  const std::size_t num_before = statistics_.num_classes;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    std::copy_n(counts_.data() + n * num_before, num_before, counts.data() + n * num_classes);
  counts_ = std::move(counts);
  statistics_.num_classes = num_classes;
}

void StreamTree::clear_counts(std::int32_t leaf) {
  std::fill_n(counts_.data() + first_count(leaf), statistics_.size(), 0);
}

void StreamTree::add_counts(std::int32_t leaf, std::span<const std::uint64_t> counts) {
  statistics_.add(counts, std::span(counts_).subspan(first_count(leaf), statistics_.size()));
}

void StreamTree::split(std::int32_t leaf, const records::Split& split, std::span<const std::uint64_t> left,
                       std::span<const std::uint64_t> all) {
  const auto child = static_cast<std::int32_t>(nodes_.size());
  node(leaf) = {split.threshold, child, split.attribute, split.unknown_left};
  for (int side = 0; side < 2; ++side) add_node(depth(leaf) + 1);
  ++num_leaves_;
  statistics_.share(counts(leaf), left, all, counts_.data() + first_count(child));
}

int StreamTree::greatest_depth() const {
  std::vector<std::uint8_t> is_of_tree(nodes_.size());
  mark_below(0, is_of_tree);
  int greatest = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (is_of_tree[n]) greatest = std::max(greatest, int{depths_[n]});
  return greatest;
}

std::size_t StreamTree::leaves_under(std::int32_t index) const {
  std::size_t num_leaves = 0;
  for (std::vector<std::int32_t> left = {index}; !left.empty();) {
    const records::RecordNode& next = nodes_[static_cast<std::size_t>(left.back())];
    left.pop_back();
    if (next.is_leaf())
      ++num_leaves;
    else
      left.insert(left.end(), {next.child, next.child + 1});
  }
  return num_leaves;
}

std::vector<std::uint64_t> StreamTree::counts_below(std::int32_t index) const {
  std::vector<std::uint8_t> is_below(nodes_.size());
  mark_below(index, is_below);
  std::vector<std::uint64_t> sum(statistics_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!is_below[n] || !nodes_[n].is_leaf()) continue;
    const auto seen = counts(static_cast<std::int32_t>(n));
    std::ranges::transform(sum, seen, sum.begin(), std::plus<>());
  }
  return sum;
}

void StreamTree::cut(std::int32_t index, std::span<const std::uint64_t> counts) {
  num_leaves_ -= leaves_under(index) - 1;
  set_slot(index, kNoSlot);
  std::ranges::copy(counts, counts_.begin() + static_cast<std::ptrdiff_t>(first_count(index)));
}

void StreamTree::begin_alternate(std::int32_t node) {
  alternates_.push_back({node, static_cast<std::int32_t>(nodes_.size()), 0});
  add_node(depth(node));
  ++num_leaves_;
}

std::vector<std::int32_t> StreamTree::replace(std::span<const Alternate> replacing,
                                              std::span<const Alternate> dropped) {
  const auto at = [](std::int32_t index) { return static_cast<std::size_t>(index); };
  for (const Alternate& alternate : replacing) {
    nodes_[at(alternate.node)] = nodes_[at(alternate.root)];
    std::copy_n(counts_.begin() + static_cast<std::ptrdiff_t>(first_count(alternate.root)), statistics_.size(),
                counts_.begin() + static_cast<std::ptrdiff_t>(first_count(alternate.node)));
  }
  const auto is_among = [](std::span<const Alternate> some, const Alternate& alternate) {
    return std::ranges::find(some, alternate) != some.end();
  };
  std::vector<std::uint8_t> stays(nodes_.size());
  mark_below(0, stays);
  std::erase_if(alternates_, [&](const Alternate& alternate) {
    return is_among(replacing, alternate) || is_among(dropped, alternate) || !stays[at(alternate.node)];
  });
  for (const Alternate& alternate : alternates_) mark_below(alternate.root, stays);
  std::vector<std::int32_t> indices = keep(stays);
  for (const Alternate& alternate : replacing) {
    indices[at(alternate.root)] = indices[at(alternate.node)];
    indices[at(alternate.node)] = -1;
  }
  return indices;
}

void StreamTree::mark_below(std::int32_t index, std::vector<std::uint8_t>& marks) const {
  for (std::vector<std::int32_t> left = {index}; !left.empty();) {
    const auto next = static_cast<std::size_t>(left.back());
    left.pop_back();
    marks[next] = 1;
    if (!nodes_[next].is_leaf()) left.insert(left.end(), {nodes_[next].child, nodes_[next].child + 1});
  }
}

/// Removes all nodes not marked in `stays`. @return [node] The new index, or -1.
std::vector<std::int32_t> StreamTree::keep(const std::vector<std::uint8_t>& stays) {
  std::vector<std::int32_t> indices(nodes_.size(), -1);
  const std::size_t row_size = statistics_.size();
  std::size_t num_kept = 0;
  num_leaves_ = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!stays[n]) continue;
    indices[n] = static_cast<std::int32_t>(num_kept);
    nodes_[num_kept] = nodes_[n];
    depths_[num_kept] = depths_[n];
    std::copy_n(counts_.begin() + static_cast<std::ptrdiff_t>(n * row_size), row_size,
                counts_.begin() + static_cast<std::ptrdiff_t>(num_kept * row_size));
    num_leaves_ += nodes_[n].is_leaf() ? 1 : 0;
    ++num_kept;
  }
  nodes_.resize(num_kept), depths_.resize(num_kept), counts_.resize(num_kept * row_size);
  for (records::RecordNode& node : nodes_)
    if (!node.is_leaf()) node.child = indices[static_cast<std::size_t>(node.child)];
  for (Alternate& alternate : alternates_) {
    alternate.node = indices[static_cast<std::size_t>(alternate.node)];
    alternate.root = indices[static_cast<std::size_t>(alternate.root)];
  }
  return indices;
}

std::vector<std::uint8_t> StreamTree::num_alternates_above() const {
  std::vector<std::uint8_t> numbers(nodes_.size());
  for (const Alternate& alternate : alternates_) numbers[static_cast<std::size_t>(alternate.node)] = 1;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].is_leaf()) continue;
    const auto child = static_cast<std::size_t>(nodes_[n].child);
    for (std::size_t side = 0; side < 2; ++side) numbers[child + side] += numbers[n];
  }
  return numbers;
}

int StreamTree::most_nested() const { return alternates_.empty() ? 0 : std::ranges::max(num_alternates_above()); }

std::vector<records::RecordNode> StreamTree::nodes_to_alternates(int num_above) const {
  std::vector<records::RecordNode> nodes = nodes_;
  std::vector<std::uint8_t> is_of_tree(nodes.size());
  mark_below(0, is_of_tree);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (is_of_tree[n] && nodes[n].is_leaf()) nodes[n].child = ~kNoSlot;
  const std::vector<std::uint8_t> numbers = num_alternates_above();
  for (const Alternate& alternate : alternates_)
    if (const auto node = static_cast<std::size_t>(alternate.node); numbers[node] == num_above + 1)
      nodes[node] = nodes_[static_cast<std::size_t>(alternate.root)];
  return nodes;
}

void StreamTree::check_leaves() const {
  std::vector<std::uint8_t> is_of_tree(nodes_.size());
  mark_below(0, is_of_tree);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    FW_CHECK(
        is_of_tree[n] == 0 || !nodes_[n].is_leaf() || statistics_.num_records(counts(static_cast<std::int32_t>(n))) > 0,
        Runtime, "leaf " << n << " has seen no records; start all processes with the same program and options");
}

records::RecordTree StreamTree::finish(int fraction_bits) const {
  return records::finish_tree(nodes_, {}, num_classes(), fraction_bits,
                              [&](std::size_t n) { return counts_.data() + n * num_classes(); });
}

records::RecordTree StreamTree::finish(const TargetScale& targets) const {
  return records::finish_values(
      nodes_, {}, [&](std::size_t n) { return targets.mean(sum_of(counts(static_cast<std::int32_t>(n)))); });
}

void StreamTree::pack(Packer& packer) const {
  packer.put(nodes_);
  packer.put(counts_);
  packer.put(alternates_);
}

void StreamTree::unpack(Unpacker& unpacker, std::size_t num_attributes, const LeafStatistics& statistics,
                        int max_depth) {
  unpacker.get(nodes_);
  unpacker.get(counts_);
  unpacker.get(alternates_);
  statistics_ = statistics;
  const std::size_t num_nodes = nodes_.size(), num_trees = 1 + alternates_.size();
  FW_CHECK(
      num_nodes >= num_trees && (num_nodes + num_trees) % 2 == 0 && counts_.size() == num_nodes * statistics.size(),
      Model,
      num_nodes << " nodes of " << num_trees << " trees have " << counts_.size() << " counts, " << statistics.size()
                << " each");
  num_leaves_ = (num_nodes + num_trees) / 2;
  depths_.assign(num_nodes, 0);
  std::vector<std::uint8_t> tree_of(num_nodes);  // 0: no parent; 1: in the tree; 2: in an alternate
  tree_of[0] = 1;
  auto next = alternates_.begin();
  for (std::size_t n = 0; n < num_nodes; ++n) {
    if (next != alternates_.end() && static_cast<std::size_t>(next->root) == n && tree_of[n] == 0) {
      check_alternate(*next, tree_of);
      depths_[n] = depths_[static_cast<std::size_t>(next->node)];
      tree_of[n] = 2;
      ++next;
    }
    // Then siblings are adjacent and follow their parent, each node has one parent, and all leaves are counted.
    FW_CHECK(tree_of[n] != 0, Model, "node " << n << " is the child of none before it");
    check_node(n, tree_of, num_attributes, max_depth);
  }
  FW_CHECK(next == alternates_.end(), Model, "a tree that may replace a part has no root");
}

/// @param tree_of  [node] 1: in the tree, for nodes before the alternate's root.
void StreamTree::check_alternate(const Alternate& alternate, const std::vector<std::uint8_t>& tree_of) const {
  const auto is_of_same_node = [&](const Alternate& other) { return other.node == alternate.node; };
  FW_CHECK(alternate.node >= 0 && alternate.node < alternate.root &&
               tree_of[static_cast<std::size_t>(alternate.node)] == 1 && alternate.tests >= 0 &&
               std::ranges::count_if(alternates_, is_of_same_node) == 1,
           Model, "node " << alternate.root << " cannot be an alternate of node " << alternate.node);
}

/// Checks a node whose parent is known. @param tree_of  [node] Written for its children.
void StreamTree::check_node(std::size_t n, std::vector<std::uint8_t>& tree_of, std::size_t num_attributes,
                            int max_depth) {
  records::RecordNode& node = nodes_[n];
  if (node.is_leaf()) {
    node.child = ~kNoSlot;
    const auto counts = this->counts(static_cast<std::int32_t>(n));
    FW_CHECK(statistics_.is_possible(counts) && (statistics_.num_records(counts) > 0 || tree_of[n] == 2), Model,
             "leaf " << n << " has seen no records, or too many");
    return;
  }
  const auto child = static_cast<std::size_t>(node.child);
  FW_CHECK(child > n && child + 1 < nodes_.size() && tree_of[child] == 0 && tree_of[child + 1] == 0 &&
               depths_[n] < max_depth,
           Model,
           "node " << n << " has child " << child << " of " << nodes_.size() << " nodes at depth " << +depths_[n]);
  FW_CHECK(node.attribute < num_attributes && !std::isnan(node.threshold) && node.nan_left <= 1, Model,
           "node " << n << " asks attribute " << node.attribute << " of " << num_attributes << " with threshold "
                   << node.threshold);
  for (std::size_t side = 0; side < 2; ++side) {
    tree_of[child + side] = tree_of[n];
    depths_[child + side] = static_cast<std::uint8_t>(depths_[n] + 1);
  }
}

double class_bits(std::span<const std::uint64_t> counts) {
  double n = 0, bits = 0;
  for (const std::uint64_t count : counts) n += static_cast<double>(count);
  if (n == 0) return 0;
  for (const std::uint64_t count : counts)
    if (count > 0) bits += static_cast<double>(count) * exact_log2(n / static_cast<double>(count));
  const auto k = static_cast<double>(counts.size());
  const double of_counts = (k - 1) / 2 * (exact_log2(n) - 1) + k / 2 * kLog2Pi - log2_gamma_of_half(counts.size());
  return bits + std::max(0.0, of_counts);
}

void prune_by_mdl(StreamTree& tree, std::size_t num_attributes, std::size_t num_places) {
  const std::size_t num_nodes = tree.nodes().size(), num_classes = tree.num_classes();
  const double test_bits = exact_log2(static_cast<double>(num_attributes)) +
                           exact_log2(static_cast<double>(std::max<std::size_t>(1, num_places)));
  std::vector<double> bits(num_nodes);
  std::vector<std::uint64_t> below(num_nodes * num_classes);  // counts of the leaves under a node
  for (std::size_t n = num_nodes; n-- > 0;) {                 // children come after their parent
    const auto index = static_cast<std::int32_t>(n);
    const std::span<std::uint64_t> counts = std::span(below).subspan(n * num_classes, num_classes);
    if (tree.nodes()[n].is_leaf()) {
      std::ranges::copy(tree.counts(index), counts.begin());
      bits[n] = 1 + class_bits(counts);
      continue;
    }
    const auto child = static_cast<std::size_t>(tree.nodes()[n].child);
    for (std::size_t c = 0; c < num_classes; ++c)
      counts[c] = below[child * num_classes + c] + below[(child + 1) * num_classes + c];
    const double as_leaf = 1 + class_bits(counts), as_test = 1 + test_bits + bits[child] + bits[child + 1];
    bits[n] = std::min(as_leaf, as_test);
    if (as_leaf <= as_test) tree.cut(index, counts);
  }
}

}  // namespace fernwood::stream
