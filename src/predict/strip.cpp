// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/strip.h"

#include <algorithm>

namespace fernwood {

void Strip::start(const FrameView& frame, std::int32_t row_begin, std::int32_t row_end) {
  row_begin_ = row_begin;
  cols_ = frame.cols;
  const auto size = static_cast<std::size_t>((row_end - row_begin) * frame.cols);
  for (auto* items : {&start_, &right_}) items->resize(size);
  responses_.resize(size);
  PixelSite* site = start_.data();
  for (std::int32_t y = row_begin; y < row_end; ++y)
    for (std::int32_t x = 0; x < frame.cols; ++x) *site++ = pixel_site(frame, x, y, false);
}

void Strip::add_tree(const FrameView& frame, const TreeTables& tree, const RespondKernels& kernels, float* sums) {
  sites_ = start_;
  open_.assign(1, {0, 0, static_cast<std::uint32_t>(sites_.size())});
  while (!open_.empty()) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.begin == range.end) continue;
    const Node& node = tree.nodes[static_cast<std::size_t>(range.node)];
    if (node.is_leaf()) {
      for (std::uint32_t i = range.begin; i < range.end; ++i)
        add_row(tree.probabilities, static_cast<std::size_t>(node.leaf_index()), sites_[i], sums);
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
  PixelSite* left = sites_.data() + begin;
  PixelSite* right = right_.data();
  const float* response = responses_.data();
  for (const PixelSite *site = left, *last = sites_.data() + end; site != last; ++site, ++response) {
    // Written to both sides, counted on one: no branch that could be guessed wrong.
    const PixelSite copy = *site;
    const int goes_right = side(*response, threshold);
    *left = copy;
    *right = copy;
    left += 1 - goes_right;
    right += goes_right;
  }
  std::copy(right_.data(), right, left);
  return static_cast<std::uint32_t>(left - sites_.data());
}

void Strip::add_fern(const FrameView& frame, const FernTables& tables, const RespondKernels& kernels, float* sums) {
  // Sites, responses and codes of so many pixels stay in the first-level cache from test to test.
  constexpr std::size_t kBlock = 2048;
  // Fewer tests at once look for finished pixels too often, more take tests for nothing.
  constexpr std::size_t kTestsAtOnce = 3;
  const std::vector<FernTest>& tests = tables.fern.tests;
  codes_.resize(kBlock);
  sites_ = start_;
  for (std::size_t first = 0; first < sites_.size(); first += kBlock) {
    std::size_t count = std::min(kBlock, sites_.size() - first), taken = 0;
    std::fill_n(codes_.begin(), count, 0u);
    while (count > 0) {
      for (const std::size_t end = std::min(taken + kTestsAtOnce, tests.size()); taken < end; ++taken) {
        kernels.respond(frame, tests[taken].feature, sites_.data() + first, count, responses_.data());
        for (std::size_t i = 0; i < count; ++i) codes_[i] = next_code(codes_[i], responses_[i], tests[taken].threshold);
      }
      count = add_found_leaves(tables, static_cast<std::int32_t>(tests.size() - taken), first, count, sums);
    }
  }
}

/// Adds the leaves of the pixels from `first` on that are known; the others close ranks. Returns how many these are.
std::size_t Strip::add_found_leaves(const FernTables& tables, std::int32_t levels_left, std::size_t first,
                                    std::size_t count, float* sums) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const PixelSite site = sites_[first + i];
    const std::uint32_t leaf = leaf_of_answers(tables.fern.leaf_words.data(), codes_[i], levels_left);
    if (leaf == kManyLeaves) {
      sites_[first + kept] = site;
      codes_[kept++] = codes_[i];
    } else {
      add_row(tables.probabilities, leaf, site, sums);
    }
  }
  return kept;
}

void Strip::add_row(const Array2<float>& probabilities, std::size_t leaf, const PixelSite& site, float* sums) const {
  const std::size_t num_classes = probabilities.cols();
  const float* row = probabilities.row(leaf);
  float* sum = sums + static_cast<std::size_t>((site.y() - row_begin_) * cols_ + site.x()) * num_classes;
  for (std::size_t c = 0; c < num_classes; ++c) sum[c] += row[c];
}

}  // namespace fernwood
