// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/ranks.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/fake_nccl.h"
#include "dataset/computed_frames.h"
#include "devices.h"
#include "sentences.h"
#include "test_folder.h"
#include "train/distributed/parallelism.h"
#include "train/progress_meter.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

/// Runs `work` on ranks with the given parallelism; returns its results by rank.
template <typename Work>
auto on_ranks(int size, Parallelism parallelism, const Work& work) {
  // A deque, as std::vector<bool> packs elements into words, to which several threads would write.
  using Answer = decltype(work(std::declval<Ranks&>()));
  std::deque<Answer> answers(static_cast<std::size_t>(size));
  run_as_ranks(size, [&](Communicator& communicator) {
    Ranks ranks(communicator);
    ranks.divide(parallelism);
    answers[ranks.rank()] = work(ranks);
  });
  return std::vector<Answer>(answers.begin(), answers.end());
}

TEST(Ranks, OneHasEverythingWhateverIsDivided) {
  for (const Parallelism parallelism : kParallelisms)
    on_ranks(1, parallelism, [](Ranks& ranks) {
      EXPECT_EQ(ranks.frames(7).size(), 7u);
      EXPECT_EQ(ranks.candidates().count_of(7), 7u);
      EXPECT_EQ(ranks.candidates().number(5), 5u);
      EXPECT_EQ(ranks.trees_at_once(), 1u);
      EXPECT_EQ(ranks.own_tree(), 0u);
      EXPECT_EQ(ranks.share_of_responses(), 1);
      return ranks.bytes_sent();
    });
}

TEST(Ranks, SharesAreAllThereIs) {
  for (const int size : {2, 3, 5})
    for (const std::size_t count : {0u, 1u, 4u, 100u}) {
      std::vector<int> frames(count, 0), candidates(count, 0);
      std::mutex mutex;
      run_as_ranks(size, [&](Communicator& communicator) {
        Ranks ranks(communicator);
        const std::scoped_lock lock(mutex);
        ranks.divide(Parallelism::kData);
        for (const std::uint32_t frame : ranks.frames(count)) ++frames[frame];
        ranks.divide(Parallelism::kFeatures);
        const Deal dealt = ranks.candidates();
        for (std::size_t i = 0; i < dealt.count_of(count); ++i) ++candidates[dealt.number(i)];
      });
      EXPECT_THAT(frames, testing::Each(1)) << size << " ranks";
      EXPECT_THAT(candidates, testing::Each(1)) << size << " ranks";
    }
}

TEST(Ranks, GpusAddUpWhatTheirRanksCountedWhereTheyAreLinked) {
  constexpr std::size_t kBlock = 5;
  on_ranks(3, Parallelism::kData, [](Ranks& ranks) {
    EXPECT_FALSE(ranks.gpu_links().asked());
    ranks.link_gpus(FakeNccl::library(), "gpu " + std::to_string(ranks.rank()));
    EXPECT_EQ(ranks.gpu_links().by, "NCCL 2.32.3");
    EXPECT_TRUE(ranks.has_gpu_links());
    std::vector<std::uint32_t> blocks(3 * kBlock);
    std::iota(blocks.begin(), blocks.end(), static_cast<std::uint32_t>(ranks.rank()));
    const std::vector<std::uint32_t> expected = ranks.sum_rows(blocks, 3);
    const std::uint64_t sent = ranks.bytes_sent();
    ranks.sum_blocks(blocks.data(), kBlock, nullptr, FakeNccl::arrived);
    const auto own = blocks.begin() + static_cast<std::ptrdiff_t>(ranks.rank() * kBlock);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), own));
    EXPECT_GE(ranks.bytes_sent() - sent, 2 * kBlock * sizeof(std::uint32_t));
    ranks.gather({});  // keeps the blocks alive until all ranks have read them
    return 0;
  });
}

