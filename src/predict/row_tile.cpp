// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/row_tile.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/isa.h"
#include "predict/early_exit.h"

namespace fernwood::predict {

FW_ISA_TABLES(RowTileKernels, row_tile_kernels_table)

const RowTileKernels& row_tile_kernels(Isa isa) { return row_tile_kernels_table_of(isa); }

std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees) {
  std::vector<TreeTables> tables;
  for (const forest::Tree& tree : trees) {
    const Array2<float> rows = forest::leaf_votes(forest, tree, tables.size());
    Array2<float> padded(rows.rows(), padded_classes(rows.cols()));
    for (std::size_t leaf = 0; leaf < rows.rows(); ++leaf) std::copy_n(rows.row(leaf), rows.cols(), padded.row(leaf));
    tables.push_back({tree.nodes, std::move(padded)});
  }
  return tables;
}

namespace {

/// Number of pixels whose sums are held at a time: they fit in the L1 cache for a few classes.
constexpr std::size_t kSumBlock = 64;

}  // namespace

void RowTile::start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin,
                    std::int32_t row_end) {
  grid_ = grid;
  row_begin_ = row_begin;
  num_pixels_ = static_cast<std::size_t>((row_end - row_begin) * grid.cols);
  places_.clear();
  start_.clear();
  for (std::int32_t row = row_begin; row < row_end; ++row)
    for (std::int32_t col = 0; col < grid.cols; ++col)
      start_.push_back(forest::pixel_site(frame, grid.pixel(col, frame.cols), grid.pixel(row, frame.rows), false));
  make_room();
}

void RowTile::start_with(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin,
                         std::int32_t row_end, const std::uint8_t* wanted) {
  grid_ = grid;
  row_begin_ = row_begin;
  places_.clear();
  start_.clear();
  pixels_.resize(static_cast<std::size_t>((row_end - row_begin) * grid.cols));
  wanted += row_begin * grid.cols;
  std::uint32_t place = 0;
  for (std::int32_t row = row_begin; row < row_end; ++row)
    for (std::int32_t col = 0; col < grid.cols; ++col, ++place) {
      if (!wanted[place]) continue;
      pixels_[place] = static_cast<std::uint32_t>(places_.size());
      places_.push_back(place);
      start_.push_back(forest::pixel_site(frame, grid.pixel(col, frame.cols), grid.pixel(row, frame.rows), false));
    }
  num_pixels_ = places_.size();
  make_room();
}

void RowTile::make_room() {
  for (auto& sites : parted_) sites.resize(start_.size());
  responses_.resize(start_.size());
}

void RowTile::find_leaves(const image::FrameView& frame, const std::vector<TreeTables>& trees,
                          const LabelLoops& loops) {
  leaves_.resize(trees.size() * num_pixels_);
  for (std::size_t k = 0; k < trees.size(); ++k)
    descend(frame, trees[k].nodes, loops, leaves_.data() + k * num_pixels_);
}

void RowTile::descend(const image::FrameView& frame, const std::vector<forest::Node>& nodes, const LabelLoops& loops,
                      std::uint32_t* leaves) {
  open_.assign(1, {0, 0, static_cast<std::uint32_t>(start_.size()), &start_});
  while (!open_.empty()) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.begin == range.end) continue;
    const forest::PixelSite* sites = range.sites->data() + range.begin;
    const std::size_t count = range.end - range.begin;
    const forest::Node& node = nodes[static_cast<std::size_t>(range.node)];
    if (node.is_leaf()) {
      note_leaf(sites, count, static_cast<std::uint32_t>(node.leaf_index()), leaves);
      continue;
    }
    std::vector<forest::PixelSite>& parted = parted_[range.sites == &parted_[0]];
    loops.respond.respond(frame, node.feature, sites, count, responses_.data());
    const std::size_t num_left =
        loops.tile.part(sites, responses_.data(), count, node.threshold, parted.data() + range.begin);
    const std::uint32_t middle = range.begin + static_cast<std::uint32_t>(num_left);
    open_.push_back({node.child + 1, middle, range.end, &parted});
    open_.push_back({node.child, range.begin, middle, &parted});
  }
}

