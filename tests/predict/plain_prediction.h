// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reference implementation of predictions, as simple as possible.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"
#include "forest/noise.h"

namespace fernwood::predict {

inline constexpr PredictRequest kAll{.probabilities = true, .per_tree = true};

/// Probabilities from the sums of votes over trees.
inline std::vector<float> plain_scaled(forest::ForestKind kind, std::vector<float> sums, std::size_t num_trees) {
  const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind, sums.data(), sums.size(), num_trees);
  std::vector<float> probabilities;
  for (const float sum : sums) probabilities.push_back(scale.probability(sum));
  return probabilities;
}

/// Sums of votes at one pixel, added in the order of the trees.
/// @param exits  Whether a lead that is sure after 8, 16, ... trees ends the sum, see early_exit.h.
inline std::vector<float> plain_sums(const std::vector<forest::Tree>& trees, const std::vector<Array2<float>>& tables,
                                     const image::FrameView& view, int x, int y, bool exits = false) {
  const forest::PixelSite site = forest::pixel_site(view, x, y, false);
  std::vector<float> sums(tables.at(0).cols(), 0.0f);
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const auto leaf = static_cast<std::size_t>(forest::find_leaf(trees[k].nodes.data(), view, site));
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += tables[k](leaf, c);
    if (!exits || (k + 1) % 8 != 0) continue;
    std::vector<float> sorted = sums;
    std::ranges::sort(sorted, std::greater<>());
    const float lead = sorted.size() > 1 ? sorted[0] - sorted[1] : 1e9f, all = static_cast<float>(trees.size());
    if (lead * lead * all > 2.5f * 2.5f * (all - static_cast<float>(k + 1))) break;
  }
  return sums;
}

/// Class probabilities that trees predict at the representative pixels of cells.
inline image::ContextMaps plain_maps(const forest::Forest& forest, const std::vector<forest::Tree>& trees,
                                     const image::FrameView& view, bool exits = false) {
  image::ContextMaps maps{static_cast<std::size_t>(image::context_cells(view.rows)),
                          static_cast<std::size_t>(image::context_cells(view.cols)),
                          {}};
  maps.values.resize(forest.classes.size() * maps.rows * maps.cols);
  std::vector<Array2<float>> tables;
  for (const forest::Tree& tree : trees) tables.push_back(forest::leaf_votes(forest, tree, tables.size()));
  for (std::size_t cell = 0; cell < maps.rows * maps.cols; ++cell) {
    const int x = image::context_pixel(static_cast<int>(cell % maps.cols), view.cols);
    const int y = image::context_pixel(static_cast<int>(cell / maps.cols), view.rows);
    const std::vector<float> shares =
        plain_scaled(forest.kind, plain_sums(trees, tables, view, x, y, exits), trees.size());
    for (std::size_t c = 0; c < shares.size(); ++c)
      maps.values[c * maps.rows * maps.cols + cell] = image::context_step(shares[c]);
  }
  return maps;
}

/// A frame as the last stage reads it; context is computed cell by cell, directly from the formulas.
inline image::PreparedFrame plain_prepared(const forest::Forest& forest, const image::Frame& frame) {
  image::PreparedFrame prepared(frame, forest.preparation);
  for (std::size_t s = 0; s + 1 < forest.num_stages(); ++s)
    prepared.set_context(plain_maps(forest, forest.stages[s], prepared.view()));
  return prepared;
}

/// A prediction computed pixel by pixel, directly from the formulas.
inline Prediction plain_prediction(const forest::Forest& forest, const std::vector<forest::Tree>& trees,
                                   const image::Frame& frame) {
  const image::PreparedFrame prepared = plain_prepared(forest, frame);
  const image::FrameView view = prepared.view();
  const std::size_t num_classes = forest.classes.size();
  std::vector<Array2<float>> tables;
  for (const forest::Tree& tree : trees) tables.push_back(forest::leaf_votes(forest, tree, tables.size()));
  const std::vector<forest::ClassPriorCorrection> correction = forest::correct_sums(forest);
  Prediction out;
  out.labels = image::LabelImage(frame.rows(), frame.cols(), image::kVoid);
  out.probabilities.assign(num_classes, Array2<float>(frame.rows(), frame.cols()));
  for (std::size_t y = 0; y < frame.rows(); ++y)
    for (std::size_t x = 0; x < frame.cols(); ++x) {
      const std::vector<float> sums = plain_sums(trees, tables, view, static_cast<int>(x), static_cast<int>(y));
      const std::vector<float> shares = plain_scaled(forest.kind, sums, trees.size());
      float highest = 0;
      for (std::size_t c = 0; c < num_classes; ++c) {
        out.probabilities[c](y, x) = shares[c];
        if (correction[c].of(sums[c]) > highest) {
          highest = correction[c].of(sums[c]);
          out.labels(y, x) = static_cast<std::uint16_t>(c);
        }
      }
    }
  return out;
}