TEST(Ranks, GpusThatAreNotLinkedSayWhy) {
  on_ranks(2, Parallelism::kData, [](Ranks& ranks) {
    ranks.link_gpus(FakeNccl::library(), "the same");
    EXPECT_EQ(ranks.gpu_links().problem, "ranks 0 and 1 share a GPU");
    EXPECT_FALSE(ranks.has_gpu_links());
    return 0;
  });
  on_ranks(2, Parallelism::kFeatures, [](Ranks& ranks) {
    ranks.link_gpus(FakeNccl::library(), "gpu " + std::to_string(ranks.rank()));
    EXPECT_FALSE(ranks.gpu_links().asked()) << "these do not count together";
    return 0;
  });
}

TEST(Ranks, KnowBeforeTheyMeetWhatKeepsGpusApart) {
  const auto can_link = [](const NcclLibrary& nccl, bool own_gpus) {
    return on_ranks(2, Parallelism::kTrees, [&](Ranks& ranks) {
      return ranks.can_link_gpus(nccl, own_gpus ? "gpu " + std::to_string(ranks.rank()) : "the same");
    });
  };
  EXPECT_THAT(can_link(FakeNccl::library(), true), testing::Each(true));
  EXPECT_THAT(can_link(FakeNccl::library(), false), testing::Each(false));
  EXPECT_THAT(can_link(NcclLibrary("none"), true), testing::Each(false));
}

TEST(Ranks, BlocksOfDifferentSizesAreRefused) {
  const std::optional<Error> error = testdata::error_of([] {
    on_ranks(2, Parallelism::kData, [](Ranks& ranks) {
      ranks.link_gpus(FakeNccl::library(), "gpu " + std::to_string(ranks.rank()));
      std::vector<std::uint32_t> blocks(8);
      ranks.sum_blocks(blocks.data(), 3 + ranks.rank(), nullptr, FakeNccl::arrived);
      return 0;
    });
  });
  EXPECT_EQ(error.value().kind(), ErrorKind::kRuntime);  // of either rank
  EXPECT_EQ(FakeNccl::num_open(), 0);
}

TEST(Ranks, AddUpWhatTheyCountedOfTheirOwnSamplesOnly) {
  const auto sums_by = [](Parallelism parallelism, std::size_t count) {
    return on_ranks(3, parallelism, [count](Ranks& ranks) {
      std::vector<std::uint32_t> numbers(count);
      std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(100 * ranks.rank()));
      ranks.sum_over_samples(std::span(numbers));
      return numbers;
    });
  };
  for (const std::size_t count : {10u, 10'000u})
    for (const std::vector<std::uint32_t>& numbers : sums_by(Parallelism::kData, count))
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], 300 + 3 * i);
  const auto alike = sums_by(Parallelism::kFeatures, 10);
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_EQ(alike[rank][9], 100 * rank + 9);
}

TEST(Ranks, SendFewNumbersWholeAndManyInParts) {
  const auto sent = [](std::size_t count) {
    return on_ranks(4, Parallelism::kData, [count](Ranks& ranks) {
      std::vector<std::uint32_t> numbers(count);
      ranks.sum_over_samples(std::span(numbers));
      return ranks.bytes_sent();
    });
  };
  EXPECT_THAT(sent(4096), testing::Each(3 * 16384)) << "64 KiB of all ranks: to three others";
  EXPECT_THAT(sent(4100), testing::Each(2 * 3 * 4100)) << "a quarter to each of three others, and its sums";
}

TEST(Ranks, AddUpRowsEachItsShare) {
  const auto sums = on_ranks(3, Parallelism::kData, [](Ranks& ranks) {
    return ranks.sum_rows(std::vector<std::uint32_t>(8, static_cast<std::uint32_t>(1 + ranks.rank())), 4);
  });
  EXPECT_THAT(sums, testing::ElementsAre(testing::SizeIs(2), testing::SizeIs(2), testing::SizeIs(4)));
  for (const std::vector<std::uint32_t>& rows : sums) EXPECT_THAT(rows, testing::Each(6));
}

