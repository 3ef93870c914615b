// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/strip.h"

#include <algorithm>

namespace fernwood::predict {

void Strip::start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end) {
  grid_ = grid;
  row_begin_ = row_begin;
  const auto size = static_cast<std::size_t>((row_end - row_begin) * grid.cols);
  for (auto* items : {&start_, &right_}) items->resize(size);
  responses_.resize(size);
  forest::PixelSite* site = start_.data();
  for (std::int32_t row = row_begin; row < row_end; ++row)
    for (std::int32_t col = 0; col < grid.cols; ++col)
      *site++ = forest::pixel_site(frame, grid.pixel(col, frame.cols), grid.pixel(row, frame.rows), false);
}

void Strip::add_tree(const image::FrameView& frame, const TreeTables& tree, const forest::RespondKernels& kernels,
                     float* sums) {
  sites_ = start_;
  open_.assign(1, {0, 0, static_cast<std::uint32_t>(sites_.size())});
  while (!open_.empty()) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.begin == range.end) continue;
    const forest::Node& node = tree.nodes[static_cast<std::size_t>(range.node)];
    if (node.is_leaf()) {
      add_leaf(tree, node.leaf_index(), range, sums);
      continue;
    }
    kernels.respond(frame, node.feature, sites_.data() + range.begin, range.end - range.begin, responses_.data());
    const std::uint32_t middle = partition(range.begin, range.end, node.threshold);
    open_.push_back({node.child + 1, middle, range.end});
    open_.push_back({node.child, range.begin, middle});
  }
}

/// Moves the pixels that go left to the front; both sides keep their order, so that neighbours in the picture stay
/// neighbours in memory. Returns where the right side begins.
std::uint32_t Strip::partition(std::uint32_t begin, std::uint32_t end, float threshold) {
  forest::PixelSite* left = sites_.data() + begin;
  forest::PixelSite* right = right_.data();
  const float* response = responses_.data();
  for (const forest::PixelSite *site = left, *last = sites_.data() + end; site != last; ++site, ++response) {
    // Written to both sides, counted on one: no branch that could be guessed wrong.
    const forest::PixelSite copy = *site;
    const int goes_right = side(*response, threshold);
    *left = copy;
    *right = copy;
    left += 1 - goes_right;
    right += goes_right;
  }
  std::copy(right_.data(), right, left);
  return static_cast<std::uint32_t>(left - sites_.data());
}

void Strip::add_leaf(const TreeTables& tree, std::int32_t leaf, const Range& range, float* sums) const {
  const float* row = tree.probabilities.row(static_cast<std::size_t>(leaf));
  const auto add = grid_.step == 1 ? &Strip::add_row<1> : &Strip::add_row<image::kContextStep>;
  (this->*add)(row, tree.probabilities.cols(), range, sums);
}

/// @param kStep  That of the grid, known when compiling: the cell of a pixel is a division away.
template <std::int32_t kStep>
void Strip::add_row(const float* row, std::size_t num_classes, const Range& range, float* sums) const {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const std::int32_t cell = (sites_[i].y() / kStep - row_begin_) * grid_.cols + sites_[i].x() / kStep;
    float* sum = sums + static_cast<std::size_t>(cell) * num_classes;
    for (std::size_t c = 0; c < num_classes; ++c) sum[c] += row[c];
  }
}

}  // namespace fernwood::predict
