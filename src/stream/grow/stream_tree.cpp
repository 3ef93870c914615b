// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

StreamTree::StreamTree(std::size_t num_classes) : num_classes_(num_classes) { add_node(0); }

void StreamTree::add_node(int depth) {
  nodes_.emplace_back();
  set_slot(static_cast<std::int32_t>(nodes_.size() - 1), kNoSlot);
  counts_.resize(nodes_.size() * num_classes_);
  depths_.push_back(static_cast<std::uint8_t>(depth));
}

void StreamTree::add_classes(std::size_t num_classes) {
  std::vector<std::uint64_t> counts(nodes_.size() * num_classes);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    std::copy_n(counts_.data() + n * num_classes_, num_classes_, counts.data() + n * num_classes);
  counts_ = std::move(counts);
  num_classes_ = num_classes;
}

void StreamTree::clear_counts(std::int32_t leaf) {
  std::fill_n(counts_.data() + static_cast<std::size_t>(leaf) * num_classes_, num_classes_, 0);
}

void StreamTree::add_counts(std::int32_t leaf, std::span<const std::uint32_t> counts) {
  std::uint64_t* const seen = counts_.data() + static_cast<std::size_t>(leaf) * num_classes_;
  for (std::size_t c = 0; c < num_classes_; ++c) seen[c] += counts[c];
}

void StreamTree::split(std::int32_t leaf, const records::Split& split, std::span<const std::uint32_t> left,
                       std::span<const std::uint32_t> all) {
  const auto child = static_cast<std::int32_t>(nodes_.size());
  node(leaf) = {split.threshold, child, split.attribute, split.unknown_left};
  for (int side = 0; side < 2; ++side) add_node(depth(leaf) + 1);
  ++num_leaves_;
  const std::uint64_t* const seen = counts_.data() + static_cast<std::size_t>(leaf) * num_classes_;
  std::uint64_t* const shares = counts_.data() + static_cast<std::size_t>(child) * num_classes_;
  const double of_all = static_cast<double>(std::accumulate(left.begin(), left.end(), std::uint64_t{0})) /
                        static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  for (std::size_t c = 0; c < num_classes_; ++c) {
    // Where a leaf has seen more than the split was found from, the rest is shared alike; of classes that the split was
    // found without, as all records are.
    const double share = all[c] == 0 ? of_all : static_cast<double>(left[c]) / static_cast<double>(all[c]);
    shares[c] = seen[c] == all[c] ? left[c] : static_cast<std::uint64_t>(static_cast<double>(seen[c]) * share + 0.5);
    shares[num_classes_ + c] = seen[c] - shares[c];
  }
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

void StreamTree::cut(std::int32_t index, std::span<const std::uint64_t> counts) {
  num_leaves_ -= leaves_under(index) - 1;
  set_slot(index, kNoSlot);
  std::ranges::copy(counts,
                    counts_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * num_classes_));
}

records::RecordTree StreamTree::finish(int fraction_bits) const {
  return records::finish_tree(nodes_, num_classes_, fraction_bits,
                              [&](std::size_t n) { return counts_.data() + n * num_classes_; });
}

void StreamTree::pack(Packer& packer) const {
  packer.put(nodes_);
  packer.put(counts_);
}

void StreamTree::unpack(Unpacker& unpacker, std::size_t num_attributes, std::size_t num_classes, int max_depth) {
  unpacker.get(nodes_);
  unpacker.get(counts_);
  num_classes_ = num_classes;
  const std::size_t num_nodes = nodes_.size();
  FW_CHECK(num_nodes % 2 == 1 && counts_.size() == num_nodes * num_classes, Model,
           num_nodes << " nodes have " << counts_.size() << " counts of " << num_classes << " classes");
  num_leaves_ = (num_nodes + 1) / 2;
  depths_.assign(num_nodes, 0);
  std::vector<bool> has_parent(num_nodes);
  has_parent[0] = true;
  for (std::size_t n = 0; n < num_nodes; ++n) {
    records::RecordNode& node = nodes_[n];
    // Then children stand beside each other behind their parent, each has one, and so there is no other leaf.
    FW_CHECK(has_parent[n], Model, "node " << n << " is the child of none before it");
    if (node.is_leaf()) {
      node.child = ~kNoSlot;
      const auto counts = this->counts(static_cast<std::int32_t>(n));
      FW_CHECK(std::ranges::all_of(counts, [](std::uint64_t count) { return count <= kMostSeen; }) &&
                   std::ranges::any_of(counts, [](std::uint64_t count) { return count > 0; }),
               Model, "leaf " << n << " has seen no records, or too many");
      continue;
    }
    const auto child = static_cast<std::size_t>(node.child);
    FW_CHECK(child > n && child % 2 == 1 && child + 1 < num_nodes && !has_parent[child] && depths_[n] < max_depth,
             Model, "node " << n << " has child " << child << " of " << num_nodes << " nodes at depth " << +depths_[n]);
    FW_CHECK(node.attribute < num_attributes && !std::isnan(node.threshold) && node.nan_left <= 1, Model,
             "node " << n << " asks attribute " << node.attribute << " of " << num_attributes << " with threshold "
                     << node.threshold);
    for (std::size_t side = 0; side < 2; ++side) {
      has_parent[child + side] = true;
      depths_[child + side] = static_cast<std::uint8_t>(depths_[n] + 1);
    }
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