TEST(Ranks, KnowThePlacesOfSamplesInTheOrderOfFrames) {
  // Frame f has 10 + f samples, except for frame 2, which has none and is left out.
  const auto samples_of = [](const std::vector<std::uint32_t>& frames) {
    SampleSet samples;
    samples.frame_starts = {0};
    for (const std::uint32_t frame : frames) {
      if (frame == 2) continue;
      samples.frames.push_back(frame);
      samples.frame_starts.push_back(samples.frame_starts.back() + 10 + frame);
    }
    return samples;
  };
  const auto places = [&](Ranks& ranks) { return ranks.first_places(samples_of(ranks.frames(6))); };
  EXPECT_EQ(on_ranks(1, Parallelism::kTrees, places)[0], (std::vector<std::uint32_t>{0, 10, 21, 34, 48}));
  EXPECT_EQ(on_ranks(4, Parallelism::kData, places),
            (std::vector<std::vector<std::uint32_t>>{{0, 34}, {10, 48}, {}, {21}}));
}

TEST(Ranks, RefuseToCountTogetherWhatDiffers) {
  EXPECT_THROW(on_ranks(2, Parallelism::kData,
                        [](Ranks& ranks) {
                          std::vector<std::uint32_t> numbers(4 + 3 * ranks.rank());
                          ranks.sum_over_samples(std::span(numbers));
                          return 0;
                        }),
               Error);
}

TEST(Ranks, SplitsThatAreBetterWinAndOfEqualsTheFirstCandidate) {
  const auto found = on_ranks(3, Parallelism::kFeatures, [](Ranks& ranks) {
    const auto rank = static_cast<std::int32_t>(ranks.rank());
    LevelBest best{{{{0.5f, 9 - rank, 1}}, {{0.1f * static_cast<float>(rank + 1), rank, 2}}, {}}};
    ranks.gather_best(best);
    return best.chosen;
  });
  for (const std::vector<ChosenSplit>& chosen : found) {
    EXPECT_EQ(chosen[0].best.candidate, 7);
    EXPECT_EQ(chosen[1].best.candidate, 2);
    EXPECT_EQ(chosen[2].best.candidate, -1);
  }
}

TEST(Ranks, FernsGetTheSplitOfTheHighestSum) {
  const auto found = on_ranks(3, Parallelism::kFeatures, [](Ranks& ranks) {
    const auto rank = static_cast<std::int32_t>(ranks.rank());
    const SharedSplit shared{rank == 1 ? 90u : 40u, rank, 3};
    LevelBest best{std::vector<ChosenSplit>(2, {shared.of_node()}), shared};
    ranks.gather_best(best);
    return best;
  });
  for (const LevelBest& best : found) {
    EXPECT_EQ(best.shared->score, 90u);
    for (const ChosenSplit& chosen : best.chosen) EXPECT_EQ(chosen.best.candidate, 1);
  }
}

