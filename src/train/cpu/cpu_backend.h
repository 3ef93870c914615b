// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/parallel.h"
#include "forest/respond_kernels.h"
#include "train/data/frame_store.h"
#include "train/grow/growing_tree.h"
#include "train/progress_meter.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Bins of some candidates of a level, written by stage 1 and read by stage 2: one row per candidate, with its samples
/// in frame order. If the level is evaluated ahead, samples that end in leaves above it are removed.
class LevelBins {
 public:
  /// Resizes for other candidates and samples. @param first  Index of the first candidate.
  void reset(std::size_t first, std::size_t num_candidates, std::size_t num_samples) {
    first_ = first;
    stride_ = num_samples;
    bins_.resize(num_candidates * num_samples);
  }

  std::uint8_t* row(std::size_t candidate) { return bins_.data() + (candidate - first_) * stride_; }
  const std::uint8_t* row(std::size_t candidate) const { return bins_.data() + (candidate - first_) * stride_; }

  /// Keeps only the samples at `positions`, ascending.
  void keep(const std::vector<std::uint32_t>& positions, ThreadPool& pool) {
    pool.for_each(stride_ > 0 ? bins_.size() / stride_ : 0, [&](std::size_t i, int) {
      std::uint8_t* const row = bins_.data() + i * stride_;
      for (std::size_t s = 0; s < positions.size(); ++s) row[s] = row[positions[s]];
    });
  }

 private:
  std::size_t first_ = 0, stride_ = 0;
  std::vector<std::uint8_t> bins_;
};

/// Sends samples down a tree on the CPU. @return  [S] leaf of each sample.
std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                       FrameStore& store, ThreadPool& pool);

/// Samples of the open nodes in host memory, in two orders: by frame for stage 1, by node for stages 2 and 3.
class Frontier {
 public:
  /// Sends the samples of a tree down to its open nodes; samples that reach closed leaves are dropped.
  Frontier(const SampleSet& all, const GrowingTree& growing, FrameStore& store, ThreadPool& pool);

  std::size_t num_samples() const { return samples_.size(); }
  const SampleSet& samples() const { return samples_; }
  const std::vector<std::uint32_t>& node_of() const { return node_of_; }            ///< [S] frame order
  const std::vector<std::uint32_t>& frame_order() const { return frame_order_; }    ///< [S] node order
  const std::vector<std::uint16_t>& node_classes() const { return node_classes_; }  ///< [S] node order
  /// [N] The open nodes with the ranges of the samples held here, if other ranks hold more samples of the tree.
  const std::vector<NodeSamples>& nodes() const { return nodes_; }

  /// Class counts on both sides of each of `num_nodes` nodes.
  /// @param sides  [S] frame order: side of every sample by its node's split.
  /// @return       [N * 2][class]
  Array2<std::uint32_t> count_sides(const std::vector<std::uint8_t>& sides, std::size_t num_nodes,
                                    std::size_t num_classes) const;

  /// Moves every sample to the child on its side; samples of closed children are dropped.
  /// @param children  [N * 2] As returned by split_nodes().
  /// @param nodes     The new open nodes.
  /// @return  Previous positions of the samples that remain.
  std::vector<std::uint32_t> descend(const std::vector<std::uint32_t>& children, const std::vector<std::uint8_t>& sides,
                                     const OpenNodes& nodes);

 private:
  void order_by_node(const OpenNodes& nodes);

  SampleSet samples_;
  std::vector<std::uint32_t> node_of_, frame_order_;
  std::vector<std::uint16_t> node_classes_;
  std::vector<NodeSamples> nodes_;
  bool pairs_ = false;  // see for_each_row()
};

