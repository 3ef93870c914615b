// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/strip.h"

#include <algorithm>

namespace fernwood::predict {

// strip_kernels.cpp is compiled once for each instruction set; the choice among them is compiled once.
namespace isa_baseline {
extern const StripKernels strip_kernels_table;
}
#if defined(FERNWOOD_HAS_ISA_avx512)
namespace isa_avx2 {
extern const StripKernels strip_kernels_table;
}
namespace isa_avx512 {
extern const StripKernels strip_kernels_table;
}
#endif

const StripKernels& strip_kernels([[maybe_unused]] Isa isa) {
#if defined(FERNWOOD_HAS_ISA_avx512)
  if (isa == Isa::kAvx2) return isa_avx2::strip_kernels_table;
  if (isa == Isa::kAvx512) return isa_avx512::strip_kernels_table;
#endif
  return isa_baseline::strip_kernels_table;
}

std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees) {
  std::vector<TreeTables> tables;
  for (const forest::Tree& tree : trees) {
    const Array2<float> rows = forest::leaf_probabilities(forest, tree);
    Array2<float> padded(rows.rows(), padded_classes(rows.cols()));
    for (std::size_t leaf = 0; leaf < rows.rows(); ++leaf) std::copy_n(rows.row(leaf), rows.cols(), padded.row(leaf));
    tables.push_back({tree.nodes, std::move(padded)});
  }
  return tables;
}

void Strip::start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end,
                  std::size_t num_classes) {
  grid_ = grid;
  row_begin_ = row_begin;
  num_classes_ = num_classes;
  const auto size = static_cast<std::size_t>((row_end - row_begin) * grid.cols);
  for (auto* sites : {&start_, &parted_[0], &parted_[1]}) sites->resize(size);
  responses_.resize(size);
  forest::PixelSite* site = start_.data();
  for (std::int32_t row = row_begin; row < row_end; ++row)
    for (std::int32_t col = 0; col < grid.cols; ++col)
      *site++ = forest::pixel_site(frame, grid.pixel(col, frame.cols), grid.pixel(row, frame.rows), false);
  sums_.assign(size * padded_classes(num_classes), 0.0f);
}

void Strip::add_tree(const image::FrameView& frame, const TreeTables& tree, const LabelLoops& loops) {
  open_.assign(1, {0, 0, static_cast<std::uint32_t>(num_pixels()), &start_});
  while (!open_.empty()) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.begin == range.end) continue;
    const forest::PixelSite* sites = range.sites->data() + range.begin;
    const std::size_t count = range.end - range.begin;
    const forest::Node& node = tree.nodes[static_cast<std::size_t>(range.node)];
    if (node.is_leaf()) {
      loops.strip.add(sites, count, grid_.step, row_begin_, grid_.cols,
                      tree.probabilities.row(static_cast<std::size_t>(node.leaf_index())), tree.probabilities.cols(),
                      sums_.data());
      continue;
    }
    std::vector<forest::PixelSite>& parted = parted_[range.sites == &parted_[0]];
    loops.respond.respond(frame, node.feature, sites, count, responses_.data());
    const std::size_t num_left =
        loops.strip.part(sites, responses_.data(), count, node.threshold, parted.data() + range.begin);
    const std::uint32_t middle = range.begin + static_cast<std::uint32_t>(num_left);
    open_.push_back({node.child + 1, middle, range.end, &parted});
    open_.push_back({node.child, range.begin, middle, &parted});
  }
}

void Strip::choose_labels(const LabelLoops& loops, std::uint16_t* labels) const {
  loops.strip.choose(sums_.data(), num_classes_, padded_classes(num_classes_), num_pixels(), labels);
}

}  // namespace fernwood::predict
