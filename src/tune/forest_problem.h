// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/search/search.h"
#include "fernwood/train/options.h"
#include "fernwood/tune/search_forest.h"
#include "search/option_space.h"
#include "train/grow_forest.h"

namespace fernwood::tune {

/// The training options that a search may choose, with their default ranges, from the table of options.
/// @param base     The hand-made defaults.
/// @param dataset  Its images determine the available channels.
search::Space forest_space(const train::TrainOptions& base, const dataset::Dataset& dataset);

/// The configurations that one training evaluates at no further cost, its own first: fewer trees are the first trees,
/// less depth and more samples in a node are pruned trees, and class weights are applied to leaves. Only values of the
/// space.
/// @param base  Options that a configuration does not name.
std::vector<search::Configuration> free_variants(const search::Configuration& configuration, const search::Space& space,
                                                 const train::TrainOptions& base);

/// Frames of groups that must not be divided, in the order of their first frames: [group][frame], ascending.
/// @param groups    [frame] Frames with equal numbers are of one group; empty: runs of neighbours are, which often show
/// the same scene.
/// @param num_runs  Number of such runs.
std::vector<std::vector<std::uint32_t>> frames_of_groups(std::size_t num_frames,
                                                         const std::vector<std::uint32_t>& groups,
                                                         std::size_t num_runs);

/// The frames of a search: held-out frames that no race uses, and folds, each of which is held out in turn.
struct ForestFolds {
  std::vector<std::uint32_t> held_out;            ///< Ascending.
  std::vector<std::vector<std::uint32_t>> folds;  ///< [fold] Ascending.

  /// Frames of all folds, ascending. @param but  The fold to leave out; -1: none.
  std::vector<std::uint32_t> race_frames(int but = -1) const;
};

/// Divides frames without splitting groups: groups in an order drawn from the seed are first held out, then each is
/// added to the fold with the fewest frames.
/// @param groups     As in frames_of_groups().
/// @param held_out   Share of the frames, [0, 0.9].
/// @throws Error(kData) when there are too few groups for three folds and the held-out frames.
ForestFolds cut_folds(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_folds,
                      double held_out, std::uint64_t seed, const std::string& folder);

/// Labels frames that a forest has not seen, and compares all their pixels but void.
/// @param progress  Called for each frame; may throw to end the work.
search::EvaluatedForest evaluate_frames(const forest::Forest& forest, const dataset::Dataset& frames,
                                        const predict::PredictOptions& labelling, double turned_degrees,
                                        ThreadPool& pool, const ProgressCallback& progress);

/// A race of image forests: each evaluation trains on the frames of all folds but one, which are on the device, and
/// tests on the same pixels of that fold.
class ForestProblem : public search::Problem {
 public:
  /// @param trainer  With all channels and stages of the space, and with its frames loaded.
  ForestProblem(train::Trainer& trainer, search::Space space, ForestFolds folds, const ForestSearchOptions& options);

  const search::Space& space() const override { return space_; }
  std::size_t num_folds() const override { return folds_.folds.size(); }
  std::string fingerprint() const override;
  std::vector<search::Configuration> variants(const search::Configuration& trial) const override {
    return free_variants(trial, space_, options_.train);
  }
  void check(const search::Configuration& configuration) const override {
    search::apply_configuration(configuration, options_.train);
  }
  search::EvaluationResult measure(const search::Configuration& trial,
                                   const std::vector<search::Configuration>& variants, std::size_t fold,
                                   bool timed) override;

 private:
  /// Accuracies of the first trees of a forest, with given pruning and class weights: [trees - 1].
  using PrefixAccuracies = std::vector<Accuracy>;
  PrefixAccuracies accuracies_of(const train::GrowingForest& grown, const train::SampleSet& pixels,
                                 const std::vector<std::vector<std::uint32_t>>& leaves,
                                 const train::TrainOptions& options, const train::TrainOptions& wanted) const;
  const train::SampleSet& pixels_of(std::size_t fold);
  std::vector<double> time_variants(const forest::Forest& forest, const std::vector<search::Configuration>& variants);
  double median_ms(const forest::Forest& forest);

  train::Trainer& trainer_;
  search::Space space_;
  ForestFolds folds_;
  ForestSearchOptions options_;
  std::map<std::size_t, train::SampleSet> pixels_;  // [fold]
  std::vector<image::Frame> timed_frames_;
};

}  // namespace fernwood::tune