void RowTile::note_leaf(const forest::PixelSite* sites, std::size_t count, std::uint32_t leaf,
                        std::uint32_t* leaves) const {
  const auto step = static_cast<std::uint32_t>(grid_.step);
  const auto note = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t place = (cell_of(sites[i].y()) - row_begin_) * grid_.cols + cell_of(sites[i].x());
      leaves[places_.empty() ? static_cast<std::uint32_t>(place) : pixels_[static_cast<std::size_t>(place)]] = leaf;
    }
  };
  if (std::has_single_bit(step))  // avoids divisions, which would take a tenth of the time with many trees
    note([shift = std::countr_zero(step)](std::int32_t pixel) { return pixel >> shift; });
  else
    note([step = grid_.step](std::int32_t pixel) { return pixel / step; });
}

void RowTile::sum(std::span<const TreeTables> trees, std::size_t first_tree, std::size_t num_classes,
                  const LabelLoops& loops, const TakeSums& take) {
  std::vector<const float*> rows;
  for (const TreeTables& tree : trees) rows.push_back(tree.votes.data());
  const LeafSums of = {leaves(first_tree), num_pixels_, rows.data(), trees.size(), num_classes};
  sums_.resize(kSumBlock * padded_classes(num_classes));
  for (std::size_t first = 0; first < num_pixels_; first += kSumBlock) {
    const std::size_t count = std::min(kSumBlock, num_pixels_ - first);
    loops.tile.sum(of, first, count, sums_.data());
    take(first, count, sums_.data());
  }
}

void RowTile::sum_until_sure(const image::FrameView& frame, std::span<const TreeTables> trees, std::size_t num_classes,
                             const LabelLoops& loops, const TakeSums& take) {
  const std::size_t lanes = padded_classes(num_classes);
  sums_.assign(num_pixels_ * lanes, 0.0f);
  unsure_.resize(num_pixels_);
  std::iota(unsure_.begin(), unsure_.end(), 0u);
  leaves_.resize(kTreesPerLook * num_pixels_);
  for (std::size_t first = 0; first < trees.size() && !unsure_.empty(); first += kTreesPerLook) {
    const auto block = trees.subspan(first, std::min(kTreesPerLook, trees.size() - first));
    const float* rows[kTreesPerLook];
    for (std::size_t k = 0; k < block.size(); ++k) {
      descend(frame, block[k].nodes, loops, leaves_.data() + k * num_pixels_);
      rows[k] = block[k].votes.data();
    }
    const LeafSums of = {leaves_.data(), num_pixels_, rows, block.size(), num_classes};
    loops.tile.add(of, unsure_.data(), unsure_.size(), sums_.data());
    std::size_t num_unsure = 0;
    for (std::size_t i = 0; i < unsure_.size(); ++i) {
      const float* scores = sums_.data() + unsure_[i] * lanes;
      Leaders leaders;
      for (std::size_t c = 0; c < num_classes; ++c) leaders.offer(scores[c]);
      if (leaders.are_sure(first + block.size(), trees.size())) continue;
      unsure_[num_unsure] = unsure_[i];
      start_[num_unsure++] = start_[i];
    }
    unsure_.resize(num_unsure);
    start_.resize(num_unsure);
  }
  take(0, num_pixels_, sums_.data());
}

void RowTile::choose_labels(std::span<const TreeTables> trees, std::span<const forest::ClassPriorCorrection> correction,
                            const LabelLoops& loops, std::uint16_t* labels) {
  sum(trees, 0, correction.size(), loops, [&](std::size_t first, std::size_t count, const float* sums) {
    loops.tile.choose(sums, correction.data(), correction.size(), count, labels + first);
  });
}

}  // namespace fernwood::predict
