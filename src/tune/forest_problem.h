// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fernwood/tune/search_forest.h"
#include "search/option_space.h"
#include "train/forest_grower.h"
#include "tune/forest_folds.h"
#include "tune/forest_space.h"

namespace fernwood::tune {

/// A race of image forests: each evaluation trains on the frames of all folds but one, which are on the device, and
/// tests on the same pixels of that fold.
class ForestProblem : public search::Problem {
 public:
  /// @param trainer  With all channels and stages of the space, and with its frames loaded.
  ForestProblem(train::Trainer& trainer, search::Space space, ForestFolds folds, const ForestSearchOptions& options);

  const search::Space& space() const override { return space_; }
  std::size_t num_folds() const override { return folds_.folds.size(); }
  double test_share() const override;
  std::string fingerprint() const override;
  std::vector<search::Configuration> variants(const search::Configuration& trial) const override {
    return free_variants(trial, space_, options_.train);
  }
  void check(const search::Configuration& configuration) const override { options_of(configuration, options_.train); }
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
