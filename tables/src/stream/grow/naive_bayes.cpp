// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"
#include "records/grow/finish_tree.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kSmallNumbers = 1 << 16;                 ///< Their logarithms are stored.
constexpr std::uint32_t kMaxInBayes = std::uint32_t{1} << 30;  ///< Records of a class in a node.
/// Above ln(2^30 + 256), the largest answer of a tree, of which the first adds two; and above half of ln(2^53), the
/// largest answer of leaves without naive Bayes.
constexpr double kMaxLog = 22;

double ln(double number) { return exact_log2(number) * 0.6931471805599453; }
std::int64_t scaled_log(double log, int fraction_bits) {
  return static_cast<std::int64_t>(std::floor(std::ldexp(log, fraction_bits) + 0.5));
}

/// [number] Their logarithms, computed once for all trees of the process.
std::vector<std::int32_t> logs_of_small_numbers(int fraction_bits) {
  static const std::vector<double> kLogs = [] {
    std::vector<double> logs(kSmallNumbers);
    for (std::size_t number = 1; number < kSmallNumbers; ++number) logs[number] = ln(static_cast<double>(number));
    return logs;
  }();
  std::vector<std::int32_t> scaled;
  for (const double log : kLogs) scaled.push_back(static_cast<std::int32_t>(scaled_log(log, fraction_bits)));
  return scaled;
}

/// Selects edges at regular intervals, so that there are at most kBayesBins bins.
Grid thin_out(const Grid& grid) {
  Grid thin;
  for (std::size_t a = 0; a < grid.num_attributes(); ++a) {
    const std::span<const float> edges = grid.edges_of(a);
    const std::size_t num_bins = std::min(kBayesBins, edges.size() + 1);
    for (std::size_t bin = 1; bin < num_bins; ++bin)
      thin.edges.push_back(edges[bin * (edges.size() + 1) / num_bins - 1]);
    thin.starts.push_back(static_cast<std::uint32_t>(thin.edges.size()));
  }
  return thin;
}

