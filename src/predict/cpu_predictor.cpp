// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "forest/best_class.h"
#include "predict/room.h"

namespace fernwood {

namespace {

/// A strip's sums stay in the second-level cache, and there are enough strips to keep all threads busy to the end.
constexpr std::size_t kSumsPerStrip = 1 << 17;
constexpr std::size_t kStripsPerThread = 4;

std::int32_t rows_per_strip(const FrameView& frame, std::size_t num_classes, std::size_t num_threads) {
  const std::size_t by_memory = kSumsPerStrip / (static_cast<std::size_t>(frame.cols) * num_classes);
  const std::size_t by_threads = static_cast<std::size_t>(frame.rows) / (kStripsPerThread * num_threads);
  return static_cast<std::int32_t>(std::max<std::size_t>(1, std::min(by_memory, by_threads)));
}

/// Labels and means (thesis eq. 3.1) of the pixels from `first` on, from sums[pixel][class] over `num_trees` trees.
void store(const std::vector<float>& sums, std::size_t num_classes, float num_trees, std::size_t first,
           Prediction& out) {
  const std::size_t count = sums.size() / num_classes;
  for (std::size_t i = 0; i < count; ++i) {
    BestClass best;
    for (std::size_t c = 0; c < num_classes; ++c) best.offer(static_cast<std::int32_t>(c), sums[i * num_classes + c]);
    out.labels.data()[first + i] = best.label;
  }
  for (std::size_t c = 0; c < out.probabilities.size(); ++c)
    for (std::size_t i = 0; i < count; ++i)
      out.probabilities[c].data()[first + i] = sums[i * num_classes + c] / num_trees;
}

}  // namespace

CpuPredictor::CpuPredictor(const Forest& forest, int threads, Isa isa)
    : preparation_(forest.preparation),
      num_classes_(forest.classes.size()),
      pool_(threads),
      isa_(isa),
      kernels_(respond_kernels(isa)),
      workers_(static_cast<std::size_t>(pool_.num_threads())) {
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree; train one first");
  for (const Tree& tree : forest.trees) trees_.push_back({tree.nodes, leaf_probabilities(forest, tree)});
}

void CpuPredictor::label_rows(const FrameView& frame, std::int32_t row_begin, std::int32_t row_end,
                              const PredictRequest& request, Worker& worker, Prediction& out) const {
  const auto first = static_cast<std::size_t>(row_begin) * static_cast<std::size_t>(frame.cols);
  const std::size_t size = static_cast<std::size_t>((row_end - row_begin) * frame.cols) * num_classes_;
  worker.strip.start(frame, row_begin, row_end);
  worker.sums.assign(size, 0.0f);
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    if (!request.per_tree) {
      worker.strip.add_tree(frame, trees_[k], kernels_, worker.sums.data());
      continue;
    }
    worker.alone.assign(size, 0.0f);
    worker.strip.add_tree(frame, trees_[k], kernels_, worker.alone.data());
    for (std::size_t i = 0; i < size; ++i) worker.sums[i] += worker.alone[i];
    store(worker.alone, num_classes_, 1.0f, first, out.trees[k]);
  }
  store(worker.sums, num_classes_, static_cast<float>(trees_.size()), first, out);
}

Prediction CpuPredictor::predict(const Frame& frame, const PredictRequest& request) {
  const PreparedFrame prepared(frame, preparation_);
  const FrameView view = prepared.view();
  Prediction out = make_room(frame.rows(), frame.cols(), num_classes_, trees_.size(), request);

  const std::int32_t height = rows_per_strip(view, num_classes_, workers_.size());
  pool_.for_each(static_cast<std::size_t>((view.rows + height - 1) / height), [&](std::size_t strip, int worker) {
    const std::int32_t row = static_cast<std::int32_t>(strip) * height;
    label_rows(view, row, std::min(row + height, view.rows), request, workers_[static_cast<std::size_t>(worker)], out);
  });
  return out;
}

}  // namespace fernwood
