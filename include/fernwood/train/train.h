// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/warning.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// Time spent in the stages of growing, in seconds: added up over the threads of a CPU, kernel time on a GPU.
struct StageSeconds {
  double probe = 0;      ///< Responses that thresholds are drawn from.
  double respond = 0;    ///< Stage 1: feature response.
  double bin = 0;        ///< Stage 1: finding the bin of each response.
  double aggregate = 0;  ///< Stage 2: histogram aggregation.
  double score = 0;      ///< Stage 3: impurity score.
  double split = 0;      ///< Sending the samples to the children.

  StageSeconds& operator+=(const StageSeconds& other);
  double sum() const { return probe + respond + bin + aggregate + score + split; }
};

/// What growing one level of one tree took.
struct LevelReport {
  int tree = 0, level = 0;             ///< The tree's number within its forest, from 0.
  std::size_t nodes = 0, samples = 0;  ///< Open nodes and their samples.
  std::uint64_t responses = 0;         ///< Samples times candidates.
  double seconds = 0;                  ///< Wall clock.
  StageSeconds stages;
  int stage = 0;                 ///< Of TrainOptions::cascade, from 0: that the tree's forest belongs to.
  std::optional<int> fold = {};  ///< The part of the frames that its forest leaves out; empty: this forest is kept.
};

/// What the trees so far get right out of bag: on pixels of frames that they have not seen, each labelled by those
/// trees alone that have not seen its frame.
struct OutOfBagReport {
  int tree = 0;  ///< The last of those trees; its number in the stage that labels, from 0.
  forest::Accuracy accuracy;
  std::size_t pixels = 0;  ///< That at least one tree labelled.
  /// By how much the last tree raised pixel accuracy where others had labelled before it; empty when they had nowhere.
  std::optional<double> rise = {};
  bool operator==(const OutOfBagReport&) const = default;
};

/// What a training did with a GPU.
struct GpuReport {
  std::string name;                  ///< Empty: there was none.
  std::size_t frame_slots = 0;       ///< Frames that the image cache holds.
  std::size_t hits = 0, misses = 0;  ///< Of the image cache.
  std::size_t uploaded_bytes = 0;    ///< Raw pixels brought to the GPU.
  std::size_t memory_bytes = 0;      ///< GPU memory taken.
  std::size_t response_bytes = 0;    ///< Written by stage 1 and read by stage 2.

  double hit_rate() const {
    return hits + misses > 0 ? static_cast<double>(hits) / static_cast<double>(hits + misses) : 0;
  }
};

/// What one of several processes that trained together took.
struct RankReport {
  double seconds = 0;             ///< Wall clock, of all.
  double seconds_exchanging = 0;  ///< Of these: waiting for the others, and for what they send.
  std::uint64_t bytes_sent = 0;   ///< To the others.

  double waiting_share() const { return seconds > 0 ? seconds_exchanging / seconds : 0; }
};

/// How the counts of GPUs that divide frames came together.
struct GpuLinks {
  std::string by;       ///< "NCCL 2.28.9"; empty: through memory of their machines.
  std::string problem;  ///< Then: why.
  bool asked() const { return !by.empty() || !problem.empty(); }
};

/// What a training took: everything that may differ between two runs that give the same forest.
struct TrainReport {
  double seconds_loading = 0;   ///< Looking at the truth, decoding and preparing frames.
  double seconds_sampling = 0;  ///< Drawing samples; in boosting, of each tree from those of all.
  double seconds_growing = 0;
  double seconds_context = 0;     ///< Asking one stage for the context of the next.
  double seconds_out_of_bag = 0;  ///< Labelling what trees have not seen.
  std::uint64_t samples = 0;      ///< Of all trees.
  std::size_t frames = 0, frames_kept = 0, frames_decoded = 0;
  std::size_t frame_bytes = 0;  ///< Prepared frames held in memory.
  int threads = 0;
  std::string device, instruction_set;
  std::string device_note;  ///< Why "auto" fell back to the CPU; else empty.
  GpuReport gpu;
  std::vector<LevelReport> levels;
  std::vector<OutOfBagReport> out_of_bag;  ///< After each tree; empty when every tree sees every frame.
  std::vector<Warning> warnings;           ///< For example of classes without a pixel.
  std::string checkpoint_failure;          ///< Why the last checkpoint could not be written; empty: it was.
  std::string split;                       ///< What ranks divided among them; empty: there was one.
  GpuLinks gpu_links;
  std::vector<RankReport> ranks;  ///< [rank] Empty: there was one.
  bool has_checkpoint = false;    ///< Whether the file of checkpoints is of this training, to go on from.

  bool on_gpu() const { return !gpu.name.empty(); }
  std::uint64_t responses() const;
  StageSeconds stages() const;
};

/// How far training is.
struct TrainProgress {
  enum class Phase {
    kScanning,
    kLoading,
    kGrowing,
    kGrowingAgain,  ///< A second forest without some frames, see search::train_optimized().
    kChoosing       ///< Weights of labels by those frames.
  };
  Phase phase = Phase::kScanning;
  int stage = 0, stages = 1;
  int tree = 0, trees = 0;  ///< Of all stages together, those of cross-fitting included.
  int level = 0, max_depth = 0;
  std::size_t nodes = 0;
  double done = 0;  ///< Share of the phase's work, [0, 1], by all ranks; when growing an estimate over all trees.
  int ranks = 1;    ///< That work together; the rest is of this one.
  std::optional<double> out_of_bag = {};  ///< Pixel accuracy out of bag of the trees so far, [0, 1].
};

/// What to call a phase, for people: "reading ground truth".
std::string to_string(TrainProgress::Phase phase);

/// What a caller may hook into.
struct TrainHooks {
  /// From one thread at a time. With ranks it must not throw.
  std::function<void(const TrainProgress&)> progress;
  std::function<void(const LevelReport&)> level_done;
  /// Each of TrainReport::warnings as soon as it is known, before anything grows; of several ranks only the first
  /// calls.
  std::function<void(const Warning&)> warn = {};
  std::stop_token stop;  ///< Asked to stop: throws Error(kInterrupted) with a checkpoint on disk.
  /// If not empty: written now and then, and when training ends early. That it cannot be written ends no training.
  std::filesystem::path checkpoint;
  /// Least time between two checkpoints, >= 0: so much work a power failure may cost, and a level on a GPU takes less
  /// time than writing it down.
  double checkpoint_every_s = 2;
  bool resume = false;  ///< Go on from the checkpoint; it must fit data and options.
};

/// Trains a forest (thesis 3.1.1, algorithm 2; design contract 3). The same data, options and seed give the same forest
/// on any number of threads and ranks, with any memory budget, interrupted or not.
/// @param ranks  Processes that call this together, with the same options and data: each gets the forest, and rank 0
///               keeps the checkpoint. Null: this process alone; where `resources.device` lists several GPUs, by a
///               thread for each, of which the first one calls the hooks.
/// @throws Error  kUsage for options, kData for the data set, kDevice, kResource, kInterrupted.
forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources = {}, const TrainHooks& hooks = {},
                            TrainReport* report = nullptr, Communicator* ranks = nullptr);

}  // namespace fernwood::train