/// Grows levels on the CPU. Stage 1 works frame by frame, so that each frame is read once per chunk; stages 2 and 3
/// work candidate by candidate, whose bins are a row in memory. If not all frames are held, bins of several levels are
/// computed while a frame is in memory: decoding it again would cost more than responses of samples that end in leaves
/// before their level.
class CpuBackend : public LevelBackend {
 public:
  CpuBackend(FrameStore& store, ThreadPool& pool, const KernelVariant& choice, const LevelBudget& budget,
             std::stop_token stop, ProgressMeter& meter);

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
             const TrainOptions& options) override;
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options) const override;
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override;
  LevelBest best(const OpenNodes& nodes) override;
  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) override;
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override;
  StageSeconds take_seconds() override;
  std::size_t levels_ahead(const TrainOptions& options, std::size_t num_levels) const override;
  void start_levels(const std::vector<CandidateChunk>& levels) override;

  std::vector<std::uint32_t> partition_bits(const OpenNodes& nodes, const std::vector<std::uint8_t>& asked) override;
  Array2<std::uint32_t> split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen,
                                 const std::vector<std::uint32_t>& sides) override;
  void evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                      Ranks& ranks) override;

 private:
  /// Scratch memory and clocks of one thread; aligned to a cache line against false sharing.
  struct alignas(64) Worker {
    StageSeconds seconds;
    std::vector<float> responses;
    std::vector<std::uint32_t> histograms;
    std::vector<BestSplit> best;
    std::vector<std::uint64_t> shared_scores;
    SharedSplit shared_best;
  };
  using Block =
      std::function<void(const image::FrameView& frame, std::size_t first, std::size_t count, Worker& worker)>;

  void for_each_block(const SampleSet& samples, const Block& block);
  LevelNeeds needs(const TrainOptions& options, std::size_t num_levels) const;
  void respond(const CandidateChunk& chunk);
  void respond_block(const CandidateChunk& chunk, const image::FrameView& frame, std::size_t first, std::size_t count,
                     Worker& worker, LevelBins& bins);
  const LevelBins& bins() const { return levels_.empty() ? chunk_bins_ : levels_.front(); }
  CandidateRow candidate_row(const OpenNodes& nodes, const CandidateChunk& chunk, std::size_t feature,
                             ScoreKind score) const;
  template <typename ScoreNodes>
  void score_candidate(const CandidateRow& row, Worker& worker, const ScoreNodes& score_nodes);
  void score_for_nodes(const CandidateRow& row, Worker& worker);
  void score_for_level(const CandidateRow& row, Worker& worker);
  void offer_shared(const CandidateRow& row, Worker& worker);
  /// Stages 1 and 2 for the samples held here. @return  [candidate][count_width()]
  std::vector<std::uint32_t> count(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options);
  /// Stage 3 for some candidates of the chunk. @param counts  Their counts over all samples; reset to 0.
  void score(const OpenNodes& nodes, const CandidateChunk& chunk, Share candidates, const TrainOptions& options,
             std::uint32_t* counts);
  /// Calls score(f, worker) for some candidates of a chunk and updates the best splits with the workers' results.
  template <typename Score>
  void keep_best(const OpenNodes& nodes, const CandidateChunk& chunk, Share candidates, const Score& score);
  void begin_level(const OpenNodes& nodes);
  void update_best_splits(const CandidateChunk& chunk);
  void update_shared_best_split(const CandidateChunk& chunk);
  void find_sides(const std::vector<ChosenSplit>& chosen);
  void look_sides_up(const std::vector<ChosenSplit>& chosen);
  void read_sides(const std::vector<ChosenSplit>& chosen);
  void check_stop() const;

  FrameStore& store_;
  ThreadPool& pool_;
  const LevelKernels& kernels_;
  const forest::RespondKernels& responders_;
  const LevelBudget budget_;
  std::size_t bins_bytes_;
  std::stop_token stop_;
  ProgressMeter& meter_;
  std::optional<Frontier> frontier_;
  std::vector<ChosenSplit> chosen_;  // [N] best so far
  SharedSplit shared_best_;          // best so far, for ferns
  bool ferns_ = false;
  std::vector<std::uint8_t> sides_;  // [S] frame order, once chosen
  LevelBins chunk_bins_;             // of the current chunk
  std::deque<LevelBins> levels_;     // of all candidates of the levels evaluated ahead, current level first
  std::vector<Worker> workers_;
};

}  // namespace fernwood::train