/// The number of `places` in the fullest bin between edges.
std::size_t heaviest(std::span<const float> edges, std::span<const float> places) {
  std::size_t most = 0;
  auto begin = places.begin();
  for (std::size_t bin = 0; bin <= edges.size(); ++bin) {
    const auto end = bin == edges.size() ? places.end() : std::upper_bound(begin, places.end(), edges[bin]);
    most = std::max(most, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return most;
}

}  // namespace

void NaiveBayes::follow(const CountLayout& layout) {
  if (layout.num_classes > num_classes_) widen(layout.num_classes);
  Grid thin = thin_out(layout.grid);
  bool serves = num_attributes() == thin.num_attributes();
  for (std::size_t a = 0; a < thin.num_attributes() && serves; ++a) {
    const std::span<const float> places = layout.grid.edges_of(a);
    serves = heaviest(grid_.edges_of(a), places) <= 2 * heaviest(thin.edges_of(a), places);
  }
  if (!serves) start_again(thin);
}

void NaiveBayes::start_again(const Grid& grid) {
  grid_ = grid;
  fraction_bits_ = records::fitting_fraction_bits(kMaxLog * (static_cast<double>(num_attributes()) + 2));
  logs_ = logs_of_small_numbers(fraction_bits_);
  for (Classifier& classifier : classifiers_) classifier = {};
}

void NaiveBayes::widen(std::size_t num_classes) {
  for (Classifier& classifier : classifiers_) {
    if (classifier.counted.empty()) continue;
    std::vector<std::uint32_t> counts(classifier.counted.counts.size() / num_classes_ * num_classes);
    for (std::size_t i = 0; i < classifier.counted.counts.size(); ++i)
      counts[i / num_classes_ * num_classes + i % num_classes_] = classifier.counted.counts[i];
    classifier.counted.counts = std::move(counts);
    classifier.counted.totals.resize(num_classes);
  }
  num_classes_ = num_classes;
  for (Classifier& classifier : classifiers_) update_offsets(classifier);
}

std::int64_t NaiveBayes::new_log_of(std::uint64_t number) const {
  return scaled_log(ln(static_cast<double>(number)), fraction_bits_);
}

void split_by_bins(std::span<const float> edges, std::uint16_t attribute, std::size_t leaf,
                   std::vector<records::RecordNode>& nodes, std::vector<std::size_t>& leaf_of_bin) {
  const auto split = [&](std::size_t node, float threshold) {
    nodes[node] = {threshold, static_cast<std::int32_t>(nodes.size()), attribute, 0};
    nodes.resize(nodes.size() + 2);
    return static_cast<std::size_t>(nodes[node].child);
  };
  struct Part {
    std::size_t node;
    AttributeRange bins;
  };
  leaf_of_bin.resize(edges.size() + 2);
  const std::size_t known = split(leaf, __builtin_huge_valf());
  leaf_of_bin.back() = known + 1;
  for (std::vector<Part> left = {{known, {0, edges.size() + 1}}}; !left.empty();) {
    const auto [node, bins] = left.back();
    left.pop_back();
    if (bins.size() == 1) {
      leaf_of_bin[bins.begin] = node;
      continue;
    }
    const std::size_t middle = (bins.begin + bins.end) / 2, child = split(node, edges[middle - 1]);
    left.insert(left.end(), {{child, {bins.begin, middle}}, {child + 1, {middle, bins.end}}});
  }
}

void NaiveBayes::renumber(const std::vector<std::int32_t>& indices, std::size_t num_nodes) {
  std::vector<Classifier> classifiers(num_nodes);
  for (std::size_t n = 0; n < std::min(indices.size(), classifiers_.size()); ++n)
    if (indices[n] >= 0) classifiers[static_cast<std::size_t>(indices[n])] = std::move(classifiers_[n]);
  classifiers_ = std::move(classifiers);
}

std::vector<std::int32_t> NaiveBayes::follow(const StreamTree& tree) {
  classifiers_.resize(tree.nodes().size());
  std::vector<std::int32_t> split;
  for (std::size_t n = 0; n < classifiers_.size(); ++n) {
    if (tree.nodes()[n].is_leaf() || !knows(n)) continue;
    const auto child = static_cast<std::size_t>(tree.nodes()[n].child);
    if (knows(child)) continue;
    split.push_back(static_cast<std::int32_t>(n));
    for (std::size_t side = 0; side < 2; ++side) {
      classifiers_[child + side].counted = share_of(classifiers_[n].counted, tree, split.back(), side);
      update_offsets(classifiers_[child + side]);
    }
  }
  return split;
}

/// A child's share of its parent's counts: for each class, in proportion to the records that both have seen; for the
/// attribute of the test only the bins on its side, for others all bins alike.
BayesCounts NaiveBayes::share_of(const BayesCounts& parent, const StreamTree& tree, std::int32_t node,
                                 std::size_t side) const {
  const records::RecordNode& test = tree.nodes()[static_cast<std::size_t>(node)];
  const auto seen = tree.counts(node), seen_by_child = tree.counts(test.child + static_cast<std::int32_t>(side));
  const std::span<const float> edges = grid_.edges_of(test.attribute);
  BayesCounts child{std::vector<std::uint32_t>(parent.counts.size()), std::vector<std::uint32_t>(num_classes_)};
  for (std::size_t c = 0; c < num_classes_; ++c) {
    const double share =  // above 1 only in a damaged checkpoint
        seen[c] == 0 ? 0 : std::min(1.0, static_cast<double>(seen_by_child[c]) / static_cast<double>(seen[c]));
    const auto part = [&](std::uint32_t count, double of) { return static_cast<std::uint32_t>(count * of + 0.5); };
    child.totals[c] = part(parent.totals[c], share);
    for (std::size_t i = c; i < child.counts.size(); i += num_classes_) child.counts[i] = part(parent.counts[i], share);
    const std::size_t first = test.attribute * (kBayesBins + 1) * num_classes_ + c;
    const auto is_on_side = [&](std::size_t bin) {
      if (bin > edges.size()) return (test.nan_left != 0) == (side == 0);
      return side == 0 ? bin == 0 || edges[bin - 1] < test.threshold
                       : bin == edges.size() || edges[bin] > test.threshold;
    };
    for (std::size_t bin = 0; bin < kBayesBins + 1; ++bin)
      child.counts[first + bin * num_classes_] =
          is_on_side(bin) ? std::min(parent.counts[first + bin * num_classes_], child.totals[c]) : 0;
  }
  return child;
}

void NaiveBayes::find_bins(const float* values, std::uint8_t* bins) const {
  for (std::size_t a = 0; a < num_attributes(); ++a) {
    const std::span<const float> edges = grid_.edges_of(a);
    bins[a] = bin_of(values[a], edges.data(), static_cast<std::uint32_t>(edges.size()));
  }
}

void NaiveBayes::learn(std::size_t node, const std::uint8_t* bins, std::int32_t label) {
  Classifier& classifier = classifiers_[node];
  BayesCounts& counted = classifier.counted;
  const auto of_class = static_cast<std::size_t>(label);
  // Counts start from 0 when they might overflow.
  if (!counted.empty() && counted.totals[of_class] >= kMaxInBayes) classifier = {};
  if (counted.empty()) {
    counted = {std::vector<std::uint32_t>(counts_size()), std::vector<std::uint32_t>(num_classes_)};
    update_offsets(classifier);
  }
  ++counted.totals[of_class];
  std::uint32_t* row = counted.counts.data() + of_class;
  for (std::size_t a = 0; a < num_attributes(); ++a, row += (kBayesBins + 1) * num_classes_)
    ++row[bins[a] * num_classes_];
  classifier.offsets[of_class] = offset(counted, of_class);
}

/// ln(n + 1); the denominators are in evidence().
std::int64_t NaiveBayes::prior(const BayesCounts& counted, std::size_t label) const {
  return log_of(std::uint64_t{counted.totals[label]} + 1);
}

/// ln((m + 1) / (n + k)).
std::int64_t NaiveBayes::evidence(const BayesCounts& counted, std::size_t attribute, std::size_t bin,
                                  std::size_t label) const {
  const std::size_t num_bins = grid_.num_bins(attribute) + 1;
  return log_of(std::uint64_t{counted.counts[(attribute * (kBayesBins + 1) + bin) * num_classes_ + label]} + 1) -
         log_of(std::uint64_t{counted.totals[label]} + num_bins);
}

std::int64_t NaiveBayes::offset(const BayesCounts& counted, std::size_t label) const {
  std::int64_t sum = prior(counted, label);
  for (std::size_t a = 0; a < num_attributes(); ++a)
    sum -= log_of(std::uint64_t{counted.totals[label]} + grid_.num_bins(a) + 1);
  return sum;
}

void NaiveBayes::update_offsets(Classifier& classifier) const {
  classifier.offsets.clear();
  for (std::size_t c = 0; c < classifier.counted.totals.size(); ++c)
    classifier.offsets.push_back(offset(classifier.counted, c));
}

std::int64_t NaiveBayes::sum_of(const Classifier& classifier, const std::uint8_t* bins, std::size_t label) const {
  std::int64_t sum = classifier.offsets[label];
  const std::uint32_t* row = classifier.counted.counts.data() + label;
  for (std::size_t a = 0; a < num_attributes(); ++a, row += (kBayesBins + 1) * num_classes_)
    sum += log_of(std::uint64_t{row[bins[a] * num_classes_]} + 1);
  return sum;
}

std::int32_t NaiveBayes::classify(std::size_t node, const std::uint8_t* bins) const {
  std::size_t best = 0;
  std::int64_t most = 0;
  for (std::size_t c = 0; c < num_classes_; ++c)
    if (const std::int64_t sum = sum_of(classifiers_[node], bins, c); c == 0 || sum > most) best = c, most = sum;
  return static_cast<std::int32_t>(best);
}

void NaiveBayes::find_shares(std::size_t node, const float* values, double* shares) const {
  std::vector<std::uint8_t> bins(num_attributes());
  find_bins(values, bins.data());
  for (std::size_t c = 0; c < num_classes_; ++c)
    shares[c] = std::ldexp(static_cast<double>(sum_of(classifiers_[node], bins.data(), c)), -fraction_bits_);
  const double most = *std::max_element(shares, shares + num_classes_);
  double sum = 0;
  for (std::size_t c = 0; c < num_classes_; ++c) sum += shares[c] = std::exp(shares[c] - most);
  for (std::size_t c = 0; c < num_classes_; ++c) shares[c] /= sum;
}

records::RecordTree NaiveBayes::make_tree(const StreamTree& tree, const std::vector<std::uint8_t>& uses_bayes,
                                          std::size_t attribute) const {
  std::vector<records::RecordNode> nodes = tree.nodes();
  std::vector<std::vector<std::int32_t>> values(nodes.size());
  const auto set_values = [&](std::size_t node, const auto& value_of) {
    values.resize(std::max(values.size(), node + 1));
    for (std::size_t c = 0; c < num_classes_; ++c) values[node].push_back(static_cast<std::int32_t>(value_of(c)));
  };
  std::vector<std::size_t> leaf_of_bin;
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    if (!nodes[n].is_leaf()) continue;
    const auto seen = tree.counts(static_cast<std::int32_t>(n));
    if (!uses_bayes[n]) {
      set_values(n, [&](std::size_t c) { return attribute == 0 ? log_of(seen[c] + 1) : 0; });
      continue;
    }
    const BayesCounts& counted = classifiers_[n].counted;
    split_by_bins(grid_.edges_of(attribute), static_cast<std::uint16_t>(attribute), n, nodes, leaf_of_bin);
    for (std::size_t bin = 0; bin < leaf_of_bin.size(); ++bin)
      set_values(leaf_of_bin[bin], [&](std::size_t c) {
        return evidence(counted, attribute, bin, c) + (attribute == 0 ? prior(counted, c) : 0);
      });
  }
  return records::finish_nodes(nodes, {}, num_classes_,
                               [&](std::size_t n, std::int32_t* row) { std::ranges::copy(values[n], row); });
}