TEST(ProgressMeter, OfTheFirstRankTellsOfTheWorkOfAll) {
  using Phase = TrainProgress::Phase;
  run_as_ranks(3, [](Communicator& ranks) {
    std::mutex mutex;
    TrainProgress last;
    TrainHooks hooks;
    if (ranks.rank() == 0)
      hooks.progress = [&](const TrainProgress& now) {
        const std::scoped_lock lock(mutex);
        last = now;
      };
    const auto told = [&] {
      ranks.gather_all({});
      const double done = [&] {
        const std::scoped_lock lock(mutex);
        return last.done;
      }();
      ranks.gather_all({});  // keeps ranks from continuing before the value is read
      return done;
    };
    std::atomic<double> now_s = 0;
    ProgressMeter meter(hooks, &ranks, [&] { return now_s.load(); });
    meter.start({.phase = Phase::kLoading}, 10);
    told();
    if (ranks.rank() == 1) meter.add(3);
    if (const double done = told(); ranks.rank() == 0) {
      EXPECT_EQ(done, 0) << "so soon, what is added waits for more";
    }
    now_s = 1;
    if (ranks.rank() == 1) meter.add(3);
    if (const double done = told(); ranks.rank() == 0) {
      EXPECT_NEAR(done, 0.2, 1e-9);
      EXPECT_EQ(last.ranks, 3);
    }
    if (ranks.rank() == 2) meter.start({.phase = Phase::kGrowing}, 10);
    if (const double done = told(); ranks.rank() == 0) {
      EXPECT_NEAR(done, 0.6 / 3 + 1.0 / 3, 1e-9) << "who grows has loaded";
      meter.start({.phase = Phase::kGrowing}, 10);
      EXPECT_EQ(last.done, 0) << "who loads has not grown";
    }
    told();
  });
}

struct Kind {
  std::string name;
  void (*change)(TrainOptions& options);
  bool depend = false;  ///< Each tree depends on the previous one.
};
const std::vector<Kind> kKinds = {
    {"forest", [](TrainOptions& o) { o.trees = 4; }},
    {"ferns",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kFerns;
       o.max_depth = 8;
     }},
    {"out_of_bag",
     [](TrainOptions& o) {
       o.frames_per_tree = 4;
       o.trees = 12;
       o.early_stopping_rounds = 2;
     }},
    {"stages",
     [](TrainOptions& o) {
       o.cascade = 2;
       o.folds = 3;
       o.class_weights = "sqrt";
     }},
    {"boosted",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kBoosted;
       o.max_depth = 4;
       o.trees = 4;
       o.mirror_augmentation = true;
     },
     true},
    {"boosted_stages",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kBoosted;
       o.max_depth = 3;
       o.trees = 2;
       o.cascade = 2;
       o.folds = 2;
       o.frames_per_tree = 2;
     },
     true},
};

class TrainOnRanks : public testing::TestWithParam<Kind> {
 protected:
  TrainOnRanks() {
    add_scenes(data_, 6);
    GetParam().change(options_);
    resources_.threads = 1;
  }
  /// The bytes of the model file, as each rank would write it.
  std::vector<dataset::Bytes> train(int size, const std::string& parallel, const TrainHooks& hooks = {},
                                    std::vector<TrainReport>* reports = nullptr) {
    std::vector<dataset::Bytes> models(static_cast<std::size_t>(size));
    if (reports) reports->resize(models.size());
    TrainResources resources = resources_;
    resources.parallel = parallel;
    data_.dataset();  // opens the data set before there are several threads
    run_as_ranks(size, [&](Communicator& ranks) {
      const auto rank = static_cast<std::size_t>(ranks.rank());
      TrainReport report;
      models[rank] = forest::model_bytes(train_forest(data_.dataset(), options_, resources, hooks, &report, &ranks));
      if (reports) (*reports)[rank] = report;
    });
    return models;
  }
  std::vector<std::string> parallelisms() const {
    if (GetParam().depend) return {"features", "data"};
    return {"trees", "features", "data"};
  }

