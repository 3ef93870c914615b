// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"
#include "train/boost/boosted_samples.h"
#include "train/data/frame_prefetcher.h"
#include "train/data/memory_plan.h"
#include "train/data/sampler.h"
#include "train/distributed/ranks.h"
#include "train/grow/growing_tree.h"
#include "train/progress_meter.h"

namespace fernwood::train {

/// Some of a level's candidates with their thresholds: F features, T thresholds, one set for all nodes or one for each.
struct CandidateChunk {
  std::size_t first = 0;                   ///< Index of the first among the level's candidates.
  Array2<forest::RegionFeature> features;  ///< [1 or nodes][F]
  Array2<float> thresholds;                ///< [sets * F][T], ascending
  bool per_node() const { return features.rows() > 1; }
  std::size_t size() const { return features.cols(); }
};

/// Whether candidates and their thresholds are a function of tree and level alone.
inline bool can_start_levels(const TrainOptions& options) {
  return options.threshold_source == ThresholdSource::kGrid && options.candidates == CandidateScope::kLevel;
}

/// Where the samples of a growing tree lie and the work of its levels is done: one kind per device. All give the same
/// answers.
class LevelBackend {
 public:
  virtual ~LevelBackend() = default;

  /// Takes the samples of a tree and sends them down to its open nodes.
  /// @param options  Those of the tree, for all its levels.
  virtual void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
                     const TrainOptions& options) = 0;

  /// Candidates to hand to evaluate() at once, so that memory stays within the budget.
  /// @param caller_bytes  What the caller holds for each candidate.
  virtual std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options,
                                 std::size_t caller_bytes) const = 0;

  /// Responses [F][P] to some samples, to draw thresholds from.
  /// @param places  [P] ascending places in node order.
  /// @param sets    [P] set of candidates that each is asked about.
  virtual Array2<float> probe(const CandidateChunk& chunk, const std::vector<std::uint32_t>& places,
                              const std::vector<std::uint32_t>& sets) = 0;

  /// Levels, the next one first, whose candidates are best looked at in one visit of the frames; 0: those of the next
  /// level chunk after chunk. Asked where can_start_levels().
  /// @param num_levels  That there still can be.
  virtual std::size_t levels_ahead(const TrainOptions&, std::size_t num_levels) const {
    static_cast<void>(num_levels);
    return 0;
  }
  /// Looks at all samples for these levels. @param levels  All candidates of each.
  virtual void start_levels(const std::vector<CandidateChunk>& levels) { static_cast<void>(levels); }

  /// Which of a level's candidates are to be handed to evaluate(), and in a chunk's `first` are numbered from 0.
  virtual Deal candidates() const { return {}; }

  /// The three stages for the candidates of a chunk: response, aggregation, score. Chunks come in ascending order.
  virtual void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) = 0;

  /// The best splits among all candidates evaluated at this level: for ferns the same split at every node, which may
  /// leave one side empty (thesis eq. 4.14).
  virtual LevelBest best(const OpenNodes& nodes) = 0;

  /// Parts the samples of every node by its split.
  /// @param chosen  [N] As best() told, or what ranks with other samples found together.
  /// @return  [N * 2][class] samples on the left and on the right side.
  virtual Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) = 0;

  LevelOutcome choose(const OpenNodes& nodes) {
    std::vector<ChosenSplit> chosen = best(nodes).chosen;
    Array2<std::uint32_t> counts = split(nodes, chosen);
    return {std::move(chosen), std::move(counts)};
  }

  /// Sends the samples to the children on their sides; those of closed children are dropped. The next level begins.
  /// @param children  As split_nodes() returned them.
  /// @param nodes     The open nodes from now on.
  virtual void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) = 0;

  /// Time spent in the stages since the last call, added up over the threads.
  virtual StageSeconds take_seconds() = 0;
};

