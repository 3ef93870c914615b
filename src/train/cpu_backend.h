// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/isa.h"
#include "forest/respond_kernels.h"
#include "train/frontier.h"
#include "train/level_backend.h"
#include "train/progress_meter.h"

namespace fernwood::train {

/// Grows levels on the processor's cores. Stage 1 goes frame by frame, so that each frame is read once per chunk;
/// stages 2 and 3 go candidate by candidate, whose bins are a row in memory.
class CpuBackend : public LevelBackend {
 public:
  CpuBackend(FrameStore& store, ThreadPool& pool, Isa isa, std::size_t bins_budget_bytes, std::stop_token stop,
             ProgressMeter& meter);

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes) override;
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options, std::size_t caller_bytes) const override;
  Array2<float> probe(const CandidateChunk& chunk, const std::vector<std::uint32_t>& places,
                      const std::vector<std::uint32_t>& sets) override;
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override;
  LevelOutcome choose(const OpenNodes& nodes) override;
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override;
  StageSeconds take_seconds() override;

 private:
  /// Scratch memory and clocks of one thread; a cache line apart from its neighbours'.
  struct alignas(64) Worker {
    StageSeconds seconds;
    std::vector<float> responses;
    std::vector<std::uint32_t> features, histograms;
    std::vector<BestSplit> best;
    std::vector<std::uint64_t> shared_scores;
    SharedSplit shared_best;
  };
  using Block =
      std::function<void(const image::FrameView& frame, std::size_t first, std::size_t count, Worker& worker)>;

  void for_each_block(const SampleSet& samples, const Block& block);
  void respond_block(const CandidateChunk& chunk, const image::FrameView& frame, std::size_t first, std::size_t count,
                     Worker& worker);
  CandidateRow candidate_row(const OpenNodes& nodes, const CandidateChunk& chunk, std::size_t feature,
                             ScoreKind score) const;
  template <typename ScoreNodes>
  void score_candidate(const CandidateRow& row, Worker& worker, const ScoreNodes& score_nodes);
  void score_for_nodes(const CandidateRow& row, Worker& worker);
  void score_for_level(const CandidateRow& row, Worker& worker);
  void begin_level(const OpenNodes& nodes);
  void note_winners(const CandidateChunk& chunk);
  void note_shared_winner(const CandidateChunk& chunk);
  void find_sides();
  void check_stop() const;

  FrameStore& store_;
  ThreadPool& pool_;
  const LevelKernels& kernels_;
  const forest::RespondKernels& responders_;
  std::size_t bins_budget_bytes_;
  std::stop_token stop_;
  ProgressMeter& meter_;
  std::optional<Frontier> frontier_;
  std::vector<ChosenSplit> chosen_;  // [N] so far
  SharedSplit shared_best_;          // so far, of ferns
  std::vector<std::uint8_t> sides_;  // [S] frame order, once chosen
  std::vector<std::uint8_t> bins_;   // [F][S] of the chunk in hand
  std::vector<Worker> workers_;
};

}  // namespace fernwood::train
