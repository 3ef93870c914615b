// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "fernwood/core/array.h"
#include "fernwood/train/train.h"
#include "train/cuda/frame_cache.h"
#include "train/cuda/gpu_frontier.h"
#include "train/cuda/level/level_args.h"
#include "train/cuda/level/respond.h"
#include "train/data/memory_plan.h"
#include "train/data/sampler.h"
#include "train/distributed/ranks.h"
#include "train/progress_meter.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Measures the stages in a stream by events between them, without waiting for the stream.
class StageClock {
 public:
  using Stage = double StageSeconds::*;
  /// Work enqueued from here on belongs to the stage whose end is marked next.
  void start(const cuda::Stream& stream);
  void end(Stage stage, const cuda::Stream& stream);
  /// Sums of the finished stages; the stream must have completed them.
  StageSeconds take();

 private:
  struct Mark {
    cuda::Event event;
    Stage stage;  // null: start() only
  };
  void mark(Stage stage, const cuda::Stream& stream);

  std::vector<Mark> marks_;  // reused
  std::size_t used_ = 0;
};

/// Adds up the counts of ranks in the memory of their GPUs. Linked GPUs add them up directly; otherwise they pass
/// through host memory in pieces, so that one piece is copied from the GPU while the previous one is added up, and
/// little host memory is needed.
class CountSum {
 public:
  /// Adds up the blocks of all ranks, one block for each rank, in stream order; waits for most of it.
  /// @param blocks  [rank][block_size]; this rank's block is overwritten with the sums.
  void add_up(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);

 private:
  /// The part of every block that is sent in one exchange.
  struct Piece {
    cuda::PinnedBuffer<std::uint32_t> numbers;  // [rank][size]
    cuda::Event arrived;
  };
  void add_up_on_hosts(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);
  void fetch(std::size_t number, const std::uint32_t* blocks, std::size_t block_size, std::size_t num_ranks,
             const cuda::Stream& stream);

  std::array<Piece, 2> pieces_;  // used alternately
  cuda::PinnedBuffer<std::uint32_t> sums_;
};

/// Sends samples down trees; keeps its GPU memory between calls.
class LeafFinder {
 public:
  explicit LeafFinder(FrameCache& cache) : cache_(cache) {}

  /// @return  [S] leaf of each sample.
  std::vector<std::uint32_t> find(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                  const cuda::Stream& stream);

 private:
  FrameCache& cache_;
  cuda::GpuBuffer<forest::Node> nodes_;
  cuda::GpuBuffer<std::uint32_t> frames_, starts_, leaves_;
  cuda::GpuBuffer<forest::PixelSite> sites_;
};

/// GPU memory for the responses of whole levels, which are computed in one pass over the frames.
class ResponsesAhead {
 public:
  /// Allocates memory with a small reserve: other trees may have more samples.
  void reserve(std::size_t num_levels, std::size_t num_samples, std::size_t num_features);
  bool has_room() const { return responses_.size() > 0; }
  void release() { responses_ = {}; }
  std::size_t levels_that_fit(std::size_t num_samples, std::size_t num_features) const {
    return responses_.size() / std::max<std::size_t>(1, num_samples * row_length(num_features));
  }

  /// Begins the evaluation of levels. @param levels  All candidates of each level, equal in number.
  void begin(const std::vector<CandidateChunk>& levels, std::size_t num_samples, const cuda::Stream& stream);
  /// Features for stage 1, and the layout of its output.
  const GpuResponsePlan& plan() const { return plan_; }
  std::size_t level_size() const { return num_samples_ * columns_; }

  /// Whether the responses of the current level are stored.
  bool holds_level() const { return level_ < num_levels_; }
  View2<float> level() { return {responses_.data() + level_ * level_size(), num_samples_, columns_}; }
  void end_level() { level_ = std::min(level_ + 1, num_levels_); }
  void forget() { level_ = num_levels_ = 0; }

 private:
  cuda::GpuBuffer<float> responses_;  // [level][sample][columns]
  GpuResponsePlan plan_;
  std::size_t num_samples_ = 0, columns_ = 0, level_ = 0, num_levels_ = 0;
};

