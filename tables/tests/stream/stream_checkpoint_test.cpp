// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_checkpoint.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <tuple>

#include "core/full_disk.h"
#include "fernwood/core/file.h"
#include "sentences.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

namespace fs = std::filesystem;

using Growing = std::tuple<Schedule, records::Task>;

class StreamCheckpoint : public testing::TestWithParam<Growing> {
 protected:
  StreamCheckpoint()
      : folder_(fs::path(testing::TempDir()) / ("fernwood_stream_checkpoint_" + std::to_string(::getpid()))),
        path_(folder_ / "state") {
    fs::create_directories(folder_);
  }
  ~StreamCheckpoint() override { fs::remove_all(folder_); }

  /// Leaves the checkpoint of a run that is interrupted in the given call of the progress callback.
  void stop_run(const records::RecordTable& table, int call, StreamRun run = {}) const {
    run.checkpoint = path_;
    run.progress = stop_at(call);
    expect_thrown(ErrorKind::kInterrupted, [&] { forests_of(table, options_, run); });
    ASSERT_TRUE(fs::exists(path_)) << call;
  }
  std::vector<records::RecordForest> resumed(const records::RecordTable& table, StreamRun run = {}) const {
    run.checkpoint = path_;
    run.resume = true;
    return forests_of(table, options_, run);
  }
  void write_bytes(const Bytes& bytes) const {
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  const fs::path folder_, path_;
  static bool in_passes() { return std::get<Schedule>(GetParam()) == Schedule::kPasses; }
  static StreamOptions make_options() {
    StreamOptions options = quick_options(std::get<Schedule>(GetParam()));
    options.task = std::get<records::Task>(GetParam());
    if (options.predicts_targets()) options.leaf_prediction = LeafPrediction::kMajority;
    return options;
  }
  /// Records with classes, or with targets if the task is regression.
  records::RecordTable make_records(std::uint32_t series, std::size_t count, std::size_t num_attributes,
                                    std::size_t num_classes) const {
    records::RecordTable table = noisy_records(series, count, num_attributes, num_classes);
    return options_.predicts_targets() ? with_targets(std::move(table)) : table;
  }

  const StreamOptions options_ = make_options();
  const records::RecordTable table_ = make_records(11, 4000, 5, 3);
};
std::string name_of(const testing::TestParamInfo<Growing>& info) {
  const auto& [schedule, task] = info.param;
  return to_string(schedule) + (task == records::Task::kRegression ? "_of_targets" : "");
}
INSTANTIATE_TEST_SUITE_P(EverySchedule, StreamCheckpoint,
                         testing::Combine(testing::ValuesIn(kSchedules), testing::Values(records::Task::kAuto)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Regression, StreamCheckpoint,
                         testing::Combine(testing::Values(Schedule::kPasses, Schedule::kFresh, Schedule::kHoeffding,
                                                          Schedule::kForest),
                                          testing::Values(records::Task::kRegression)),
                         name_of);

TEST_P(StreamCheckpoint, LetsAnyOtherProcessesGoOnToTheSameTree) {
  const std::vector<StreamRun> runs = {
      {.ranks = 1, .parallel = Parallel::kSequential},         {.ranks = 3, .parallel = Parallel::kData, .threads = 2},
      {.ranks = 1, .parallel = Parallel::kData, .threads = 3}, {.ranks = 2, .parallel = Parallel::kFeature},
      {.ranks = 4, .parallel = Parallel::kDataFeature},        {.ranks = 1, .parallel = Parallel::kNode, .threads = 2}};
  int num_calls = 0;
  const records::RecordForest expected =
      forest_of(table_, options_, {.progress = [&](int call, const StreamProgress&) { num_calls = call; }});
  ASSERT_GE(num_calls, 5);
  // In passes, the first call follows the reading of records, before anything can be kept.
  const int first = in_passes() ? 2 : 1;
  for (int call = first; call <= num_calls; ++call) {
    stop_run(table_, call, runs[static_cast<std::size_t>(call) % runs.size()]);
    for (const records::RecordForest& forest : resumed(table_, runs[static_cast<std::size_t>(call + 1) % runs.size()]))
      EXPECT_TRUE(forest == expected) << call;
  }
}

TEST_P(StreamCheckpoint, OfASourceThatIsInterruptedWhileItWaitsGrowsTheSameTree) {
  if (in_passes()) return;  // all records are read before anything can be kept
  const records::RecordForest expected = forest_of(table_, options_);
  for (const int ranks : {1, 3}) {
    StreamRun waits{.ranks = ranks, .checkpoint = path_};
    waits.before_batch = [](records::RecordTable&, std::uint64_t end) {
      FW_CHECK(end <= 1500, Interrupted, "interrupted while waiting");
    };
    expect_thrown(ErrorKind::kInterrupted, [&] { forests_of(table_, options_, waits); });
    ASSERT_TRUE(fs::exists(path_));
    for (const records::RecordForest& forest : resumed(table_, {.ranks = 2})) EXPECT_TRUE(forest == expected) << ranks;
    fs::remove(path_);
  }
}

TEST_P(StreamCheckpoint, CanBeGoneOnFromAgainAndAgain) {
  const records::RecordForest expected = forest_of(table_, options_);
  stop_run(table_, 2);
  // In passes, the first call precedes any counts.
  const int call = in_passes() ? 2 : 1;
  for (int ranks = 1; ranks <= 3; ++ranks)
    expect_thrown(ErrorKind::kInterrupted, [&] { resumed(table_, {.ranks = ranks, .progress = stop_at(call)}); });
  EXPECT_TRUE(resumed(table_, {.checkpoint_every_s = 0})[0] == expected);
  EXPECT_TRUE(resumed(table_, {.ranks = 2})[0] == expected);  // the last checkpoint of a run that has ended
}

TEST_P(StreamCheckpoint, IsTheSameFileForAnyThreads) {
  stop_run(table_, 4, {.parallel = Parallel::kSequential});
  const Bytes bytes = read_file(path_);
  stop_run(table_, 4, {.parallel = Parallel::kData, .threads = 3});
  EXPECT_TRUE(read_file(path_) == bytes);
}

TEST_P(StreamCheckpoint, KeepsWhatWasCountedWhenAttributesComeInTheMiddleOfARound) {
  StreamOptions options = options_;
  options.batch = 70'000;  // a round of two batches, the second of which has a new attribute
  options.samples_per_leaf = 70'000;
  const records::RecordTable table = make_records(12, 72'000, 3, 2);
  const auto narrow = [](records::RecordTable& batch, std::uint64_t end) {
    if (end > 65'536) return;
    records::RecordTable all = std::move(batch);
    batch = {{"a0", "a1"}, all.classes, Array2<float>(all.values.rows(), 2), all.labels};
    batch.target = all.target, batch.targets = all.targets;
    for (std::size_t i = 0; i < all.values.rows(); ++i) std::copy_n(all.values.row(i), 2, batch.values.row(i));
  };
  const records::RecordForest expected = forest_of(table, options, {.before_batch = narrow});
  StreamRun run{.ranks = 2, .checkpoint = path_, .before_batch = narrow};
  run.progress = stop_at(1);
  const auto grow = [&] { return forest_of(table, options, run); };
  if (in_passes()) return;  // all records are read first
  expect_thrown(ErrorKind::kInterrupted, grow);
  run = {.checkpoint = path_, .resume = true, .before_batch = narrow};
  EXPECT_TRUE(grow() == expected);
}

TEST_P(StreamCheckpoint, RefusesOtherOptionsByName) {
  stop_run(table_, 3);
  StreamOptions other = options_;
  other.bins = 31;
  testdata::expect_refused(ErrorKind::kUsage, [&] { forest_of(table_, other, {.checkpoint = path_, .resume = true}); });
}

TEST_P(StreamCheckpoint, RefusesOtherRecords) {
  stop_run(table_, 3);
  const auto refused = [&](const records::RecordTable& table) {
    testdata::expect_refused(ErrorKind::kData, [&] { resumed(table); });
    expect_thrown(ErrorKind::kData, [&] { resumed(table, {.ranks = 3}); });
  };
  records::RecordTable other = table_;
  other.values(50, 1) += 1;
  refused(other);
  other = table_;
  if (options_.predicts_targets())
    other.targets[50] += 0.5;
  else
    other.labels[50] = (other.labels[50] + 1) % 3;
  refused(other);
  other = table_;
  other.attributes[2] = "renamed";
  refused(other);
  other = make_records(11, 60, 5, 3);
  refused(other);
}

TEST_P(StreamCheckpoint, WithoutAFileSaysSo) {
  testdata::expect_refused(ErrorKind::kUsage, [&] { forest_of(table_, options_, {.resume = true}); });
  const records::RecordForest expected = forest_of(table_, options_);
  for (const records::RecordForest& forest : resumed(table_, {.ranks = 2}))
    EXPECT_TRUE(forest == expected) << "there is nothing to resume";
  const StreamRun nowhere{.checkpoint = folder_ / "missing" / "state"};
  bool has_begun = false;
  StreamRun run = nowhere;
  run.progress = [&](int, const StreamProgress&) { has_begun = true; };
  testdata::expect_refused(ErrorKind::kRuntime, [&] { forest_of(table_, options_, run); });
  EXPECT_FALSE(has_begun);
}

TEST_P(StreamCheckpoint, ReplacesNoFileThatIsNone) {
  for (const Bytes& mine : {Bytes{'a', ',', 'b', '\n'}, Bytes(5000, 'x')}) {
    write_bytes(mine);
    testdata::expect_refused(ErrorKind::kUsage, [&] { forest_of(table_, options_, {.checkpoint = path_}); });
    EXPECT_EQ(read_file(path_), mine);
  }
  fs::remove(path_);
  stop_run(table_, 3);
  EXPECT_NO_THROW(forest_of(table_, options_, {.checkpoint = path_})) << "a checkpoint may be replaced";
}

TEST_P(StreamCheckpoint, StaysWhenTheDiskIsFull) {
  const records::RecordForest expected = forest_of(table_, options_);
  constexpr rlim_t kFewBytes = 100;
  for (const int ranks : {1, 3}) {
    stop_run(table_, 3);
    const Bytes before = read_file(path_);
    std::optional<FullDisk> disk;
    const auto fill_the_disk = [&](int call, const StreamProgress&) {
      if (call == 1) disk.emplace(kFewBytes);
    };
    expect_thrown(ErrorKind::kResource,
                  [&] { resumed(table_, {.ranks = ranks, .checkpoint_every_s = 0, .progress = fill_the_disk}); });
    // The same for the last checkpoint: its failure is reported rather than the interruption.
    disk.reset();
    const auto fill_and_stop = [&](int, const StreamProgress&) {
      if (!disk) disk.emplace(kFewBytes);
      throw Error(ErrorKind::kInterrupted, "interrupted by a test");
    };
    StreamRun last{.ranks = ranks, .checkpoint = path_};
    last.progress = [&](int call, const StreamProgress& now) {
      if (call >= 3) fill_and_stop(call, now);
    };
    expect_thrown(ErrorKind::kResource, [&] { forests_of(table_, options_, last); });
    disk.reset();
    EXPECT_TRUE(read_file(path_) == before);
    EXPECT_TRUE(resumed(table_, {.ranks = ranks})[0] == expected);
  }
}

TEST_P(StreamCheckpoint, DamagedOrForeignFilesAreRefused) {
  stop_run(table_, 3);
  const Bytes whole = read_file(path_);
  const auto refused = [&](const Bytes& bytes) {
    write_bytes(bytes);
    expect_thrown(ErrorKind::kModel, [&] { resumed(table_); });
  };
  const std::size_t step = whole.size() / 50 + 1;
  for (std::size_t at = 0; at < whole.size(); at += at < 1000 ? 31 : step) {
    Bytes bytes = whole;
    bytes[at] ^= 0x41;
    refused(bytes);
    bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at));
    refused(bytes);
  }
  refused({'n', 'o'});
  write_bytes({});
  testdata::expect_refused(ErrorKind::kModel, [&] { resumed(table_); });
  // A file that cannot be recognised as a checkpoint is not replaced, hence the remedy.
  write_bytes(Bytes(whole.begin(), whole.begin() + 100));
  testdata::expect_refused(ErrorKind::kModel, [&] { resumed(table_); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_checkpoint_file(path_); });
  fs::remove(path_);
  EXPECT_NO_THROW(check_checkpoint_file(path_));
}

TEST_P(StreamCheckpoint, ThatLiesBehindRightChecksumsNeverCrashes) {
  stop_run(table_, 5);
  const Bytes state = load_stream_checkpoint(path_, to_json(options_));
  int num_refused = 0;
  const auto try_out = [&](const Bytes& lie, int ranks) {
    save_stream_checkpoint(lie, to_json(options_), path_);
    try {
      resumed(table_, {.ranks = ranks});
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kModel || error.kind() == ErrorKind::kData ||
                  error.kind() == ErrorKind::kRuntime)
          << error.what();
      ++num_refused;
    }
  };
  const std::uint32_t kLies[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000};
  for (std::uint32_t i = 0; i < 60; ++i) {
    Bytes lie = state;
    // The first words are sizes; most others are counts.
    const std::size_t words = std::min<std::size_t>(i % 2 == 0 ? 400 : state.size() / 4, state.size() / 4);
    const std::size_t at = noise(51, i) % words * 4;
    const std::uint32_t value = i % 3 == 0 ? noise(52, i) : kLies[noise(53, i) % std::size(kLies)];
    std::memcpy(lie.data() + at, &value, sizeof(value));
    try_out(lie, i % 8 == 0 ? 2 : 1);
    if (i % 20 == 0) {
      lie.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(at));
      if (!lie.empty()) try_out(lie, 1);
    }
  }
  Bytes longer = state;
  longer.push_back(0);
  save_stream_checkpoint(longer, to_json(options_), path_);
  testdata::expect_refused(ErrorKind::kModel, [&] { resumed(table_); });
  EXPECT_GT(num_refused, 10);
}

}  // namespace
}  // namespace fernwood::stream
