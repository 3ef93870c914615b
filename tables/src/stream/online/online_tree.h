// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/stream/stream_options.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Most bins of an attribute for naive Bayes; unknown values have one more.
inline constexpr std::size_t kVoteBins = 8;

/// Logarithms of the shares of classes are whole numbers of this unit, 2^-kVoteBits.
inline constexpr int kVoteBits = 16;

/// Bin for naive Bayes of a bin of an attribute. @param num_bins  Of known values.
constexpr std::size_t vote_bin(std::size_t bin, std::size_t num_bins) {
  if (bin >= num_bins) return kVoteBins;
  return num_bins <= kVoteBins ? bin : bin * kVoteBins / num_bins;
}

/// What all trees of a forest share.
struct OnlineShape {
  StreamOptions options;
  CountLayout layout;  ///< Bins of all attributes, number of classes, conversion of targets to whole numbers.

  std::size_t num_cells() const { return layout.statistics().size(); }
  bool of_targets() const { return layout.targets.has_value(); }
  bool has_bayes() const { return options.leaf_prediction == LeafPrediction::kNaiveBayesAdaptive && !of_targets(); }
  /// Number of attributes that a leaf counts: 60 % of all with Subspace::kTree, else sqrt(all) + 1.
  std::size_t subspace() const;
};

/// A record in the forms in which trees need it.
struct OnlineRecord {
  const float* values;       ///< [attribute]
  const std::uint8_t* bins;  ///< [attribute]
  std::int64_t label;        ///< Number of its class, or its target's number.
};

/// The prediction of a leaf for a record.
struct OnlineAnswer {
  std::int64_t value = 0;     ///< The class, or the target's number.
  std::int64_t majority = 0;  ///< The class without naive Bayes.
  std::int64_t bayes = 0;     ///< The class by naive Bayes, if the shape has it.
};

/// A Hoeffding tree that learns record by record. A leaf counts the records that have reached it since it is a leaf, in
/// the bins of a random subspace of attributes; all numbers are whole, with the weights of records.
class OnlineTree {
 public:
  OnlineTree() = default;
  /// @param number, serial  Of the tree, and of the trees that it replaces: they determine its random subspaces.
  OnlineTree(const OnlineShape& shape, std::uint32_t number, std::uint32_t serial);

  /// Number of the leaf that a record reaches.
  std::size_t find_leaf(const float* values) const {
    return static_cast<std::size_t>(
        records::find_leaf_of(nodes_.data(), [&](std::uint16_t attribute) { return values[attribute]; }));
  }
  /// @param votes  [class] Written: logarithms of the shares of classes, up to a common summand; or [1] the target.
  OnlineAnswer predict(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record,
                       std::int64_t* votes) const;
  /// Notes whether the two predictions of a leaf were right.
  void note(std::size_t leaf, bool majority_right, bool bayes_right);
  /// Counts a record, and splits the leaf if it is time to.
  void learn(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record, std::int64_t weight);

  /// Adopts another layout: counts move to the bins that contain the upper edges of their bins.
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
  struct Split {
    double gain = 0;
    std::size_t place = 0;  ///< In the subspace.
    float threshold = 0;
    bool nan_left = false;
  };

  std::size_t row_size(const OnlineShape& shape) const {
    return (static_cast<std::size_t>(shape.options.bins) + 1) * shape.num_cells();
  }
  std::size_t vote_row_size(const OnlineShape& shape) const { return (kVoteBins + 1) * shape.num_cells(); }
  const std::uint16_t* subspace_of(std::size_t leaf, const OnlineShape& shape) const {
    return attributes_.data() + leaf * shape.subspace();
  }
  std::size_t add_leaf(const OnlineShape& shape, Leaf leaf, std::span<const std::int64_t> seen);
  void set_leaf(const OnlineShape& shape, std::size_t index, const Leaf& leaf, std::span<const std::int64_t> seen);
  bool uses_bayes(std::size_t leaf, const OnlineShape& shape) const {
    return shape.has_bayes() && leaves_[leaf].bayes_right > leaves_[leaf].majority_right;
  }
  std::int64_t prior(const OnlineShape& shape, std::size_t leaf, std::size_t label) const;
  std::int64_t evidence(const OnlineShape& shape, std::size_t leaf, std::size_t place, std::size_t bin,
                        std::size_t label) const;
  void search(const OnlineShape& shape, std::size_t leaf);
  double sweep(const OnlineShape& shape, std::size_t leaf, std::size_t place, Split& best,
               std::vector<std::int64_t>& best_left) const;
  void split(const OnlineShape& shape, std::size_t leaf, const Split& split, std::span<const std::int64_t> left);

  std::uint32_t number_ = 0, serial_ = 0;
  std::uint32_t num_subspaces_ = 0;         ///< Drawn so far.
  std::vector<records::RecordNode> nodes_;  ///< Siblings adjacent, after their parents; leaves have their numbers.
  std::vector<double> gains_;               ///< [node] Decrease of impurity by its test.
  std::vector<Leaf> leaves_;
  std::vector<std::uint16_t> attributes_;  ///< [leaf][subspace]
  std::vector<std::int64_t> seen_;         ///< [leaf][cell] With its share of the records of its parent.
  std::vector<std::int64_t> own_;          ///< [leaf][cell] Of the records that it has counted.
  std::vector<std::int64_t> counts_;       ///< [leaf][subspace][bins + 1][cell] Of these.
  std::vector<std::int64_t> vote_counts_;  ///< [leaf][subspace][kVoteBins + 1][cell] The same in few bins.
};

}  // namespace fernwood::stream
