// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/stream/stream_options.h"
#include "stream/online/recent_values.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// What all trees of a forest share.
struct OnlineShape {
  StreamOptions options;
  CountLayout layout;  ///< Number of attributes and classes, conversion of targets to whole numbers.
  RecentValues recent = {};

  std::size_t num_cells() const { return layout.statistics().size(); }
  bool of_targets() const { return layout.targets.has_value(); }
  bool has_bayes() const { return options.leaf_prediction == LeafPrediction::kNaiveBayesAdaptive && !of_targets(); }
  /// Number of attributes that a leaf counts: 60 % of all.
  std::size_t subspace() const { return (6 * layout.num_attributes + 9) / 10; }
  std::size_t bins() const { return static_cast<std::size_t>(options.bins); }
  /// Size of the counts of an attribute in a leaf.
  std::size_t row_size() const { return (bins() + 1) * num_cells(); }
};

}  // namespace fernwood::stream