  TrainingData data_;
  TrainOptions options_ = small_training();
  TrainResources resources_;
};
INSTANTIATE_TEST_SUITE_P(Each, TrainOnRanks, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainOnRanks, AllGetTheForestOfOneProcess) {
  TrainReport alone;
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_, {}, &alone);
  for (const int size : {1, 2, 3, 5})
    for (const std::string& parallel : parallelisms()) {
      std::vector<TrainReport> reports;
      EXPECT_THAT(train(size, parallel, {}, &reports), testing::Each(expected)) << size << " ranks divide " << parallel;
      for (const TrainReport& report : reports) {
        EXPECT_EQ(report.out_of_bag, alone.out_of_bag);
        EXPECT_EQ(report.ranks.size(), size > 1 ? static_cast<std::size_t>(size) : 0u);
      }
      const TrainReport& first = reports.front();
      EXPECT_EQ(first.parallel, size > 1 ? parallel : "");
      ASSERT_EQ(first.levels.size(), alone.levels.size());
      EXPECT_EQ(first.responses(), alone.responses());
      for (std::size_t i = 0; i < alone.levels.size(); ++i) {
        EXPECT_EQ(first.levels[i].tree, alone.levels[i].tree);
        EXPECT_EQ(first.levels[i].fold, alone.levels[i].fold);
        EXPECT_EQ(first.levels[i].samples, alone.levels[i].samples);
      }
      if (options_.early_stopping_rounds == 0) {
        EXPECT_EQ(first.samples, alone.samples);
      }
      for (const RankReport& rank : first.ranks) {
        EXPECT_GT(rank.bytes_sent, 0u);
        EXPECT_GE(rank.seconds, rank.seconds_exchanging);
      }
    }
}

TEST_P(TrainOnRanks, GetItFromFramesThatDoNotFit) {
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  resources_.memory_budget_bytes = 300000;
  for (const std::string& parallel : parallelisms())
    EXPECT_THAT(train(2, parallel), testing::Each(expected)) << parallel;
}

TEST_P(TrainOnRanks, StartedByTheTrainingItselfAnswerAsOne) {
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  std::size_t num_levels = 0;
  double done = 0;
  TrainHooks hooks;
  hooks.level_done = [&](const LevelReport&) { ++num_levels; };
  hooks.progress = [&](const TrainProgress& now) {
    EXPECT_EQ(now.ranks, 3);
    done = now.done;
  };
  TrainReport report;
  const dataset::Dataset dataset = data_.dataset();
  const forest::Forest forest =
      train_by_ranks(3, hooks, &report, [&](const TrainHooks& own, TrainReport* written, Communicator& ranks) {
        return train_forest(dataset, options_, resources_, own, written, &ranks);
      });
  EXPECT_EQ(forest::model_bytes(forest), expected);
  EXPECT_EQ(report.ranks.size(), 3u);
  if (report.parallel != "trees") {
    EXPECT_EQ(num_levels, report.levels.size());
  }
  EXPECT_GT(done, 0);
}

TEST(RanksToStart, AreNoneWhereADeviceIsNamedOrRanksAreThere) {
  TrainResources resources;
  for (const char* const device : {"auto", "cpu", "cuda", "cuda:0"}) {
    resources.device = device;
    EXPECT_EQ(ranks_to_start(resources, nullptr), 1) << device;
  }
  run_as_ranks(2, [&](Communicator& ranks) {
    TrainResources list;
    list.device = "cuda:0,1";
    EXPECT_EQ(ranks_to_start(list, &ranks), 1);
  });
  resources.device = "cuda:1,1";
  testdata::expect_refused(ErrorKind::kUsage, [&] { ranks_to_start(resources, nullptr); });
}

/// Ranks that share a GPU, and therefore exchange counts through host memory.
class TrainOnGpuRanks : public TrainOnRanks {
 protected:
  void SetUp() override {
    if (is_missing(gpus().front())) GTEST_SKIP() << gpu_status().problem;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, TrainOnGpuRanks, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainOnGpuRanks, AllGetTheForestOfTheCpu) {
  TrainReport alone;
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_, {}, &alone);
  resources_.device = to_string(gpus().front());
  for (const int size : {2, 3, 7})  // one of seven ranks holds no frame
    for (const std::string& parallel : parallelisms()) {
      std::vector<TrainReport> reports;
      EXPECT_THAT(train(size, parallel, {}, &reports), testing::Each(expected)) << size << " ranks divide " << parallel;
      for (const TrainReport& report : reports) EXPECT_EQ(report.out_of_bag, alone.out_of_bag);
    }
}

