// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/parallelism.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"
#include "sentences.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

constexpr RankAbilities kHoldsAll{.holds_all_frames = true};

TrainOptions options_of(forest::ForestKind kind, int trees) {
  TrainOptions options;
  options.algorithm = kind;
  options.trees = trees;
  return options;
}

/// Parallelism that each of `size` ranks chooses, given the abilities of each.
template <typename AbilitiesOf>
std::vector<Parallelism> chosen(int size, const std::string& wanted, const TrainOptions& options,
                                const AbilitiesOf& abilities_of) {
  std::vector<Parallelism> parallelisms(static_cast<std::size_t>(size));
  run_as_ranks(size, [&](Communicator& communicator) {
    Ranks ranks(communicator);
    parallelisms[ranks.rank()] = choose_parallelism(wanted, options, abilities_of(ranks.rank()), ranks);
  });
  return parallelisms;
}

std::vector<Parallelism> chosen(int size, const std::string& wanted, const TrainOptions& options,
                                const RankAbilities& here = kHoldsAll) {
  return chosen(size, wanted, options, [&](std::size_t) { return here; });
}

TEST(ChooseParallelism, DealsTreesOutWhereTheyKeepAllRanksBusy) {
  EXPECT_THAT(chosen(4, "auto", options_of(forest::ForestKind::kForest, 12)), testing::Each(Parallelism::kTrees));
  EXPECT_THAT(chosen(4, "auto", options_of(forest::ForestKind::kForest, 5)), testing::Each(Parallelism::kFeatures));
  EXPECT_THAT(chosen(4, "auto", options_of(forest::ForestKind::kForest, 1)), testing::Each(Parallelism::kFeatures));
}

TEST(ChooseParallelism, DividesFramesWhereOneRankCannotHoldThem) {
  const TrainOptions options = options_of(forest::ForestKind::kForest, 12);
  const auto abilities_of = [](std::size_t rank) { return RankAbilities{.holds_all_frames = rank != 1}; };
  EXPECT_THAT(chosen(3, "auto", options, abilities_of), testing::Each(Parallelism::kData));
}

TEST(ChooseParallelism, DividesFramesForBoostedTreesOnLinkedGpus) {
  const TrainOptions boosted = options_of(forest::ForestKind::kBoosted, 80);
  EXPECT_THAT(chosen(4, "auto", boosted), testing::Each(Parallelism::kFeatures));
  RankAbilities linked = kHoldsAll;
  linked.gpus_link = true;
  EXPECT_THAT(chosen(4, "auto", boosted, linked), testing::Each(Parallelism::kData));
  EXPECT_THAT(chosen(4, "auto", options_of(forest::ForestKind::kForest, 12), linked),
              testing::Each(Parallelism::kTrees));
}

TEST(ChooseParallelism, DoesAsTold) {
  const TrainOptions boosted = options_of(forest::ForestKind::kBoosted, 80);
  EXPECT_THAT(chosen(2, "features", boosted), testing::Each(Parallelism::kFeatures));
  EXPECT_THAT(chosen(2, "data", boosted), testing::Each(Parallelism::kData));
  testdata::expect_refused(ErrorKind::kUsage, [&] { chosen(2, "trees", boosted); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { chosen(1, "pixels", boosted); });
}

}  // namespace
}  // namespace fernwood::train
