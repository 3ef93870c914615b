// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/grow_record_tree.h"

#include <algorithm>
#include <numeric>

#include "core/draw.h"

namespace fernwood::records {

namespace {

/// Minimum number of values to process for which waking threads is worthwhile.
constexpr std::size_t kSharedWork = 20000;

/// A node that has a test and waits to be split.
struct OpenNode {
  std::uint32_t index;  ///< In order of creation.
  std::size_t begin, end;
  int depth;
  std::vector<std::uint16_t> attributes;  ///< Those not known to be constant in this node.
  Split split;
  double gain;  ///< Weighted decrease of impurity.
};

/// Whether `a` is split after `b`: the node with the largest gain is split first.
bool grows_later(const OpenNode& a, const OpenNode& b) {
  return a.gain != b.gain ? a.gain < b.gain : a.index > b.index;
}

/// Nodes in order of creation; finish() renumbers them.
template <typename Statistics>
class Sketch {
 public:
  using Cell = typename Statistics::Cell;

  std::size_t size() const { return nodes_.size(); }
  std::uint32_t add() {
    nodes_.emplace_back();
    covers_.push_back(0);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  /// @param cover  Weight of the samples that reach it.
  void reach(std::uint32_t index, double cover) { covers_[index] = cover; }
  void close(std::uint32_t index, std::span<const Cell> cells) {
    nodes_[index].child = ~static_cast<std::int32_t>(num_leaves_++);
    cells_.insert(cells_.end(), cells.begin(), cells.end());
  }
  void split(std::uint32_t index, const Split& split) {
    nodes_[index] = {split.threshold, static_cast<std::int32_t>(nodes_.size()), split.attribute, split.unknown_left};
  }

  RecordTree finish(const Statistics& statistics) const {
    return statistics.finish(nodes_, covers_, [&](std::size_t node) {
      return cells_.data() + static_cast<std::size_t>(nodes_[node].leaf_index()) * statistics.num_cells();
    });
  }

 private:
  std::size_t num_leaves_ = 0;
  std::vector<RecordNode> nodes_;
  std::vector<double> covers_;  ///< [node]
  std::vector<Cell> cells_;     ///< [leaf][cell]
};

template <typename Statistics>
class TreeGrower {
 public:
  TreeGrower(const GrowingPlan<Statistics>& plan, std::uint32_t tree, int worker, std::vector<Sample>& samples)
      : plan_(plan), statistics_(plan.statistics), tree_(tree), worker_(worker), samples_(samples) {}

  RecordTree grow() {
    std::vector<std::uint16_t> attributes(plan_.table.size());
    std::iota(attributes.begin(), attributes.end(), std::uint16_t{0});
    add_node(sketch_.add(), 0, samples_.size(), 0, std::move(attributes));
    // Without a limit of leaves every open node is split eventually; taking the last one keeps the fewest nodes open.
    const auto limit = static_cast<std::size_t>(plan_.options.max_leaves);
    for (std::size_t leaves = 1; !open_.empty() && (limit == 0 || leaves < limit); ++leaves) split(take());
    for (const OpenNode& node : open_) close(node.index, statistics_.totals_of(samples_of(node.begin, node.end)));
    return sketch_.finish(statistics_);
  }

 private:
  using Totals = typename Statistics::Totals;
  using Node = NodeSamples<Totals>;

  std::span<const Sample> samples_of(std::size_t begin, std::size_t end) const {
    return {samples_.data() + begin, end - begin};
  }

  void close(std::uint32_t index, const Totals& totals) {
    sketch_.close(index, statistics_.cells_of(totals));
    plan_.finished(static_cast<std::size_t>(statistics_.weight_of(totals)));
  }

  OpenNode take() {
    if (plan_.options.max_leaves > 0) std::ranges::pop_heap(open_, grows_later);
    OpenNode node = std::move(open_.back());
    open_.pop_back();
    return node;
  }

  void add_node(std::uint32_t index, std::size_t begin, std::size_t end, int depth,
                std::vector<std::uint16_t> attributes) {
    const Node samples{samples_of(begin, end), statistics_.totals_of(samples_of(begin, end))};
    sketch_.reach(index, static_cast<double>(statistics_.weight_of(samples.totals)));
    const RecordTrainOptions& options = plan_.options;
    const bool ends = statistics_.is_pure(samples.totals) || statistics_.weight_of(samples.totals) < plan_.min_weight ||
                      (options.max_depth > 0 && depth >= options.max_depth);
    OpenNode node{index, begin, end, depth, std::move(attributes), {}, 0};
    if (!ends) node.split = find_split(samples, index, node.attributes);
    if (!node.split.found()) return close(index, samples.totals);
    node.gain = node.split.purity - statistics_.purity(samples.totals);
    open_.push_back(std::move(node));
    if (options.max_leaves > 0) std::ranges::push_heap(open_, grows_later);
  }

