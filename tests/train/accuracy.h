// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>

#include "fernwood/core/confusion.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"

namespace fernwood::train {

/// Reference labels of a frame: the class with the highest sum of the trees' leaf votes at each pixel.
inline image::LabelImage label_plainly(const forest::Forest& forest, const image::Frame& frame) {
  const image::PreparedFrame prepared(frame, forest.preparation);
  const image::FrameView view = prepared.view();
  std::vector<Array2<float>> tables;
  for (const forest::Tree& tree : forest.labelling_trees())
    tables.push_back(forest::leaf_votes(forest, tree, tables.size()));
  image::LabelImage labels(frame.rows(), frame.cols(), image::kVoid);
  for (int y = 0; y < view.rows; ++y)
    for (int x = 0; x < view.cols; ++x) {
      std::vector<float> sums(forest.classes.size(), 0);
      for (std::size_t k = 0; k < tables.size(); ++k) {
        const auto leaf = static_cast<std::size_t>(
            forest::find_leaf(forest.labelling_trees()[k].nodes.data(), view, forest::pixel_site(view, x, y, false)));
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += tables[k](leaf, c);
      }
      labels(static_cast<std::size_t>(y), static_cast<std::size_t>(x)) =
          static_cast<std::uint16_t>(std::ranges::max_element(sums) - sums.begin());
    }
  return labels;
}

/// Accuracies of a forest on all labelled pixels of a data set.
inline Accuracy accuracies_on(const forest::Forest& forest, const dataset::Dataset& dataset) {
  std::vector<std::uint64_t> right(forest.classes.size()), pixels(forest.classes.size());
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const image::LabelImage truth = dataset.read_labels(i, forest.classes),
                            got = label_plainly(forest, dataset.read_frame(i));
    for (std::size_t p = 0; p < truth.size(); ++p) {
      const std::uint16_t label = truth.data()[p];
      if (label == image::kVoid) continue;
      ++pixels[label];
      right[label] += label == got.data()[p];
    }
  }
  return fernwood::accuracy_of(right, pixels);
}

/// Share of the labelled pixels that are classified correctly.
inline double accuracy_on(const forest::Forest& forest, const dataset::Dataset& dataset) {
  return accuracies_on(forest, dataset).pixel;
}

inline double majority_share(const forest::Forest& forest) {
  double most = 0, sum = 0;
  for (const std::uint64_t pixels : forest.class_pixels) {
    most = std::max(most, static_cast<double>(pixels));
    sum += static_cast<double>(pixels);
  }
  return most / sum;
}

}  // namespace fernwood::train
