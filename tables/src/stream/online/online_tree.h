// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/records/record_forest.h"
#include "stream/online/bayes_bin.h"
#include "stream/online/online_shape.h"
#include "stream/online/split_search.h"

namespace fernwood::stream {

/// A record for trees.
struct OnlineRecord {
  const float* values;  ///< [attribute]
  std::int64_t label;   ///< Number of its class, or its target's number.
};

/// A Hoeffding tree that learns record by record. A leaf counts the records that have reached it since it is a leaf, in
/// the bins of a random subspace of attributes; all numbers are whole, with the weights of records. The bins divide the
/// leaf's part of the space.
class OnlineTree {
 public:
  OnlineTree() = default;
  /// @param number, serial  Of the tree, and of the trees that it replaces: they determine its random subspaces.
  OnlineTree(const OnlineShape& shape, std::uint32_t number, std::uint32_t serial);

  /// Predicts a record, then learns it.
  /// @param weight  0: it is not learnt.
  /// @param votes  [class] Written: logarithms of the shares of classes, up to a common summand; or [1] the target.
  /// @return The class, or the target's number.
  std::int64_t test_and_learn(const OnlineShape& shape, const OnlineRecord& record, std::int64_t weight,
                              std::span<std::int64_t> votes);
  /// Adopts another number of classes or attributes. Leaves with another number of attributes count from the beginning.
  void adopt(const OnlineShape& before, const OnlineShape& now);

  std::size_t num_leaves() const { return leaves_.size(); }
  int depth() const;
  std::size_t bytes() const;
  /// [attribute] Decrease of impurity by the tests of an attribute, times the weight of the records in the leaves
  /// below.
  void add_gains(std::vector<double>& gains) const;

  /// Trees whose answers add up to the votes: one, or one for each attribute of a leaf's subspace.
  /// @param share  Factor of the votes. @param fraction_bits  Of the leaves of the forest.
  void add_classifiers(const OnlineShape& shape, double share, int fraction_bits,
                       std::vector<records::RecordTree>& trees) const;
  records::RecordTree regressor(const OnlineShape& shape) const;

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker, const OnlineShape& shape);

 private:
  struct Leaf {
    std::int32_t node = 0, depth = 0;
    std::int64_t weight = 0;                           ///< Of the records that it has counted.
    std::int64_t tried_at = 0;                         ///< The weight at the last search for a split.
    std::int64_t majority_right = 0, bayes_right = 0;  ///< Of its predictions before it learnt.
  };

  std::span<const std::uint16_t> subspace_of(std::size_t leaf, const OnlineShape& shape) const {
    return std::span(attributes_).subspan(leaf * shape.subspace(), shape.subspace());
  }
  std::span<const float> edges_of(std::size_t leaf, std::size_t place, const OnlineShape& shape) const {
    return std::span(edges_).subspan((leaf * shape.subspace() + place) * shape.bins(), shape.bins());
  }
  std::span<const std::int64_t> own_of(std::size_t leaf, const OnlineShape& shape) const {
    return std::span(own_).subspan(leaf * shape.num_cells(), shape.num_cells());
  }
  const std::int64_t* counts_of(std::size_t leaf, std::size_t place, const OnlineShape& shape) const {
    return counts_.data() + (leaf * shape.subspace() + place) * shape.row_size();
  }
  BayesBin bayes_bin(const OnlineShape& shape, std::size_t leaf, std::size_t place, std::size_t bin) const {
    return {edges_of(leaf, place, shape), counts_of(leaf, place, shape), bin, shape.num_cells()};
  }
  /// Naive Bayes without the evidence of attributes.
  std::int64_t prior(const OnlineShape& shape, std::size_t leaf, std::size_t label) const;
  void add_leaf(const OnlineShape& shape, const Leaf& leaf, std::span<const std::int64_t> seen,
                std::span<const ValueRange> ranges);
  void set_leaf(const OnlineShape& shape, std::size_t index, const Leaf& leaf, std::span<const std::int64_t> seen,
                std::span<const ValueRange> ranges);
  bool uses_bayes(std::size_t leaf, const OnlineShape& shape) const {
    return shape.has_bayes() && leaves_[leaf].bayes_right > leaves_[leaf].majority_right;
  }
  void find_bins(const OnlineShape& shape, std::size_t leaf, const float* values);
  std::int64_t predict(const OnlineShape& shape, std::size_t leaf, std::int64_t label, std::span<std::int64_t> votes);
  void learn(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record, std::int64_t weight);
  void search(const OnlineShape& shape, std::size_t leaf, const float* values);
  std::vector<ValueRange> ranges_of(const OnlineShape& shape, const float* values) const;
  void split(const OnlineShape& shape, std::size_t leaf, const OnlineSplit& split, std::vector<ValueRange> ranges);

  std::uint32_t number_ = 0, serial_ = 0;
  std::uint32_t num_subspaces_ = 0;         ///< Drawn so far.
  std::vector<records::RecordNode> nodes_;  ///< Siblings adjacent, after their parents; leaves have their numbers.
  std::vector<double> gains_;               ///< [node] Decrease of impurity by its test.
  std::vector<Leaf> leaves_;
  std::vector<std::uint16_t> attributes_;  ///< [leaf][subspace]
  std::vector<float> edges_;               ///< [leaf][subspace][bins] Ascending, filled up with infinity.
  std::vector<std::int64_t> seen_;         ///< [leaf][cell] With its share of the records of its parent.
  std::vector<std::int64_t> own_;          ///< [leaf][cell] Of the records that it has counted.
  std::vector<std::int64_t> counts_;       ///< [leaf][subspace][bins + 1][cell] Of these.
  std::vector<std::uint8_t> bins_;         ///< [subspace] Of the record that is tested and learnt.
};

}  // namespace fernwood::stream