/// Replaces cells in blocks of a side whose corners have one class, see cell_refinement.h.
inline void plain_blocks(std::size_t side, std::size_t num_classes, std::vector<bool>& known,
                         image::ContextMaps& maps) {
  const image::ContextMaps before = maps;
  const auto value = [&](std::size_t c, std::size_t row, std::size_t col) {
    return static_cast<int>(before.values[(c * maps.rows + row) * maps.cols + col]);
  };
  const auto best = [&](std::size_t row, std::size_t col) {
    std::size_t at = 0;
    for (std::size_t c = 1; c < num_classes; ++c) at = value(c, row, col) > value(at, row, col) ? c : at;
    return at;
  };
  for (std::size_t row = 0; row < maps.rows; ++row)
    for (std::size_t col = 0; col < maps.cols; ++col) {
      const std::size_t down = row % side, across = col % side, top = row - down, left = col - across;
      const std::size_t bottom = top + side < maps.rows ? top + side : top,
                        right = left + side < maps.cols ? left + side : left;
      if ((down == 0 && across == 0) || known[row * maps.cols + col]) continue;
      if (best(top, right) != best(top, left) || best(bottom, left) != best(top, left) ||
          best(bottom, right) != best(top, left))
        continue;
      known[row * maps.cols + col] = true;
      const auto s = static_cast<int>(side), x = static_cast<int>(across), y = static_cast<int>(down);
      for (std::size_t c = 0; c < num_classes; ++c) {
        const int sum = (value(c, top, left) * (s - x) + value(c, top, right) * x) * (s - y) +
                        (value(c, bottom, left) * (s - x) + value(c, bottom, right) * x) * y;
        maps.values[(c * maps.rows + row) * maps.cols + col] = static_cast<std::uint8_t>((sum + s * s / 2) / (s * s));
      }
    }
}

/// The cells of the labelling stage. @param refined  Whether those in blocks with corners of one class are
/// interpolated.
inline image::ContextMaps plain_cells(const forest::Forest& forest, const image::Frame& frame, bool refined = true) {
  const image::PreparedFrame prepared = plain_prepared(forest, frame);
  image::ContextMaps maps =
      plain_maps(forest, forest.labelling_trees(), prepared.view(), forest.kind == forest::ForestKind::kBoosted);
  std::vector<bool> known(maps.rows * maps.cols);
  for (const std::size_t side : {4u, 2u})
    if (refined) plain_blocks(side, forest.classes.size(), known, maps);
  return maps;
}

/// A prediction that evaluates trees only at cells, and interpolates between them. @param refined  See plain_cells().
inline Prediction plain_interpolated(const forest::Forest& forest, const image::Frame& frame, bool refined = true) {
  const image::ContextMaps maps = plain_cells(forest, frame, refined);
  const auto rows = static_cast<std::int32_t>(maps.rows), cols = static_cast<std::int32_t>(maps.cols);
  const std::vector<forest::ClassPriorCorrection> correction = forest::correct_probabilities(forest, false);
  Prediction out;
  out.labels = image::LabelImage(frame.rows(), frame.cols(), image::kVoid);
  out.probabilities.assign(forest.classes.size(), Array2<float>(frame.rows(), frame.cols()));
  for (std::size_t y = 0; y < frame.rows(); ++y)
    for (std::size_t x = 0; x < frame.cols(); ++x) {
      float highest = 0;
      for (std::size_t c = 0; c < forest.classes.size(); ++c) {
        const float share =
            image::context_share(image::context_value({maps.values.data() + c * maps.rows * maps.cols, rows, cols},
                                                      image::context_place(static_cast<std::int32_t>(x), cols),
                                                      image::context_place(static_cast<std::int32_t>(y), rows)));
        out.probabilities[c](y, x) = share;
        if (correction[c].of(share) > highest) {
          highest = correction[c].of(share);
          out.labels(y, x) = static_cast<std::uint16_t>(c);
        }
      }
    }
  return out;
}

inline void expect_same(const Prediction& got, const Prediction& wanted) {
  EXPECT_EQ(got.labels, wanted.labels);
  ASSERT_EQ(got.probabilities.size(), wanted.probabilities.size());
  for (std::size_t c = 0; c < got.probabilities.size(); ++c)
    EXPECT_EQ(got.probabilities[c], wanted.probabilities[c]) << "class " << c;
}

/// The same with the predictions of each tree.
inline Prediction plain_prediction(const forest::Forest& forest, const image::Frame& frame) {
  Prediction all = plain_prediction(forest, forest.labelling_trees(), frame);
  for (const forest::Tree& tree : forest.labelling_trees())
    all.trees.push_back(plain_prediction(forest, {tree}, frame));
  return all;
}

inline void expect_all_same(const Prediction& got, const Prediction& wanted) {
  expect_same(got, wanted);
  ASSERT_EQ(got.trees.size(), wanted.trees.size());
  for (std::size_t k = 0; k < got.trees.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "tree " << k);
    expect_same(got.trees[k], wanted.trees[k]);
  }
}

/// A forest of one tree with one leaf that has these counts, without reweighting.
inline forest::Forest one_leaf_forest(const std::vector<std::uint32_t>& counts) {
  forest::Forest forest = forest::noise_forest(counts.size(), 0, {"lab"}, 1);
  forest.leaves.reweight = false;
  forest::Node leaf;
  leaf.child = ~0;
  forest.labelling_trees() = {{{leaf}, Array2<std::uint32_t>(1, counts.size())}};
  std::ranges::copy(counts, forest.labelling_trees()[0].leaf_counts.begin());
  return forest;
}

}  // namespace fernwood::predict
