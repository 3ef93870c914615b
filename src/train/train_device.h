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
#include "train/data/memory_plan.h"
#include "train/data/sampler.h"
#include "train/distributed/ranks.h"
#include "train/grow/growing_tree.h"
#include "train/progress_meter.h"

namespace fernwood::train {

/// A part of a level's candidates: F features with T thresholds each, for all nodes.
struct CandidateChunk {
  std::size_t first = 0;                        ///< Index of the first among the level's candidates.
  std::vector<forest::RegionFeature> features;  ///< [F]
  Array2<float> thresholds;                     ///< [F][T], ascending
  std::size_t size() const { return features.size(); }
};

/// Memory for the thresholds of a candidate.
inline std::size_t threshold_bytes(const TrainOptions& options) {
  return static_cast<std::size_t>(options.thresholds) * sizeof(float);
}

/// Holds the samples of a growing tree on a device and evaluates its levels. Each kind of device has its own; all give
/// identical results. Ranks can share a level, see TreeLevels: the backend may hold a part of a tree's samples; then
/// its counts are added to those of other ranks before scoring, and nodes count all samples of the tree. Or it holds
/// all samples and evaluates a part of the candidates; then ranks exchange the partition bits of the splits they found.
class LevelBackend {
 public:
  virtual ~LevelBackend() = default;

  /// Stores the samples of a tree and assigns them to its open nodes.
  /// @param options  Options of the tree, for all its levels.
  virtual void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
                     const TrainOptions& options) = 0;

  /// Number of candidates to pass to one evaluate() call so that memory stays within the budget.
  virtual std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options) const = 0;

  /// Number of levels, from the next one on, whose candidates are best evaluated in one pass over the frames; 0:
  /// evaluate the next level chunk by chunk.
  /// @param num_levels  Maximum number of remaining levels.
  virtual std::size_t levels_ahead(const TrainOptions&, std::size_t num_levels) const {
    static_cast<void>(num_levels);
    return 0;
  }
  /// Evaluates all samples for these levels. @param levels  All candidates of each level.
  virtual void start_levels(const std::vector<CandidateChunk>& levels) { static_cast<void>(levels); }

  /// Runs the three stages response, aggregation and score for a chunk. Chunks come in ascending order.
  virtual void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) = 0;

  /// The best splits among all candidates evaluated at this level; for ferns the same split at every node, which may
  /// leave one side empty (thesis eq. 4.14).
  virtual LevelBest best(const OpenNodes& nodes) = 0;

  /// Partitions the samples of every node by its split.
  /// @param chosen  [N] As returned by best(), or agreed upon by ranks with different samples.
  /// @return  [N * 2][class] samples on the left and on the right side.
  virtual Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) = 0;

  /// Moves the samples to the children on their sides; samples of closed children are dropped. Begins the next level.
  /// @param children  As returned by split_nodes().
  /// @param nodes     The new open nodes.
  virtual void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) = 0;

  /// Time spent in the stages since the last call, summed over threads.
  virtual StageSeconds take_seconds() = 0;

  // For ranks that share a level.

  /// Partition bits of all samples for splits returned by best(). @param asked  [N] 1 for each requested node.
  /// @return  One bit for each sample in frame order, 1: right; 0 in nodes that are not requested.
  virtual std::vector<std::uint32_t> partition_bits(const OpenNodes& nodes, const std::vector<std::uint8_t>& asked) = 0;
  /// As split(), for splits with known sides. @param sides  As returned by partition_bits(), for all nodes.
  virtual Array2<std::uint32_t> split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen,
                                         const std::vector<std::uint32_t>& sides) = 0;

  /// As evaluate(), for ranks with different samples: the counts of all are added up, and each rank scores its share of
  /// the candidates. The exchange may still be in progress on return; best() waits for it.
  /// @param ranks  All must have the same kind of device.
  virtual void evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                              Ranks& ranks) = 0;
};

/// Inputs common to all training devices.
struct TrainSetting {
  const dataset::Dataset& dataset;
  const forest::Forest& forest;  ///< Classes and preparation, to which load_frames() expects feature maps; no trees.
  const TrainResources& resources;
  const MemoryPlan& memory;
  ThreadPool& pool;
  const TrainHooks& hooks;
  ProgressMeter& meter;
  Ranks& ranks;

  /// Indices of the frames to hold, ascending; other frames are ignored.
  std::vector<std::uint32_t> held_frames() const { return ranks.frames(dataset.size()); }
};

/// Holds the frames of a training and grows its trees; each device has its own class. Functions that take frames ignore
/// those that are not held here.
class TrainDevice {
 public:
  explicit TrainDevice(const TrainSetting& setting) : setting_(setting) {}
  virtual ~TrainDevice() = default;
  /// Takes a frame that was read, as far as memory permits. Any thread; once per frame, before load_frames().
  /// @param of_backbone  The maps of its backbone if they are known.
  virtual void keep(std::uint32_t index, dataset::LabelledFrame frame, image::FeatureMaps of_backbone) = 0;
  /// What maps are computed from, colour and supplied maps, and labels: of a frame taken by keep(), else read again.
  virtual dataset::LabelledFrame read(std::uint32_t index) const = 0;
  /// Prepares the frames, as far as memory permits. @param loaded  Called after each frame, on any thread.
  virtual void load_frames(const std::function<void()>& loaded) = 0;
  /// Draws the samples of a tree. @param options  Those of the training, or others that change what is drawn.
  /// @param frames  Frames for this tree, ascending.
  SampleSet draw_samples(const TrainOptions& options, const std::vector<std::uint32_t>& frames, std::uint32_t tree);
  /// The representative pixels of the cells of frames (see context.h), row by row; all of class 0.
  SampleSet context_samples(const std::vector<std::uint32_t>& frames);
  /// Sets the context channels of the frames. @param maps  [frame]
  virtual void set_context(std::vector<image::ContextMaps> maps) = 0;
  /// Sends samples down a tree, whether or not it was grown here. @return  [S] leaf of each sample.
  virtual std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) = 0;
  /// The state of boosting, in the memory of this device. @param samples  Drawn here.
  virtual std::unique_ptr<BoostedSamples> boosted_samples(SampleSet samples, const BoostingSetting& setting) = 0;
  virtual LevelBackend& backend() = 0;
  virtual void describe(TrainReport& report) const = 0;

 protected:
  /// Chooses the pixels of a frame that become samples.
  using Choose = std::function<std::vector<DrawnPixel>(const image::LabelImage& labels, std::uint32_t frame)>;
  /// @param frames  All must be held here.
  virtual SampleSet choose(const Choose& choose, const std::vector<std::uint32_t>& frames) = 0;
  const TrainSetting setting_;

 private:
  std::vector<std::uint32_t> held_among(const std::vector<std::uint32_t>& frames) const;
};

std::unique_ptr<TrainDevice> make_cpu_device(const TrainSetting& setting);
/// @throws Error(kDevice) in a build without CUDA.
std::unique_ptr<TrainDevice> make_cuda_device(const TrainSetting& setting, int gpu);

}  // namespace fernwood::train