  void split(OpenNode node) {
    const auto part = [&](const auto& ranks) { return part_samples(node, ranks.data()); };
    const std::size_t middle = std::visit(part, plan_.table[node.split.attribute].ranks);
    sketch_.split(node.index, node.split);
    const std::uint32_t left = sketch_.add(), right = sketch_.add();
    add_node(left, node.begin, middle, node.depth + 1, node.attributes);
    add_node(right, middle, node.end, node.depth + 1, std::move(node.attributes));
  }

  /// Moves the samples that go left to the front; both sides keep their order. @return Start of the right side.
  template <typename Rank>
  std::size_t part_samples(const OpenNode& node, const Rank* ranks) {
    right_.clear();
    std::size_t middle = node.begin;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Sample sample = samples_[i];
      if (sends_left(node.split, ranks[sample.record]))
        samples_[middle++] = sample;
      else
        right_.push_back(sample);
    }
    std::ranges::copy(right_, samples_.begin() + static_cast<std::ptrdiff_t>(middle));
    return middle;
  }

  /// Draws attributes without replacement, as many as configured, and continues until one of them varies. Attributes
  /// known to be constant are drawn like others, at no cost.
  /// @param attributes  Those that may vary; those found to be constant are removed.
  Split find_split(const Node& node, std::uint32_t index, std::vector<std::uint16_t>& attributes) {
    Split best;
    std::size_t num_drawn = 0, num_taken = 0, num_varied = 0;
    while (num_taken < attributes.size() && (num_drawn < plan_.attributes_per_split || num_varied == 0)) {
      const std::size_t begin = num_taken;
      do {
        num_taken += draw_attribute(index, num_drawn++, num_taken, attributes);
      } while (num_taken < attributes.size() && num_drawn < plan_.attributes_per_split);
      search({attributes.data() + begin, num_taken - begin}, node);
      for (std::size_t i = begin; i < num_taken; ++i) {
        const Split& split = results_[i - begin];
        if (split.constant) continue;
        if (split.found() && split.beats(best)) best = split;
        // Those that vary are moved to the front.
        std::swap(attributes[num_varied++], attributes[i]);
      }
    }
    attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(num_varied),
                     attributes.begin() + static_cast<std::ptrdiff_t>(num_taken));
    return best;
  }

  /// Draws one of the attributes not drawn before; those known to be constant count as following those that may vary.
  /// @return 1 when it may vary: then it is moved to index `num_taken`; otherwise 0.
  std::size_t draw_attribute(std::uint32_t index, std::size_t num_drawn, std::size_t num_taken,
                             std::vector<std::uint16_t>& attributes) const {
    const std::size_t num_all = plan_.table.size();
    if (plan_.attributes_per_split >= num_all) return 1;  // all are tried, in any order
    const Draw drawn =
        draw(plan_.options.seed, RngStream::kAttribute, tree_, 0, index, static_cast<std::uint32_t>(num_drawn / 4));
    const std::size_t place =
        num_taken + drawn.below(static_cast<int>(num_drawn % 4), static_cast<std::uint32_t>(num_all - num_drawn));
    if (place >= attributes.size()) return 0;
    std::swap(attributes[num_taken], attributes[place]);
    return 1;
  }

  void search(std::span<const std::uint16_t> attributes, const Node& node) {
    results_.resize(attributes.size());
    const auto find = [&](std::size_t i, int worker) {
      results_[i] = plan_.searches[static_cast<std::size_t>(worker)].find(node, plan_.table, attributes[i], statistics_,
                                                                          plan_.min_leaf_weight);
    };
    if (plan_.shares_nodes && attributes.size() * node.samples.size() >= kSharedWork) {
      plan_.pool.for_each(attributes.size(), find);
      return;
    }
    for (std::size_t i = 0; i < attributes.size(); ++i) find(i, worker_);
  }

  const GrowingPlan<Statistics>& plan_;
  const Statistics& statistics_;
  const std::uint32_t tree_;
  const int worker_;
  std::vector<Sample>& samples_;
  Sketch<Statistics> sketch_;
  std::vector<OpenNode> open_;
  std::vector<Sample> right_;
  std::vector<Split> results_;
};

}  // namespace

template <typename Statistics>
RecordTree grow_record_tree(const GrowingPlan<Statistics>& plan, std::uint32_t tree, int worker,
                            std::vector<Sample>& samples) {
  return TreeGrower<Statistics>(plan, tree, worker, samples).grow();
}

template RecordTree grow_record_tree(const GrowingPlan<ClassStatistics<GiniTerms>>&, std::uint32_t, int,
                                     std::vector<Sample>&);
template RecordTree grow_record_tree(const GrowingPlan<ClassStatistics<EntropyTerms>>&, std::uint32_t, int,
                                     std::vector<Sample>&);
template RecordTree grow_record_tree(const GrowingPlan<TargetStatistics>&, std::uint32_t, int, std::vector<Sample>&);

}  // namespace fernwood::records
