// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/stream/train_stream.h"
#include "stream/rows_source.h"

namespace fernwood::stream {

inline constexpr std::array kSchedulesOfOneTree = {Schedule::kPasses, Schedule::kFresh, Schedule::kHoeffding,
                                                   Schedule::kAdaptive};

/// Options for growing a tree of several levels from a few thousand records.
inline StreamOptions quick_options(Schedule schedule, records::Criterion criterion = records::Criterion::kGini) {
  StreamOptions options = StreamOptions::for_schedule(schedule);
  options.criterion = criterion;
  options.bins = 32;
  options.max_depth = 6;
  options.samples_per_leaf = 100;
  options.batch = 500;
  options.grace_period = 100;
  return options;
}

/// Resources, checkpoint and callbacks of a run.
struct StreamRun {
  int ranks = 1;
  Parallel parallel = Parallel::kDataFeature;
  int threads = 1;
  std::filesystem::path checkpoint = {};
  double checkpoint_every_s = 1e9;  ///< Rarely, as writing waits for the disk.
  bool resume = false;
  std::size_t memory_budget_bytes = 0;
  /// Called on rank 0 with the number of the call, starting at 1.
  std::function<void(int call, const StreamProgress&)> progress = {};
  std::function<void(records::RecordTable&, std::uint64_t)> before_batch = {};
};

/// Forests of a run, by rank.
inline std::vector<records::RecordForest> forests_of(const records::RecordTable& table, const StreamOptions& options,
                                                     const StreamRun& run) {
  std::vector<records::RecordForest> forests(static_cast<std::size_t>(run.ranks));
  run_as_ranks(run.ranks, [&](Communicator& ranks) {
    RowsSource source(table);
    source.before_batch = run.before_batch;
    ThreadPool pool(run.threads);
    StreamWork work;
    work.parallel = run.parallel;
    work.checkpoint = {run.checkpoint, run.checkpoint_every_s, run.resume};
    work.memory_budget_bytes = run.memory_budget_bytes;
    int call = 0;
    const auto progress = [&](const StreamProgress& now) {
      if (run.progress) run.progress(++call, now);
    };
    forests[static_cast<std::size_t>(ranks.rank())] =
        train_stream(ranks.rank() == 0 ? &source : nullptr, options, work, pool, ranks, progress);
  });
  return forests;
}

inline records::RecordForest forest_of(const records::RecordTable& table, const StreamOptions& options,
                                       const StreamRun& run = {}) {
  return forests_of(table, options, run)[0];
}

/// Expects an error of this kind, whatever it says, for example where several processes may be the first to fail.
inline void expect_thrown(ErrorKind kind, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return;
  }
  ADD_FAILURE() << "no error";
}

inline std::function<void(int, const StreamProgress&)> stop_at(int last) {
  return [last](int call, const StreamProgress&) { FW_CHECK(call < last, Interrupted, "interrupted by a test"); };
}

}  // namespace fernwood::stream
