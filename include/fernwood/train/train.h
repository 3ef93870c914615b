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
#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// Time of each step of growing, in seconds: summed over the threads of a CPU; kernel time on a GPU.
struct StageSeconds {
  double respond = 0;    ///< Stage 1: feature response.
  double bin = 0;        ///< Stage 1: finding the bin of each response.
  double aggregate = 0;  ///< Stage 2: histogram aggregation.
  double score = 0;      ///< Stage 3: impurity score.
  double split = 0;      ///< Partitioning the samples among the children.

  StageSeconds& operator+=(const StageSeconds& other);
  double sum() const { return respond + bin + aggregate + score + split; }
};

/// Size and cost of growing one level of one tree.
struct LevelReport {
  int tree = 0, level = 0;             ///< Both from 0; the tree's number is that within its forest.
  std::size_t nodes = 0, samples = 0;  ///< Open nodes and their samples.
  std::uint64_t responses = 0;         ///< Samples times candidates.
  double seconds = 0;                  ///< Wall-clock time.
  StageSeconds stages;
  int stage = 0;                 ///< Stage of the cascade (TrainOptions::cascade) of the tree's forest, from 0.
  std::optional<int> fold = {};  ///< Fold that its forest leaves out; empty: the forest is part of the model.
};

/// Accuracy of the trees so far out of bag: each pixel is labelled only by trees that have not seen its frame.
struct OutOfBagReport {
  int tree = 0;  ///< The last of those trees; its number in the last stage, from 0.
  Accuracy accuracy;
  std::size_t pixels = 0;  ///< Pixels that at least one tree labelled.
  /// Increase of pixel accuracy by the last tree, over pixels that earlier trees had labelled; empty: no such pixels.
  std::optional<double> rise = {};
  bool operator==(const OutOfBagReport&) const = default;
};

/// Use of the GPU by a training.
struct GpuReport {
  std::string name;                  ///< Empty: the training ran on the CPU.
  std::size_t frame_slots = 0;       ///< Capacity of the image cache, in frames.
  std::size_t hits = 0, misses = 0;  ///< Accesses to the image cache.
  std::size_t uploaded_bytes = 0;    ///< Raw pixels copied to the GPU.
  std::size_t memory_bytes = 0;      ///< GPU memory used.
  std::size_t response_bytes = 0;    ///< Bytes written by stage 1 plus bytes read by stage 2.

  double hit_rate() const {
    return hits + misses > 0 ? static_cast<double>(hits) / static_cast<double>(hits + misses) : 0;
  }
};

/// Time and traffic of one rank of a training.
struct RankReport {
  double seconds = 0;             ///< Wall-clock time of the whole training.
  double seconds_exchanging = 0;  ///< Part of `seconds` spent waiting for the other ranks and their messages.
  std::uint64_t bytes_sent = 0;   ///< Bytes sent to the other ranks.

  double waiting_share() const { return seconds > 0 ? seconds_exchanging / seconds : 0; }
};

/// How the counts of GPUs that divide the frames were summed.
struct GpuLinks {
  std::string by;       ///< The library, as "NCCL 2.28.9"; empty: through main memory.
  std::string problem;  ///< Why NCCL was not used, if `by` is empty.
  bool asked() const { return !by.empty() || !problem.empty(); }
};

/// Report of a training: everything that may differ between two runs that give the same forest.
struct TrainReport {
  double seconds_loading = 0;   ///< Reading the ground truth, decoding and preparing frames.
  double seconds_sampling = 0;  ///< Drawing samples; when boosting, also those of each tree from the common ones.
  double seconds_growing = 0;
  double seconds_context = 0;     ///< Computing the context of a stage by the previous stage.
  double seconds_out_of_bag = 0;  ///< Labelling pixels by trees that have not seen their frames.
  std::uint64_t samples = 0;      ///< Sum over all trees.
  std::size_t frames = 0, frames_kept = 0, frames_decoded = 0;  ///< In the data, in memory, decoded (with repeats).
  std::size_t frame_bytes = 0;                                  ///< Size of the prepared frames in memory.
  int threads = 0;
  std::string device, instruction_set;
  std::string cameras;      ///< Dataset::camera_text(); empty: assumed, or not needed.
  std::string device_note;  ///< Why "auto" fell back to the CPU; otherwise empty.
  GpuReport gpu;
  std::vector<LevelReport> levels;
  std::vector<OutOfBagReport> out_of_bag;  ///< After each tree; empty when every tree sees every frame.
  std::vector<Warning> warnings;           ///< For example, about classes without a pixel.
  std::string checkpoint_failure;          ///< Why the last checkpoint could not be written; empty: it was.
  std::string parallel;                    ///< Work that the ranks divided; empty: there was only one rank.
  GpuLinks gpu_links;
  std::vector<RankReport> ranks;  ///< [rank]; empty: there was only one.
  bool has_checkpoint = false;    ///< Whether the checkpoint file belongs to this training, which can be resumed.

  bool on_gpu() const { return !gpu.name.empty(); }
  std::uint64_t responses() const;
  StageSeconds stages() const;
};

