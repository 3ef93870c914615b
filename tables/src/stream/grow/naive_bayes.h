// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/records/record_forest.h"
#include "stream/grow/stream_tree.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Most bins of an attribute in a node; unknown values have one more.
inline constexpr std::size_t kBayesBins = 8;

/// Counts of the naive Bayes classifier of a node; it may be empty.
struct BayesCounts {
  std::vector<std::uint32_t> counts;  ///< [attribute][kBayesBins + 1][class]
  std::vector<std::uint32_t> totals;  ///< [class]

  bool empty() const { return totals.empty(); }
};

/// Replaces a leaf by a balanced tree over the bins of an attribute, with unknown values separate. @param leaf_of_bin
/// [bins + 1] Written: the leaves.
void split_by_bins(std::span<const float> edges, std::uint16_t attribute, std::size_t leaf,
                   std::vector<records::RecordNode>& nodes, std::vector<std::size_t>& leaf_of_bin);

/// Naive Bayes classifiers of the nodes of a tree: an attribute's values are counted in few bins. For a class with n
/// records, of which m are in a record's bin, with k bins, ln((m + 1) / (n + k)) is summed over the attributes, in
/// whole numbers. So all classifiers together are a forest with a tree for each attribute.
class NaiveBayes {
 public:
  /// Adopts a new layout of counts, whose edges divide values evenly. Counts start from 0, with a new selection of
  /// these edges, if attributes were added, or if bins have become more than twice as heavy as the new ones would be.
  void follow(const CountLayout& layout);
  /// Adopts a new numbering of nodes. @param indices  [old node] New index, or -1: removed.
  void renumber(const std::vector<std::int32_t>& indices, std::size_t num_nodes);
  /// Initialises the children of nodes that were split with their shares of these nodes' counts.
  /// @return  The nodes that were split.
  std::vector<std::int32_t> follow(const StreamTree& tree);
  /// Adds classes, with counts of 0.
  void widen(std::size_t num_classes);

  /// @param values  [attribute] @param bins  [attribute], written.
  void find_bins(const float* values, std::uint8_t* bins) const;
  /// Counts a record in a node.
  void learn(std::size_t node, const std::uint8_t* bins, std::int32_t label);

  std::size_t num_nodes() const { return classifiers_.size(); }
  bool knows(std::size_t node) const { return node < classifiers_.size() && !classifiers_[node].counted.empty(); }
  /// The class of the largest sum, the first of equal ones. @param node  With knows(node). @param bins  [attribute]
  std::int32_t classify(std::size_t node, const std::uint8_t* bins) const;
  /// Probabilities of the classes. @param values  [attribute] @param shares  [class], written.
  void find_shares(std::size_t node, const float* values, double* shares) const;

  /// A tree for each attribute, whose leaves answer the summands of classify(); other leaves answer the logarithms of
  /// their classes' shares in the first tree. @param uses_bayes  [node]
  records::RecordForest make_forest(const StreamTree& tree, const std::vector<std::uint8_t>& uses_bayes) const;

  std::size_t counts_size() const { return num_attributes() * (kBayesBins + 1) * num_classes_; }
  std::size_t num_classes() const { return num_classes_; }
  bool is_possible(const BayesCounts& counts) const;

  void pack(Packer& packer) const;
  /// @throws Error for invalid data. @param layout  In which it was packed.
  void unpack(Unpacker& unpacker, const CountLayout& layout, std::size_t num_nodes);

 private:
  struct Classifier {
    BayesCounts counted;
    std::vector<std::int64_t> offsets;  ///< [class] The summands that do not depend on the record.
  };

  std::size_t num_attributes() const { return grid_.num_attributes(); }
  /// ln(number) in units of 2^-fraction_bits_. @param number  At least 1.
  std::int64_t log_of(std::uint64_t number) const {
    return number < logs_.size() ? logs_[static_cast<std::size_t>(number)] : new_log_of(number);
  }
  std::int64_t new_log_of(std::uint64_t number) const;
  std::int64_t prior(const BayesCounts& counted, std::size_t label) const;
  std::int64_t evidence(const BayesCounts& counted, std::size_t attribute, std::size_t bin, std::size_t label) const;
  void start_again(const Grid& grid);
  std::int64_t offset(const BayesCounts& counted, std::size_t label) const;
  void update_offsets(Classifier& classifier) const;
  std::int64_t sum_of(const Classifier& classifier, const std::uint8_t* bins, std::size_t label) const;
  BayesCounts share_of(const BayesCounts& parent, const StreamTree& tree, std::int32_t node, std::size_t side) const;
  records::RecordTree make_tree(const StreamTree& tree, const std::vector<std::uint8_t>& uses_bayes,
                                std::size_t attribute) const;

  Grid grid_;
  std::size_t num_classes_ = 0;
  int fraction_bits_ = 0;
  std::vector<std::int32_t> logs_;       ///< [number] For small numbers.
  std::vector<Classifier> classifiers_;  ///< [node]
};

}  // namespace fernwood::stream
