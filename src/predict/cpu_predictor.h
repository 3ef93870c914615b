// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "predict/row_tile.h"
#include "predict/smoothing.h"
#include "predict/steady_fusion.h"

namespace fernwood::predict {

/// The rows of a grid of pixels that one thread processes at a time.
struct GridRows {
  PixelGrid grid;
  std::int32_t begin, end;

  std::size_t first() const { return static_cast<std::size_t>(begin * grid.cols); }
  std::size_t size() const { return static_cast<std::size_t>((end - begin) * grid.cols); }
};

/// Calls body(rows, tile) for tiles that together cover the grid, on the threads of a pool.
/// @param tiles   [thread of the pool], or a single one if the pool is null.
/// @param wanted  [cells] Only cells with a value other than 0 will be evaluated; null: all.
void for_each_row_tile(const PixelGrid& grid, ThreadPool* pool, std::vector<RowTile>& tiles,
                       const std::function<void(const GridRows& rows, RowTile& tile)>& body,
                       const std::uint8_t* wanted = nullptr);

/// @throws Error(kModel) when a stage is missing or has no tree.
void check_stages(const forest::Forest& forest);

/// The context stages of a forest, on the CPU. Thread-safe if each thread has its own tiles.
class ContextStageRunner {
 public:
  /// @throws Error(kModel) when a stage has no tree.
  ContextStageRunner(const forest::Forest& forest, const KernelVariant& choice);

  /// See prepare_for().
  image::PreparedFrame prepare(const image::FrameImages& frame, ThreadPool* pool, std::vector<RowTile>& tiles) const;

  /// Class probabilities of the representative pixels of cells. @param trees  Trees of any stage of the forest.
  /// @param wanted  [cells] Only cells with a value other than 0 are evaluated, for labels: boosted trees are left out
  ///                where a class is sure, see early_exit.h. Null: all cells by all trees, as the next stage was
  ///                trained.
  /// @param maps    See empty_maps(); receives the cells evaluated.
  void find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees, ThreadPool* pool,
                    std::vector<RowTile>& tiles, const std::uint8_t* wanted, image::ContextMaps& maps) const;
  /// The cells of a frame, all 0.
  image::ContextMaps empty_maps(const image::FrameView& frame) const;

 private:
  image::Preparation preparation_;
  forest::ForestKind kind_;
  std::size_t num_classes_;
  LabelLoops loops_;
  std::vector<std::vector<TreeTables>> stages_;  // without the labelling stage
};

/// Labels frames on the CPU, row tiles in parallel.
class CpuPredictor : public Predictor {
 public:
  /// @param options  `threads` and `choice` override its thread count and layout.
  CpuPredictor(const forest::Forest& forest, int threads, const KernelVariant& choice,
               const PredictOptions& options = {});
  Prediction predict(const image::FrameImages& frame, const PredictRequest& request) override;
  std::optional<SteadyFrame> last_steady() const override {
    return steady_ ? std::optional(steady_->last()) : std::nullopt;
  }
  std::string layout() const override { return to_string(isa_); }

 private:
  /// Class probabilities of cells, of this frame; with temporal fusion, over all frames so far.
  image::ContextMaps find_cells(const image::FrameImages& frame);
  void interpolate(const image::ContextMaps& maps, Prediction& out);
  void label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request, RowTile& tile,
                  Prediction& out) const;

  forest::ForestKind kind_;
  std::size_t num_classes_;
  image::Preparation preparation_;
  ContextStageRunner context_;
  std::vector<TreeTables> trees_;
  std::vector<forest::ClassPriorCorrection> correct_sums_, correct_probabilities_;  // [class]
  bool weigh_equally_;
  ThreadPool pool_;
  Isa isa_;
  LabelLoops loops_;
  std::vector<RowTile> tiles_;
  Smoother smoother_;
  bool interpolate_;
  float min_confidence_;
  std::optional<SteadyFusion> steady_;
};

/// Labels each frame in push(), because a single frame already uses all cores.
class CpuLabelStream : public LabelStream {
 public:
  CpuLabelStream(const forest::Forest& forest, int threads, const KernelVariant& choice, const PredictOptions& options,
                 int capacity);
  int capacity() const override { return capacity_; }
  int num_in_flight() const override { return static_cast<int>(labels_.size()); }
  void push(const image::FrameImages& frame) override;
  image::LabelImage pop() override;

 private:
  CpuPredictor predictor_;
  int capacity_;
  std::deque<image::LabelImage> labels_;
};

/// @throws Error(kUsage) for a push to a full stream, or a pop from an empty one.
void check_push(const LabelStream& stream);
void check_pop(const LabelStream& stream);

/// @throws Error(kData) for a target without labels, or with an invalid pitch.
void check_target(const image::FrameImages& frame, const PredictionTarget& target);

/// @throws Error(kUsage) if predictions per tree are requested together with interpolation between cells.
void check_request(const PredictRequest& request, bool interpolate);

/// Allocates a prediction for a request.
inline Prediction empty_prediction(std::size_t rows, std::size_t cols, std::size_t num_classes, std::size_t num_trees,
                                   const PredictRequest& request) {
  Prediction empty;
  empty.labels = image::LabelImage(rows, cols);
  if (request.probabilities) empty.probabilities.assign(num_classes, Array2<float>(rows, cols));
  if (request.per_tree)
    empty.trees.assign(num_trees,
                       empty_prediction(rows, cols, num_classes, 0, {.probabilities = request.probabilities}));
  return empty;
}

}  // namespace fernwood::predict