records::RecordForest NaiveBayes::make_forest(const StreamTree& tree,
                                              const std::vector<std::uint8_t>& uses_bayes) const {
  records::RecordForest forest;
  forest.link = records::Link::kSoftmax;
  forest.fraction_bits = fraction_bits_;
  forest.base.assign(num_classes_, 0);
  for (std::size_t a = 0; a < num_attributes(); ++a) forest.trees.push_back(make_tree(tree, uses_bayes, a));
  return forest;
}

bool NaiveBayes::is_possible(const BayesCounts& counts) const {
  const auto fits = [](std::uint32_t count) { return count <= kMaxInBayes; };
  return counts.empty() ? counts.counts.empty()
                        : counts.totals.size() == num_classes_ && counts.counts.size() == counts_size() &&
                              std::ranges::all_of(counts.totals, fits) && std::ranges::all_of(counts.counts, fits);
}

void NaiveBayes::pack(Packer& packer) const {
  packer.put(grid_.starts);
  packer.put(grid_.edges);
  packer.put(std::uint64_t{classifiers_.size()});
  for (const Classifier& classifier : classifiers_) {
    packer.put(classifier.counted.counts);
    packer.put(classifier.counted.totals);
  }
}

void NaiveBayes::unpack(Unpacker& unpacker, const CountLayout& layout, std::size_t num_nodes) {
  Grid grid;
  unpacker.get(grid.starts);
  unpacker.get(grid.edges);
  const auto is_narrow = [&](std::size_t a) { return grid.num_bins(a) <= kBayesBins; };
  FW_CHECK(is_usable(grid, layout.num_attributes), Model, "its naive Bayes bins are invalid");
  for (std::size_t a = 0; a < grid.num_attributes(); ++a)
    FW_CHECK(is_narrow(a), Model, "naive Bayes has too many bins");
  num_classes_ = layout.num_classes;
  start_again(grid);
  const auto num_leaves = unpacker.get<std::uint64_t>();
  FW_CHECK(num_leaves <= num_nodes, Model, num_leaves << " classifiers are of " << num_nodes << " nodes");
  classifiers_.assign(static_cast<std::size_t>(num_leaves), {});
  for (Classifier& classifier : classifiers_) {
    unpacker.get(classifier.counted.counts);
    unpacker.get(classifier.counted.totals);
    FW_CHECK(is_possible(classifier.counted), Model, "what a classifier has counted is not possible");
    update_offsets(classifier);
  }
}

}  // namespace fernwood::stream