/// The backend of a device, of which several share a level.
/// It may hold a part of a tree's samples: then what it counts of them is added to the counts of other ranks before it
/// is scored. Nodes count all samples of the tree. Or it holds all samples and is given a part of the candidates: then
/// ranks tell each other the sides of the samples by the splits that they found.
class DeviceBackend : public LevelBackend {
 public:
  /// Sides of all samples by splits that best() told. @param asked  [N] 1 for the nodes that are asked about.
  /// @return  A bit for each sample in frame order, 1: right; 0 in nodes that are not asked about.
  virtual std::vector<std::uint32_t> partition_bits(const OpenNodes& nodes, const std::vector<std::uint8_t>& asked) = 0;
  /// As split(), for splits whose sides are known. @param sides  As of partition_bits(), of all nodes.
  virtual Array2<std::uint32_t> split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen,
                                         const std::vector<std::uint32_t>& sides) = 0;

  /// [N] Samples held here of each open node.
  virtual std::vector<std::uint32_t> node_sizes() const = 0;
  /// As evaluate(), for ranks with other samples: the counts of all are added up, a share of the candidates on each
  /// rank, which scores it. They may still be on their way when this returns; best() waits for them.
  /// @param ranks  All have the same kind of device.
  virtual void evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                              Ranks& ranks) = 0;
};

/// What all devices are told before they train.
struct TrainSetting {
  const dataset::Dataset& dataset;
  const forest::Forest& forest;  ///< Preparation and classes are known, trees may be missing.
  const TrainResources& resources;
  const MemoryPlan& memory;
  ThreadPool& pool;
  const TrainHooks& hooks;
  ProgressMeter& meter;
  Ranks& ranks;
  FramePrefetcher* read_frames = nullptr;  ///< Taken before the data set is read; null: there are none.

  /// A frame that was read before, else from the data set.
  dataset::LabelledFrame read(std::uint32_t index) const {
    std::optional<dataset::LabelledFrame> kept = read_frames ? read_frames->take(index) : std::nullopt;
    if (kept) return std::move(*kept);
    return {dataset.read_frame(index), dataset.read_labels(index, forest.classes)};
  }
  /// Of the data set, ascending; others are not looked at.
  std::vector<std::uint32_t> held_frames() const { return ranks.frames(dataset.size()); }
};

/// Where a training's frames are held and its trees are grown: one kind per device. Of frames that it is asked about,
/// it answers for those that it holds.
class TrainDevice {
 public:
  explicit TrainDevice(const TrainSetting& setting) : setting_(setting) {}
  virtual ~TrainDevice() = default;
  /// Loads the frames, as far as memory goes. @param loaded  Called after each, on any thread.
  virtual void load_frames(const std::function<void()>& loaded) = 0;
  /// The samples of a tree. @param options  Of the training, or others for what is to be drawn.
  /// @param frames  That the tree sees, ascending.
  SampleSet draw_samples(const TrainOptions& options, const std::vector<std::uint32_t>& frames, std::uint32_t tree);
  /// The pixels that speak for the cells of frames (see context.h), row after row; all of class 0.
  SampleSet context_samples(const std::vector<std::uint32_t>& frames);
  /// [frame of the data set][class] Labelled pixels. @param frames  Others have none.
  Array2<std::uint64_t> count_pixels(const std::vector<std::uint32_t>& frames);
  /// From now on the context channels of the frames are these. @param maps  [frame]
  virtual void set_context(std::vector<image::ContextMaps> maps) = 0;
  /// Sends samples down a tree, whether or not it was grown here. @return  [S] leaf that each ends in.
  virtual std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) = 0;
  /// What trees are boosted with, where this device holds it. @param samples  Drawn here.
  virtual std::unique_ptr<BoostedSamples> boosted_samples(SampleSet samples, const BoostingSetting& setting) = 0;
  virtual DeviceBackend& backend() = 0;
  virtual void describe(TrainReport& report) const = 0;

 protected:
  /// The pixels of a frame that become samples.
  using Choose = std::function<std::vector<DrawnPixel>(const image::LabelImage& labels, std::uint32_t frame)>;
  /// @param frames  All of them held.
  virtual SampleSet choose(const Choose& choose, const std::vector<std::uint32_t>& frames) = 0;
  const TrainSetting setting_;

 private:
  std::vector<std::uint32_t> held_among(const std::vector<std::uint32_t>& frames) const;
};

std::unique_ptr<TrainDevice> make_cpu_device(const TrainSetting& setting);
/// @throws Error(kDevice) in a build without CUDA.
std::unique_ptr<TrainDevice> make_cuda_device(const TrainSetting& setting, int gpu);

}  // namespace fernwood::train