/// Progress of a training.
struct TrainProgress {
  enum class Phase {
    kScanning,
    kEncoding,  ///< As kScanning, and an encoder computes the maps of the frames, unless they are kept.
    kLoading,
    kGrowing,
    kGrowingAgain,  ///< Growing a second forest without some of the frames, see tune::train_optimized().
    kChoosing       ///< Choosing label weights on those frames.
  };
  Phase phase = Phase::kScanning;
  int stage = 0, stages = 1;
  int tree = 0, trees = 0;  ///< Number and count over all stages, trees of cross-fitting included.
  int level = 0, max_depth = 0;
  std::size_t nodes = 0;
  double done = 0;  ///< Completed share of the phase over all ranks, [0, 1]; when growing, an estimate over all trees.
  int ranks = 1;    ///< Number of ranks; the other fields but `done` describe this one.
  std::optional<double> out_of_bag = {};  ///< Out-of-bag pixel accuracy of the trees so far, [0, 1].
};

/// Phase in words, for messages: "reading ground truth".
std::string to_string(TrainProgress::Phase phase);

/// Callbacks and checkpointing of a training.
struct TrainHooks {
  /// Called by one thread at a time. With several ranks it must not throw.
  std::function<void(const TrainProgress&)> progress;
  std::function<void(const LevelReport&)> level_done;
  /// Called with each of TrainReport::warnings as soon as it is known, before growing begins; only on rank 0.
  std::function<void(const Warning&)> warn = {};
  std::stop_token stop;  ///< When a stop is requested, training writes a checkpoint and throws Error(kInterrupted).
  /// Path of the checkpoint, written periodically and when training ends early; empty: none. See
  /// check_checkpoint_path(); training continues if it cannot be written later.
  std::filesystem::path checkpoint;
  /// Minimum interval between two checkpoints in seconds, >= 0. It bounds the work lost in a power failure; writing
  /// after every level would take longer than growing a level on a GPU.
  double checkpoint_every_s = 2;
  bool resume = false;  ///< Continue from the checkpoint, which must match the data and the options.
};

/// Checks before any work that a checkpoint can be written and that it would replace nothing but an earlier checkpoint;
/// train_forest() checks this itself. @param path  Empty: none.
/// @throws Error(kRuntime) for a missing folder, Error(kUsage) for an existing file of another kind, unless it is to be
/// resumed: then it is checked when it is read.
void check_checkpoint_path(const std::filesystem::path& path, bool resume);

/// Trains a forest (thesis 3.1.1, algorithm 2; design contract 3). The same data, options and seed give the same forest
/// on any number of threads and ranks, with any memory budget, interrupted or not.
/// @param ranks  Processes that call this together, with the same options and data: each receives the forest, and rank
///               0 writes the checkpoint. Null: this process only; if `resources.device` lists several GPUs, one thread
///               for each GPU trains as a rank, and the first thread calls the hooks.
/// @throws Error  kUsage for options, kData for the data set, kDevice, kResource, kInterrupted.
forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources = {}, const TrainHooks& hooks = {},
                            TrainReport* report = nullptr, Communicator* ranks = nullptr);

/// A step of growing a level: its JSON key, its heading in narrow columns, and a description.
struct StageName {
  const char *key, *column, *title;
  double StageSeconds::*seconds;
};
inline constexpr StageName kStageNames[] = {{"respond", "respond", "feature response", &StageSeconds::respond},
                                            {"bin", "bin", "finding bins", &StageSeconds::bin},
                                            {"aggregate", "aggreg.", "histogram aggregation", &StageSeconds::aggregate},
                                            {"score", "score", "impurity score", &StageSeconds::score},
                                            {"split", "split", "sending samples to children", &StageSeconds::split}};

/// Sums of the reports of each level over all trees: [level].
std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels);
/// Sum of the reports of all levels.
LevelReport add_levels(const std::vector<LevelReport>& levels);
/// Approximate wall-clock time of a step: on a CPU `stage_seconds` divided by the number of threads; on a GPU
/// unchanged, as it is kernel time.
double wall_seconds(double stage_seconds, const TrainReport& report);

/// Share of the time of growing in which the GPU ran kernels; 0 for a training without a GPU.
double gpu_busy_share(const TrainReport& report);

/// Upper limits of a GPU's throughput.
struct GpuLimits {
  double shared_words_per_second = 0;  ///< 4-byte words read from shared memory without bank conflicts.
  double copy_bytes_per_second = 0;    ///< Bytes read and written by a copy within the GPU's memory.
};

/// Measured rates of the steps of a training on a GPU, and the limits of the hardware. 0 where nothing was measured.
struct GpuRoofline {
  double responses_per_second = 0;  ///< Measured during stage 1.
  double response_limit = 0;        ///< Limit without bank conflicts in shared memory.
  double random_limit = 0;          ///< Limit when the 32 lanes of a warp read 32 random words, as features do.
  double respond_bytes_per_second = 0, aggregate_bytes_per_second = 0;  ///< Responses written, responses read.
  double copy_bytes_per_second = 0;                                     ///< As in GpuLimits.
};

/// Compares the measured rates with the limits. A response reads the four corners of one or two regions; the formulas
/// are in docs/reference/training_report.md.
/// @param unary_feature_fraction  As in TrainOptions.
GpuRoofline gpu_roofline(const TrainReport& report, double unary_feature_fraction, const GpuLimits& limits);

}  // namespace fernwood::train
