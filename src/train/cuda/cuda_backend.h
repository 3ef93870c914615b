// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <stop_token>
#include <vector>

#include "train/cuda/frame_cache.h"
#include "train/cuda/gpu_frontier.h"
#include "train/cuda/level_args.h"
#include "train/cuda/respond.h"
#include "train/progress_meter.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Times of the stages in a stream, from events between them: nothing waits for a clock.
class StageClock {
 public:
  using Stage = double StageSeconds::*;
  /// What follows in the stream belongs to the stage whose end is marked next.
  void start(const cuda::Stream& stream);
  void end(Stage stage, const cuda::Stream& stream);
  /// Adds up the stages ended; the stream must have passed them.
  StageSeconds take();

 private:
  struct Mark {
    cuda::Event event;
    Stage stage;  // null: start() only
  };
  void mark(Stage stage, const cuda::Stream& stream);

  std::vector<Mark> marks_;  // used again and again
  std::size_t used_ = 0;
};

/// Grows levels on a GPU: samples, responses and counts stay there; a level's best splits come back once.
class CudaBackend : public LevelBackend {
 public:
  /// @param work_bytes  GPU memory for a chunk's responses and counts, at most.
  CudaBackend(FrameCache& cache, std::size_t work_bytes, int gpu, std::stop_token stop, ProgressMeter& meter);

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
             const TrainOptions& options) override;
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options, std::size_t caller_bytes) const override;
  Array2<float> probe(const CandidateChunk& chunk, const std::vector<std::uint32_t>& places,
                      const std::vector<std::uint32_t>& sets) override;
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override;
  LevelBest best(const OpenNodes& nodes) override;
  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) override;
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override;
  StageSeconds take_seconds() override { return clock_.take(); }

  /// Sends samples down a tree, that of the levels or another. @return  [S] leaf that each ends in.
  std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes);
  std::size_t response_bytes() const { return response_bytes_; }

 private:
  void reserve(const SampleSet& samples, std::size_t num_classes);
  std::vector<std::uint32_t> route(const SampleSet& samples, const GrowingTree& growing);
  void begin_level(const OpenNodes& nodes);
  void forget_best(const OpenNodes& nodes);
  bool found_here(const std::vector<ChosenSplit>& chosen) const;
  void evaluate_chosen(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen);
  void upload_chunk(const CandidateChunk& chunk);
  SampledFrames frames_at_hand(std::uint32_t begin, std::uint32_t end);
  void respond(const CandidateChunk& chunk, View2<float> responses);
  View2<float> responses_of(const CandidateChunk& chunk);
  LevelArgs level_args(const OpenNodes& nodes, const CandidateChunk& chunk, ScoreKind score);

  FrameCache& cache_;
  TrainOptions options_;  // of the tree that grows
  std::size_t most_work_bytes_;
  int gpu_;
  std::stop_token stop_;
  ProgressMeter& meter_;
  cuda::Stream stream_;
  StageClock clock_;
  std::uint32_t window_capacity_;
  std::size_t response_bytes_ = 0;

  std::vector<std::uint32_t> tree_frames_;  // [frame of the tree] in the data set
  cuda::GpuBuffer<std::uint32_t> gpu_tree_frames_;
  GpuFrontier frontier_;
  RespondScratch respond_scratch_;
  cuda::UploadedBuffer<NodeSamples> nodes_;
  cuda::UploadedBuffer<std::uint32_t> class_counts_;
  cuda::UploadedBuffer<NodeSlice> slices_;
  cuda::GpuBuffer<unsigned long long> best_keys_, shared_best_;
  cuda::GpuBuffer<ChosenSplit> chosen_;
  cuda::GpuBuffer<std::uint32_t> chosen_left_;
  cuda::UploadedBuffer<forest::RegionFeature> features_;
  cuda::UploadedBuffer<float> thresholds_;
  cuda::UploadedBuffer<FeatureRun> runs_;
  cuda::GpuBuffer<std::uint32_t> work_;  // a chunk's shared scores, responses and left counts, one behind the other
  cuda::UploadedBuffer<std::uint32_t> probe_places_, probe_sets_;
  cuda::GpuBuffer<float> probe_responses_;
  cuda::GpuBuffer<forest::Node> way_nodes_;  // of find_leaves()
  cuda::GpuBuffer<std::uint32_t> way_frames_, way_starts_, leaves_;
  cuda::GpuBuffer<forest::PixelSite> way_sites_;
  cuda::PinnedBuffer<ChosenSplit> host_chosen_;
  cuda::PinnedBuffer<std::uint32_t> host_left_;
  cuda::PinnedBuffer<unsigned long long> host_shared_best_;
};

}  // namespace fernwood::train