TEST_P(TrainOnGpuRanks, GetItFromFramesThatDoNotFit) {
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  resources_.device = to_string(gpus().front());
  resources_.gpu_memory_bytes = options_.cascade > 1 ? 640000 : 400000;  // memory for two frames
  EXPECT_THAT(train(2, "data"), testing::Each(expected));
  resources_.memory_budget_bytes = 60000;  // memory for three frames with colour, depth and labels
  std::vector<TrainReport> reports;
  EXPECT_THAT(train(2, "auto", {}, &reports), testing::Each(expected));
  for (const TrainReport& report : reports) EXPECT_EQ(report.parallel, "data");
}

/// The same with counts that NCCL sums between GPUs, as with a GPU for each rank; NCCL 2.30 can let ranks share one.
class LinkedGpuRanks : public TrainOnGpuRanks {
 protected:
  void SetUp() override {
    TrainOnGpuRanks::SetUp();
    if (IsSkipped()) return;
    const NcclLibrary nccl = NcclLibrary::find();
    if (!nccl.problem().empty()) GTEST_SKIP() << nccl.problem();
    if (nccl.version() < 23000) GTEST_SKIP() << "NCCL " << nccl.version_text() << " lets nobody share a GPU, 2.30 does";
    ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  }
  void TearDown() override { ::unsetenv("NCCL_MULTI_RANK_GPU_ENABLE"); }
};
INSTANTIATE_TEST_SUITE_P(Each, LinkedGpuRanks, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

TEST_P(LinkedGpuRanks, AllGetTheForestOfTheCpu) {
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  resources_.device = to_string(gpus().front());
  for (const int size : {2, 3, 7}) {
    std::vector<TrainReport> reports;
    EXPECT_THAT(train(size, "data", {}, &reports), testing::Each(expected)) << size << " ranks";
    for (const TrainReport& report : reports)
      EXPECT_THAT(report.gpu_links.by, testing::StartsWith("NCCL 2.")) << report.gpu_links.problem;
  }
}

TEST_P(LinkedGpuRanks, EndWhenOneFails) {
  resources_.device = to_string(gpus().front());
  TrainHooks hooks;
  std::atomic<int> levels = 0;
  hooks.level_done = [&](const LevelReport&) {
    if (++levels == 2) throw std::runtime_error("disk full");
  };
  try {
    train(3, "data", hooks);
    FAIL() << "one failed";
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "disk full");
  }
}

