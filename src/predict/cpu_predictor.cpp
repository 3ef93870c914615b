// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <algorithm>

#include "fernwood/core/error.h"

namespace fernwood {

namespace {

/// Room for a prediction of the given size.
void allocate(Prediction& out, std::size_t rows, std::size_t cols, std::size_t num_classes, bool probabilities) {
  out.labels = LabelImage(rows, cols);
  if (probabilities) out.probabilities.assign(num_classes, Array2<float>(rows, cols));
}

/// Labels (thesis eq. 3.8) and means (eq. 3.1) of one patch from the sums over `num_trees` trees, [class][pixel].
void store_patch(const float* sums, std::size_t num_classes, float num_trees, int x0, int y0, Prediction& out) {
  const int width = std::min(kPatchWidth, static_cast<int>(out.labels.cols()) - x0);
  const int height = std::min(kPatchHeight, static_cast<int>(out.labels.rows()) - y0);
  float highest[kPatchPixels] = {};
  std::uint16_t labels[kPatchPixels];
  std::fill_n(labels, kPatchPixels, kVoid);
  for (std::size_t c = 0; c < num_classes; ++c)
    for (int i = 0; i < kPatchPixels; ++i) {
      const float sum = sums[c * kPatchPixels + static_cast<std::size_t>(i)];
      labels[i] = sum > highest[i] ? static_cast<std::uint16_t>(c) : labels[i];
      highest[i] = sum > highest[i] ? sum : highest[i];
    }
  for (int y = 0; y < height; ++y)
    std::copy_n(labels + y * kPatchWidth, width, out.labels.row(static_cast<std::size_t>(y0 + y)) + x0);
  for (std::size_t c = 0; c < out.probabilities.size(); ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        out.probabilities[c](static_cast<std::size_t>(y0 + y), static_cast<std::size_t>(x0 + x)) =
            sums[c * kPatchPixels + static_cast<std::size_t>(y * kPatchWidth + x)] / num_trees;
}

}  // namespace

CpuPredictor::CpuPredictor(const Forest& forest, int threads, Isa isa)
    : preparation_(forest.preparation),
      num_classes_(forest.classes.size()),
      pool_(threads),
      kernels_(label_kernels(isa)) {
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree; train one first");
  for (const Tree& tree : forest.trees) trees_.push_back({tree.nodes, leaf_probabilities(forest, tree)});
}

void CpuPredictor::label_patch(const FrameView& frame, int x0, int y0, const PredictRequest& request,
                               std::vector<float>& scratch, Prediction& out) const {
  const std::size_t size = num_classes_ * kPatchPixels;
  scratch.assign(2 * size, 0.0f);
  std::int32_t leaves[kPatchPixels];
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    kernels_.find_leaves(frame, trees_[k].nodes.data(), x0, y0, leaves);
    kernels_.add_probabilities(trees_[k].probabilities.data(), num_classes_, leaves, scratch.data());
    if (!request.per_tree) continue;
    float* alone = scratch.data() + size;
    std::fill_n(alone, size, 0.0f);
    kernels_.add_probabilities(trees_[k].probabilities.data(), num_classes_, leaves, alone);
    store_patch(alone, num_classes_, 1.0f, x0, y0, out.trees[k]);
  }
  store_patch(scratch.data(), num_classes_, static_cast<float>(trees_.size()), x0, y0, out);
}

Prediction CpuPredictor::predict(const Frame& frame, const PredictRequest& request) {
  const PreparedFrame prepared(frame, preparation_);
  const FrameView view = prepared.view();
  Prediction out;
  allocate(out, frame.rows(), frame.cols(), num_classes_, request.probabilities);
  if (request.per_tree) out.trees.resize(trees_.size());
  for (Prediction& tree : out.trees) allocate(tree, frame.rows(), frame.cols(), num_classes_, request.probabilities);

  std::vector<std::vector<float>> scratch(static_cast<std::size_t>(pool_.num_threads()));
  const std::size_t patch_rows = (frame.rows() + kPatchHeight - 1) / kPatchHeight;
  pool_.for_each(patch_rows, [&](std::size_t row, int worker) {
    for (int x0 = 0; x0 < view.cols; x0 += kPatchWidth)
      label_patch(view, x0, static_cast<int>(row) * kPatchHeight, request, scratch[static_cast<std::size_t>(worker)], out);
  });
  return out;
}

}  // namespace fernwood
