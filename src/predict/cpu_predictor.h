// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "predict/smoothing.h"
#include "predict/stage_runner.h"
#include "predict/steady_fusion.h"

namespace fernwood::predict {

/// Labels frames on the processor's cores, tiles of rows in parallel.
class CpuPredictor : public Predictor {
 public:
  /// @param options  Of which `threads` and `choice` say more.
  CpuPredictor(const forest::Forest& forest, int threads, const KernelVariant& choice,
               const PredictOptions& options = {});
  Prediction predict(const image::FrameImages& frame, const PredictRequest& request) override;
  std::optional<SteadyFrame> last_steady() const override {
    return steady_ ? std::optional(steady_->last()) : std::nullopt;
  }
  std::string layout() const override { return to_string(isa_); }

 private:
  void find_homogeneous_cells(const image::FrameImages& frame, const image::FrameView& view);
  /// What trees say of cells; where labels are steady, what all frames say of them.
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
  int grid_;
  bool interpolate_;
  std::optional<SteadyFusion> steady_;
  HomogeneousCells cells_;  // of the frame in hand, where grid_ is more than 1
};

/// Labels each frame when it is pushed: all cores are at work on one frame already.
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

/// @throws Error(kData) for a target without labels, or whose rows cannot be.
void check_target(const image::FrameImages& frame, const PredictionTarget& target);

/// @throws Error(kUsage) when trees alone are asked for where they are asked about cells.
void check_request(const PredictRequest& request, bool interpolate);

/// Room for what is asked of a prediction.
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