/// Ranks with a GPU each, for all GPUs of the machine.
class OneGpuForEachRank : public TrainOnRanks {};
INSTANTIATE_TEST_SUITE_P(Each, OneGpuForEachRank, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

TEST_P(OneGpuForEachRank, AllGetTheForestOfTheCpu) {
  const auto num_gpus = static_cast<int>(available_devices().size()) - 1;
  if (num_gpus < 2) GTEST_SKIP() << "this machine has " << num_gpus << " of at least two GPUs";
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  resources_.device = "cuda";  // ranks of a machine are assigned its GPUs in turn
  for (int size = 2; size <= num_gpus; size *= 2)
    for (const std::string& parallel : parallelisms())
      EXPECT_THAT(train(size, parallel), testing::Each(expected)) << size << " GPUs divide " << parallel;
}

TEST(TrainGpuRanks, CpuAndGpuDoNotCountTogether) {
  if (is_missing(gpus().front())) GTEST_SKIP() << gpu_status().problem;
  TrainingData data;
  add_scenes(data, 6);
  data.dataset();
  EXPECT_EQ(testdata::error_of([&] {
              run_as_ranks(2, [&](Communicator& ranks) {
                const TrainResources resources{
                    .device = ranks.rank() == 0 ? "cpu" : "cuda", .threads = 1, .parallel = "data"};
                train_forest(data.dataset(), small_training(), resources, {}, nullptr, &ranks);
              });
            })
                .value()
                .kind(),
            ErrorKind::kUsage);
}

/// Number of reads of pixels and of labels, by rank and frame. Each thread stores its rank in reading_rank.
struct Reads {
  std::mutex mutex;
  std::map<std::pair<int, std::size_t>, int> pixels, labels;
};
thread_local int reading_rank = -1;

TEST(TrainRanks, EachReadsItsShareAndWhatItHolds) {
  TrainingData data;
  add_scenes(data, 6);
  ThreadPool one(1);
  const image::ClassMap classes = data.dataset().scan_truth(one).classes;
  Reads reads;
  struct Files : dataset::ComputedFrames {
    explicit Files(dataset::Dataset opened) : files(std::move(opened)) {}
    void add_depths(std::size_t, dataset::DepthHistogram&) const override {}  // reads of rank 0 that are not counted
    dataset::FrameSize size(std::size_t i) const override { return files.frame_size(i); }
    std::optional<image::Camera> camera(std::size_t) const override { return std::nullopt; }
    dataset::Dataset files;
  };
  const auto supply = std::make_shared<Files>(data.dataset());
  supply->num_frames = 6;
  supply->frame_of = [&](std::size_t i) {
    const std::scoped_lock lock(reads.mutex);
    ++reads.pixels[{reading_rank, i}];
    return data.dataset().read_frame(i);
  };
  supply->labels_of = [&](std::size_t i) {
    const std::scoped_lock lock(reads.mutex);
    ++reads.labels[{reading_rank, i}];
    return data.dataset().read_labels(i, classes);
  };
  supply->config.classes = classes.classes;
  const dataset::Dataset supplied = dataset::Dataset::from_memory(supply);
  const TrainOptions options = small_training();
  const dataset::Bytes alone = train_bytes(data.dataset(), options, {.threads = 1});
  for (const std::string parallel : {"trees", "features", "data"}) {
    reads.pixels.clear();
    reads.labels.clear();
    run_as_ranks(3, [&](Communicator& ranks) {
      reading_rank = ranks.rank();
      const TrainResources resources{.threads = 1, .parallel = parallel};
      EXPECT_EQ(forest::model_bytes(train_forest(supplied, options, resources, {}, nullptr, &ranks)), alone);
    });
    for (int rank = 0; rank < 3; ++rank)
      for (std::size_t frame = 0; frame < 6; ++frame) {
        const bool own = frame % 3 == static_cast<std::size_t>(rank), held = own || parallel != "data";
        EXPECT_EQ((reads.pixels[{rank, frame}]), own || held) << parallel << ", rank " << rank << ", frame " << frame;
        EXPECT_EQ((reads.labels[{rank, frame}]), own || held) << parallel << ", rank " << rank << ", frame " << frame;
      }
  }
}

TEST_P(TrainOnRanks, AreResumedByAnyOtherNumber) {
  const dataset::Bytes expected = train_bytes(data_.dataset(), options_, resources_);
  std::string before = "features";
  int before_size = 2;
  for (const std::string& parallel : parallelisms())
    for (const int size : {3, 1}) {
      TrainHooks hooks;
      hooks.checkpoint = data_.folder() / "checkpoint";
      hooks.checkpoint_every_s = 0;
      std::atomic<int> levels = 0;
      hooks.level_done = [&](const LevelReport& level) {
        if (level.tree == 1 && level.level == 1 && ++levels == 1) throw std::runtime_error("power failed");
      };
      EXPECT_THROW(train(before_size, before, hooks), std::exception);
      ASSERT_TRUE(std::filesystem::exists(hooks.checkpoint));
      hooks.level_done = {};
      hooks.resume = true;
      EXPECT_THAT(train(size, parallel, hooks), testing::Each(expected))
          << before_size << " ranks divided " << before << ", then " << size << " " << parallel;
      std::filesystem::remove(hooks.checkpoint);
      before = parallel;
      before_size = size;
    }
}

}  // namespace
}  // namespace fernwood::train