/// Grows levels on a GPU, which holds samples, responses and counts; a level's best splits are copied back once.
class CudaBackend : public LevelBackend {
 public:
  /// @param num_shares  Number of ranks that add up their counts, see evaluate_share().
  CudaBackend(FrameCache& cache, const LevelBudget& budget, std::size_t num_shares, int gpu, std::stop_token stop,
              ProgressMeter& meter);

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
             const TrainOptions& options) override;
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options) const override;
  std::size_t levels_ahead(const TrainOptions& options, std::size_t num_levels) const override;
  void start_levels(const std::vector<CandidateChunk>& levels) override;
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override;
  LevelBest best(const OpenNodes& nodes) override;
  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) override;
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override;
  StageSeconds take_seconds() override;

  std::vector<std::uint32_t> partition_bits(const OpenNodes& nodes, const std::vector<std::uint8_t>& asked) override;
  Array2<std::uint32_t> split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen,
                                 const std::vector<std::uint32_t>& sides) override;
  void evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                      Ranks& ranks) override;

  /// Sends samples down a tree, which may differ from the growing one. @return  [S] leaf of each sample.
  std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) {
    cuda::use_gpu(gpu_);
    return leaf_finder_.find(samples, nodes, stream_);
  }
  /// The stream for all work on levels, except work that waits for counts from other ranks.
  const cuda::Stream& stream() const { return stream_; }
  std::size_t response_bytes() const { return response_bytes_; }

 private:
  /// A chunk's candidates, and its counts while they are added up: one chunk is counted while the counts of the
  /// previous one are in transit.
  struct Slot {
    cuda::UploadedBuffer<forest::RegionFeature> features;
    cuda::UploadedBuffer<float> thresholds;
    cuda::Event counted, scored;
    LevelArgs own{};  // for this rank's share
    std::size_t block_size = 0;
    Ranks* ranks = nullptr;  // null: nothing is in transit
  };
  /// Responses to a chunk, the row of each sample's responses in node order, and memory for counts.
  struct Places {
    View2<float> responses;
    const std::uint32_t* rows;
    std::uint32_t* counts;
  };
  void reserve(const SampleSet& samples, std::size_t num_samples, std::size_t num_classes);
  std::vector<std::uint32_t> route(const SampleSet& samples, const GrowingTree& growing);
  void begin_level(const OpenNodes& nodes);
  void forget_best(const OpenNodes& nodes);
  void find_sides(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen);
  void count_left(const OpenNodes& nodes);
  Array2<std::uint32_t> count_sides(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen);
  void finish(Slot& slot);
  /// The nodes with only the samples held here.
  const OpenNodes& held(const OpenNodes& nodes) const { return held_ ? *held_ : nodes; }
  void upload_chunk(const CandidateChunk& chunk);
  SampledFrames frames_in_range(std::uint32_t begin, std::uint32_t end);
  void visit_frames(const std::function<void(const SampledFrames&)>& work);
  void respond(const GpuResponsePlan& plan, View2<float> responses, std::size_t level_size);
  Places places_of(const CandidateChunk& chunk, bool ahead);
  LevelArgs respond_to(const OpenNodes& nodes, const CandidateChunk& chunk, ScoreKind score);
  LevelArgs level_args(const OpenNodes& nodes, const CandidateChunk& chunk, ScoreKind score, const Places& places);
  WinnerArgs winner_args(const LevelArgs& args) {
    return {args, frontier_.row_nodes().data, chosen_.data(), chosen_left_.data(), frontier_.sides()};
  }
  /// Number of chunks whose counts are held at a time; limit of the counters that blocks of equal size add to them.
  std::size_t num_slots() const { return num_shares_ > 1 ? 2 : 1; }
  std::size_t padding(std::size_t num_counts) const { return num_slots() * (num_shares_ - 1) * num_counts; }

  FrameCache& cache_;
  LeafFinder leaf_finder_;
  TrainOptions options_;  // options of the growing tree
  const LevelBudget budget_;
  const std::size_t num_shares_;
  int gpu_;
  std::stop_token stop_;
  ProgressMeter& meter_;
  cuda::Stream stream_, sums_stream_ = cuda::Stream::urgent();
  StageClock clock_, sums_clock_;
  std::uint32_t window_capacity_;
  std::size_t response_bytes_ = 0;

  std::vector<std::uint32_t> tree_frames_;  // [frame of the tree] index in the data set
  cuda::GpuBuffer<std::uint32_t> gpu_tree_frames_;
  GpuFrontier frontier_;
  std::optional<OpenNodes> held_;      // if other ranks hold samples too
  Array2<std::uint32_t> side_counts_;  // then: [N * 2][class] of the samples held here
  SampleGroups groups_;
  cuda::UploadedBuffer<NodeSamples> nodes_, all_nodes_;  // with the samples held here; with all samples, if different
  cuda::UploadedBuffer<std::uint32_t> class_counts_;
  cuda::UploadedBuffer<NodeSlice> slices_;
  cuda::GpuBuffer<unsigned long long> best_keys_, shared_best_;
  cuda::GpuBuffer<ChosenSplit> chosen_;
  cuda::GpuBuffer<std::uint32_t> chosen_left_;
  GpuResponsePlan chunk_plan_;
  ResponsesAhead ahead_;
  cuda::GpuBuffer<std::uint32_t> work_;       // shared scores, responses and left counts of a chunk, consecutively
  std::array<Slot, 2> slots_;                 // current and previous chunk, alternately
  std::size_t slot_ = 0;                      // slot of the next chunk
  std::size_t level_chunk_ = 0;               // number of candidates in the level's largest chunk
  bool sides_known_ = false;                  // for the splits returned by best()
  std::optional<LevelArgs> level_responses_;  // to all candidates of the level, if other ranks hold samples too
  CountSum count_sum_;
  cuda::PinnedBuffer<ChosenSplit> host_chosen_;
  cuda::PinnedBuffer<std::uint32_t> host_left_, host_sides_;
  cuda::PinnedBuffer<unsigned long long> host_shared_best_;
};

}  // namespace fernwood::train
