// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/adaptation.h"

#include <unistd.h>

#include "sentences.h"
#include "stream/drifting_records.h"
#include "stream/memory_source.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

struct Grown {
  records::RecordForest forest;
  StreamReport report;
};

Grown grow(const records::RecordTable& table, const StreamOptions& options, const StreamRun& run = {}) {
  std::vector<Grown> grown(static_cast<std::size_t>(run.ranks));
  run_as_ranks(run.ranks, [&](Communicator& ranks) {
    RowsSource source(table);
    ThreadPool pool(run.threads);
    StreamWork work;
    work.parallel = run.parallel;
    work.checkpoint = {run.checkpoint, run.checkpoint_every_s, run.resume};
    work.accuracy_window = 2000;
    int call = 0;
    const auto progress = [&](const StreamProgress& now) {
      if (run.progress) run.progress(++call, now);
    };
    Grown& mine = grown[static_cast<std::size_t>(ranks.rank())];
    mine.forest =
        train_stream(ranks.rank() == 0 ? &source : nullptr, options, work, pool, ranks, progress, &mine.report);
  });
  for (const Grown& other : grown) {
    EXPECT_TRUE(other.forest == grown[0].forest);
    EXPECT_EQ(other.report.prequential, grown[0].report.prequential);
    EXPECT_EQ(other.report.drift, grown[0].report.drift);
  }
  records::check_records(grown[0].forest, "forest");
  return grown[0];
}

class Adaptive : public testing::TestWithParam<LeafPrediction> {
 protected:
  static StreamOptions options() {
    StreamOptions options = StreamOptions::for_schedule(Schedule::kAdaptive);
    options.leaf_prediction = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(EveryLeafPrediction, Adaptive, testing::ValuesIn(kLeafPredictions), [](const auto& info) {
  return info.param == LeafPrediction::kMajority ? "majority" : "naive_bayes_adaptive";
});

TEST(SwitchBound, IsThatOfThePaper) {
  // sqrt(2 * 0.2 * 0.8 * ln(40) * (1 / 1000 + 1 / 500)) = sqrt(0.32 * 3.688879 * 0.003)
  EXPECT_NEAR(switch_bound({1000, 200}, {500, 50}, 0.05), 0.0595096, 1e-6);
}

TEST_P(Adaptive, RecoversFromDriftThatHoeffdingDoesNotNotice) {
  for (std::uint32_t series = 0; series < 5; ++series) {
    const records::RecordTable table = drifting_records(series, 20'000, 10'000, Drift::kEverywhere);
    StreamOptions hoeffding = options();
    hoeffding.schedule = Schedule::kHoeffding;
    const Grown without = grow(table, hoeffding), with = grow(table, options());
    // Nine tenths of the labels are correct.
    EXPECT_GT(with.report.prequential.recent_accuracy(), 0.86) << series;
    EXPECT_LT(without.report.prequential.recent_accuracy(), 0.7) << series;
    EXPECT_GT(with.report.prequential.accuracy(), 0.86) << series;
    EXPECT_GE(with.report.drift.replaced, 1u) << series;
    EXPECT_EQ(without.report.drift, DriftCounts()) << series;
  }
}

TEST_P(Adaptive, TheSameTreeAndAccuracyByAnyWorkers) {
  const records::RecordTable table = drifting_records(7, 9000, 4000, Drift::kEverywhere);
  const Grown expected = grow(table, options(), {.parallel = Parallel::kSequential});
  EXPECT_GE(expected.report.drift.replaced, 1u);
  const auto expect_same = [&](const StreamRun& run) {
    const Grown grown = grow(table, options(), run);
    EXPECT_TRUE(grown.forest == expected.forest) << to_string(run.parallel) << " " << run.ranks << " " << run.threads;
    EXPECT_EQ(grown.report.prequential, expected.report.prequential);
    EXPECT_EQ(grown.report.drift, expected.report.drift);
  };
  for (const Parallel parallel : kParallels)
    for (const int threads : {2, 3}) expect_same({.parallel = parallel, .threads = threads});
  for (const Parallel parallel : {Parallel::kData, Parallel::kFeature, Parallel::kDataFeature})
    for (const int ranks : {2, 3, 4}) expect_same({.ranks = ranks, .parallel = parallel, .threads = ranks % 2 + 1});
}

TEST_P(Adaptive, GoesOnFromAnyCheckpointWithAnyWorkers) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("fernwood_adaptation_" + std::to_string(::getpid()));
  const records::RecordTable table = drifting_records(8, 8000, 4000, Drift::kEverywhere);
  StreamOptions coarse = options();
  coarse.drift_window = 1000;  // lets alternates live for several rounds
  const Grown expected = grow(table, coarse);
  EXPECT_GE(expected.report.drift.replaced, 1u);
  for (int call = 1; call <= 40; call += 3) {
    StreamRun stopped{.ranks = 1 + call % 3, .parallel = Parallel::kData, .checkpoint = path};
    stopped.progress = stop_at(call);
    expect_thrown(ErrorKind::kInterrupted, [&] { forests_of(table, coarse, stopped); });
    const Grown grown = grow(table, coarse, {.ranks = 1 + call % 2, .checkpoint = path, .resume = true});
    EXPECT_TRUE(grown.forest == expected.forest) << call;
    EXPECT_EQ(grown.report.prequential.records, expected.report.prequential.records) << call;
    EXPECT_EQ(grown.report.prequential.right, expected.report.prequential.right) << call;
    EXPECT_EQ(grown.report.drift, expected.report.drift) << call;
    std::filesystem::remove(path);
  }
}

TEST(AdaptiveOptions, RefuseWhatDoesNotGoTogether) {
  StreamOptions options = StreamOptions::for_schedule(Schedule::kAdaptive);
  options.max_leaves = 8;
  testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  options = StreamOptions::for_schedule(Schedule::kPasses);
  options.leaf_prediction = LeafPrediction::kNaiveBayesAdaptive;
  testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
}

}  // namespace
}  // namespace fernwood::stream
