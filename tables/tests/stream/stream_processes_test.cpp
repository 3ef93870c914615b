// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <stdexcept>

#include "sentences.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

constexpr std::array kAmongRanks = {Parallel::kData, Parallel::kFeature, Parallel::kDataFeature};

void expect_same(const records::RecordForest& expected, const records::RecordTable& table, const StreamOptions& options,
                 const StreamRun& run) {
  for (const records::RecordForest& forest : forests_of(table, options, run))
    EXPECT_TRUE(forest == expected) << run.ranks << " ranks, " << run.threads << " threads, " << to_string(run.parallel)
                                    << ", " << to_json(options) << ": " << forest.trees[0].num_leaves()
                                    << " leaves instead of " << expected.trees[0].num_leaves();
}

class StreamProcesses : public testing::TestWithParam<Schedule> {};
INSTANTIATE_TEST_SUITE_P(EverySchedule, StreamProcesses, testing::ValuesIn(kSchedules),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(StreamProcesses, AllGetTheTreeOfOneProcess) {
  const records::RecordTable table = noisy_records(1, 6000, 7, 4);
  for (const records::Criterion criterion : {records::Criterion::kGini, records::Criterion::kEntropy}) {
    const StreamOptions options = quick_options(GetParam(), criterion);
    const records::RecordForest expected = forest_of(table, options, {.parallel = Parallel::kSequential});
    EXPECT_GE(expected.trees[0].num_leaves(), 6u);
    for (const Parallel parallel : kParallels)
      expect_same(expected, table, options, {.parallel = parallel, .threads = 3});
    for (const Parallel parallel : kAmongRanks)
      for (int ranks = 2; ranks <= 5; ++ranks)
        expect_same(expected, table, options, {.ranks = ranks, .parallel = parallel, .threads = ranks % 2 + 1});
  }
}

TEST_P(StreamProcesses, LearnOfClassesAndAttributesThatComeLater) {
  // First there are 3 attributes and 2 classes. In passes, batches are larger.
  const bool in_passes = GetParam() == Schedule::kPasses;
  const records::RecordTable table = noisy_records(3, in_passes ? 67'000 : 5000, 6, 4);
  const auto begin_small = [&](records::RecordTable& batch, std::uint64_t end) {
    if (end > (in_passes ? 65'536 : 2000)) return;
    records::RecordTable all = std::move(batch);
    batch = {
        {all.attributes.begin(), all.attributes.begin() + 3}, {all.classes.begin(), all.classes.begin() + 2}, {}, {}};
    batch.values = Array2<float>(all.labels.size(), 3);
    for (std::size_t i = 0; i < all.labels.size(); ++i) {
      std::copy_n(all.values.row(i), 3, batch.values.row(i));
      batch.labels.push_back(all.labels[i] % 2);
    }
  };
  const StreamOptions options = quick_options(GetParam());
  const records::RecordForest expected = forest_of(table, options, {.before_batch = begin_small});
  EXPECT_EQ(expected.attributes.size(), 6u);
  EXPECT_EQ(expected.classes.size(), 4u);
  for (const Parallel parallel : kAmongRanks)
    for (const int ranks : {2, 4})
      expect_same(expected, table, options, {.ranks = ranks, .parallel = parallel, .before_batch = begin_small});
}

TEST_P(StreamProcesses, EndTogetherWhenTheSourceFails) {
  const records::RecordTable table = noisy_records(4, 3000, 3, 2);
  const auto fail = [](records::RecordTable&, std::uint64_t end) {
    if (end > 1500) throw std::invalid_argument("the cable broke");
  };
  for (const int ranks : {1, 3}) {
    try {
      forests_of(table, quick_options(GetParam()), {.ranks = ranks, .before_batch = fail});
      ADD_FAILURE() << "no exception";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "the cable broke");
    }
  }
}

TEST_P(StreamProcesses, EndTogetherWhenRank0IsInterrupted) {
  const records::RecordTable table = noisy_records(5, 3000, 3, 2);
  for (const int ranks : {1, 2, 5})
    for (const int call : {1, 3})
      expect_thrown(ErrorKind::kInterrupted,
                    [&] { forests_of(table, quick_options(GetParam()), {.ranks = ranks, .progress = stop_at(call)}); });
}

TEST_P(StreamProcesses, RefuseStreamsThatCannotBeLearnedFrom) {
  const StreamOptions options = quick_options(GetParam());
  records::RecordTable table = noisy_records(6, 1000, 3, 2);
  const auto refused = [&](const records::RecordTable& wrong) {
    testdata::expect_refused(ErrorKind::kData, [&] { forest_of(wrong, options); });
    expect_thrown(ErrorKind::kData, [&] { forests_of(wrong, options, {.ranks = 2}); });
  };
  records::RecordTable empty = table;
  empty.values = Array2<float>(0, 3), empty.labels = {};
  refused(empty);
  records::RecordTable unlabelled = table;
  for (const std::int32_t label : {records::kNoClass, std::int32_t{2}}) {
    unlabelled.labels[699] = label;
    refused(unlabelled);
  }
  table.attributes = {}, table.values = Array2<float>(table.labels.size(), 0);
  refused(table);
}

TEST_P(StreamProcesses, KeepToTheMemoryThatTheyAreGiven) {
  const records::RecordTable table = noisy_records(8, 4000, 5, 3);
  const StreamOptions options = quick_options(GetParam());
  const records::RecordForest expected = forest_of(table, options);
  // A leaf needs 5 attributes x 33 bins x 3 classes x 4 bytes = 1980 bytes for each of the threads that divide records.
  const StreamRun little{.memory_budget_bytes = 6000};
  if (GetParam() == Schedule::kPasses) {
    EXPECT_TRUE(forest_of(table, options, little) == expected);  // leaves are counted in turns
  } else {
    testdata::expect_refused(ErrorKind::kResource, [&] { forest_of(table, options, little); });
  }
  EXPECT_TRUE(forest_of(table, options, {.memory_budget_bytes = 8'000'000}) == expected);
}

TEST(StreamProcess, ParallelsOfThreadsAreRefusedForSeveral) {
  const records::RecordTable table = noisy_records(7, 100, 3, 2);
  for (const Parallel parallel : {Parallel::kNode, Parallel::kSequential})
    testdata::expect_refused(ErrorKind::kUsage, [&] {
      forests_of(table, quick_options(Schedule::kFresh), {.ranks = 2, .parallel = parallel});
    });
}

TEST(StreamProcess, RefusesProcessesWithOtherOptions) {
  const records::RecordTable table = noisy_records(1, 100, 2, 2);
  const auto train_with = [&](const std::function<void(int rank, StreamOptions&, StreamWork&)>& change) {
    expect_thrown(ErrorKind::kUsage, [&] {
      run_as_ranks(3, [&](Communicator& ranks) {
        RowsSource source(table);
        ThreadPool pool(1);
        StreamOptions options = quick_options(Schedule::kFresh);
        StreamWork work;
        change(ranks.rank(), options, work);
        train_stream(ranks.rank() == 0 ? &source : nullptr, options, work, pool, ranks);
      });
    });
  };
  train_with([](int rank, StreamOptions& options, StreamWork&) {
    if (rank == 2) options.bins = 100;
  });
  train_with([](int rank, StreamOptions&, StreamWork& work) {
    work.parallel = rank == 1 ? Parallel::kFeature : Parallel::kData;
  });
}

}  // namespace
}  // namespace fernwood::stream
