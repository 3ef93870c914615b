// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/train_stream.h"

#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "sentences.h"
#include "stream/memory_source.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

/// Records of three classes, the last of which appears only in the second half.
records::RecordTable late_records(std::size_t num_records) {
  records::RecordTable table = noisy_records(3, num_records, 4, 3);
  for (std::size_t i = 0; i < num_records / 2; ++i) table.labels[i] %= 2;
  return table;
}

records::RecordForest tree_of_the_stream(const records::RecordTable& table, const StreamOptions& options) {
  MemorySource source(table);
  const auto process = make_lone_communicator();
  ThreadPool pool(1);
  return train_stream(&source, options, {}, pool, *process);
}

/// Records [begin, begin + count) of a table, with the classes that have appeared before their end.
records::RecordTable part_of(const records::RecordTable& table, std::size_t begin, std::size_t count) {
  records::RecordTable part = {table.attributes, {}, Array2<float>(count, table.values.cols()), {}};
  std::copy_n(table.values.row(begin), count * table.values.cols(), part.values.data());
  const auto labels = table.labels.begin();
  part.labels.assign(labels + static_cast<std::ptrdiff_t>(begin), labels + static_cast<std::ptrdiff_t>(begin + count));
  const std::int32_t last = *std::max_element(labels, labels + static_cast<std::ptrdiff_t>(begin + count));
  part.classes.assign(table.classes.begin(), table.classes.begin() + last + 1);
  return part;
}

class StreamTrainerOf : public testing::TestWithParam<Schedule> {};
INSTANTIATE_TEST_SUITE_P(EverySchedule, StreamTrainerOf, testing::ValuesIn(kSchedules),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(StreamTrainerOf, GrowsTheTreeOfTheStreamWhateverTheParts) {
  const records::RecordTable table = late_records(3000);
  const StreamOptions options = quick_options(GetParam());
  for (const std::size_t part : {1u, 97u, 250u, 3000u}) {
    StreamTrainer trainer(options, {.workers = 2});
    for (std::size_t begin = 0; begin < 3000; begin += part) {
      trainer.feed(part_of(table, begin, std::min<std::size_t>(part, 3000 - begin)));
      trainer.grow();
    }
    EXPECT_EQ(trainer.num_records(), 3000u);
    EXPECT_EQ(trainer.tree(), tree_of_the_stream(table, options)) << part;
  }
}

TEST_P(StreamTrainerOf, TellsTheTreeSoFarAndGoesOn) {
  const records::RecordTable table = late_records(2000);
  const StreamOptions options = quick_options(GetParam());
  StreamTrainer trainer(options, {.workers = 1});
  for (std::size_t begin = 0; begin < 2000; begin += 400) {
    trainer.feed(part_of(table, begin, 400));
    trainer.grow();
    EXPECT_EQ(trainer.tree(), tree_of_the_stream(part_of(table, 0, begin + 400), options)) << begin;
  }
}

TEST_P(StreamTrainerOf, EndsWhereItIsToldToAndLosesNothing) {
  const records::RecordTable table = late_records(2000);
  const StreamOptions options = quick_options(GetParam());
  StreamTrainer trainer(options, {.workers = 1});
  trainer.feed(table);
  int rounds_left = 1;
  trainer.grow([&] { return rounds_left-- > 0; });
  const auto stop = [](const StreamProgress&) { throw Error(ErrorKind::kInterrupted, "stop"); };
  EXPECT_THROW(trainer.tree(stop), Error);
  EXPECT_EQ(trainer.tree(), tree_of_the_stream(table, options));
  trainer.grow();
  EXPECT_EQ(trainer.tree(), tree_of_the_stream(table, options));
}

TEST(StreamTrainer, RefusesWhatDoesNotGoOn) {
  StreamTrainer trainer(quick_options(Schedule::kFresh), {.workers = 1});
  EXPECT_THROW(trainer.tree(), Error);
  trainer.feed(noisy_records(1, 10, 4, 2));
  records::RecordTable other = noisy_records(1, 10, 4, 2);
  other.classes[0] = "another";
  EXPECT_THROW(trainer.feed(other), Error);
  EXPECT_THROW(trainer.feed(noisy_records(1, 10, 3, 2)), Error);
}

TEST(StreamTrainer, RefusesWorkOutOfItsRange) {
  const auto refused = [](const StreamWork& work) {
    testdata::expect_refused(ErrorKind::kUsage, [&] { StreamTrainer(quick_options(Schedule::kFresh), work); });
  };
  refused({.workers = -1});
  refused({.accuracy_window = 0});
  refused({.checkpoint = {.every_s = -1}});
  refused({.checkpoint = {.resume = true}});
}

}  // namespace
}  // namespace fernwood::stream
