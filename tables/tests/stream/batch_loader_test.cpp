// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/batch_loader.h"

#include "sentences.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

/// A table with one attribute and one class.
records::RecordTable column(const std::vector<float>& values) {
  records::RecordTable table{{"a"}, {"c"}, Array2<float>(values.size(), 1), {}};
  std::ranges::copy(values, table.values.begin());
  table.labels.assign(values.size(), 0);
  return table;
}

/// Calls body(read, loader), where read(count) reads records of one attribute and returns whether the grid has changed.
template <typename Body>
void feed(const std::vector<float>& values, int bins, const Body& body) {
  const records::RecordTable table = column(values);
  run_as_ranks(1, [&](Communicator& ranks) {
    RowsSource source(table);
    ThreadPool pool(1);
    StreamOptions options = quick_options(Schedule::kFresh);
    options.bins = bins;
    BatchLoader loader(&source, options, true, divide_among_ranks(Parallel::kData, 1), pool, ranks);
    records::RecordTable batch;
    body(
        [&](std::size_t count) {
          loader.read(count, batch);
          return loader.review();
        },
        loader);
  });
}

TEST(BatchLoader, LooksForBetterPlacesWhenRecordsHaveDoubled) {
  std::vector<float> values = noise_values(1, 100, 0, 1);
  for (const float width : {1.0f, 8.0f, 8.0f})
    for (const float value : noise_values(2, static_cast<std::uint32_t>(values.size()), 0, width))
      values.push_back(value);
  feed(values, 16, [](const auto& read, const BatchLoader& loader) {
    EXPECT_TRUE(read(100));
    const Grid grid = loader.layout().grid;
    EXPECT_EQ(grid.edges.size(), 15u);
    EXPECT_FALSE(read(99));
    EXPECT_FALSE(read(1));  // twice as many records, but the same distribution
    EXPECT_EQ(loader.layout().grid, grid);
    EXPECT_FALSE(read(199));
    EXPECT_TRUE(read(1));  // nearly half of the values exceed the last edge
    EXPECT_GT(loader.layout().grid.edges.back(), 5.0f);
    EXPECT_FALSE(read(400));
  });
}

TEST(BatchLoader, GivesValuesABinThatComeLateAndSeldom) {
  std::vector<float> values(4000, 0.0f);
  for (std::size_t i = 1100; i < values.size(); i += 100) values[i] = 1;
  feed(values, 255, [](const auto& read, const BatchLoader& loader) {
    EXPECT_TRUE(read(1000));
    EXPECT_THAT(loader.layout().grid.edges, ElementsAre(kInfinity));
    EXPECT_TRUE(read(1000));
    EXPECT_THAT(loader.layout().grid.edges, ElementsAre(testing::FloatNear(0.5f, 0.01f)));
    EXPECT_FALSE(read(2000));
  });
}

TEST(BatchLoader, ChecksumsRecordsWhateverTheirBatches) {
  std::vector<std::uint64_t> checksums;
  for (const std::size_t size : {1u, 7u, 100u})
    feed(noise_values(3, 100, 0, 1), 16, [&](const auto& read, const BatchLoader& loader) {
      while (loader.num_records() < 100) read(size);
      checksums.push_back(loader.data_checksum());
    });
  EXPECT_EQ(checksums[1], checksums[0]);
  EXPECT_EQ(checksums[2], checksums[0]);
  feed(noise_values(4, 100, 0, 1), 16, [&](const auto& read, const BatchLoader& loader) {
    read(100);
    EXPECT_NE(loader.data_checksum(), checksums[0]);
  });
}

/// Rank 1 of 2, whose rank 0 sends a message set by the test.
class Misled : public Communicator {
 public:
  int rank() const override { return 1; }
  int size() const override { return 2; }
  std::vector<Bytes> exchange(std::vector<Bytes>) override { return {message, {}}; }
  std::vector<Bytes> gather_all(const Bytes&) override { return {message, {}}; }
  void abort(int) noexcept override {}

  Bytes message;
};

TEST(BatchLoader, RefusesRecordsThatDoNotFitTogether) {
  using Labels = std::vector<std::int32_t>;
  const auto take = [](const std::vector<float>& values, const Labels& labels) {
    Misled ranks;
    ThreadPool pool(1);
    Packer(ranks.message).put(0.0f);
    BatchLoader loader(nullptr, quick_options(Schedule::kFresh), false, divide_among_ranks(Parallel::kData, 2), pool,
                       ranks);
    Bytes records;
    Packer part(records);
    part.put(std::vector<std::string>{"a", "b"});
    part.put(std::vector<std::string>{"c"});
    part.put(values);
    part.put(labels);
    part.put(std::vector<double>());
    part.put(std::string());
    ranks.message.clear();
    Packer whole(ranks.message);
    whole.put(std::uint8_t{0});  // announces records
    whole.put(std::uint64_t{2});
    whole.put(0.0);  // changes of the label
    whole.put(records);
    records::RecordTable mine;
    loader.read(2, mine);
    return mine.values.size();
  };
  EXPECT_EQ(take({1, 2, 3, 4}, {0, 0}), 4u);
  const auto refused = [&](const std::vector<float>& values, const Labels& labels) {
    testdata::expect_refused(ErrorKind::kRuntime, [&] { take(values, labels); });
  };
  refused({1, 2, 3, 4, 5, 6}, {0, 0});  // two records have four values
  refused({1, 2, 3}, {0, 0});
  refused({1, 2, 3, 4}, {0, 1});  // only class 0 exists
  refused({1, 2, 3, 4}, {-1, 0});
}

TEST(BatchLoader, RefusesPlacesToSplitAtThatAreNone) {
  Misled ranks;
  ThreadPool pool(1);
  Packer(ranks.message).put(0.0f);
  BatchLoader loader(nullptr, quick_options(Schedule::kFresh), true, divide_among_ranks(Parallel::kData, 2), pool,
                     ranks);
  ranks.message.clear();
  Packer packer(ranks.message);
  packer.put(std::vector<std::uint32_t>{0, 100});  // edges of an attribute that the records do not have
  packer.put(std::vector<float>{1});
  testdata::expect_refused(ErrorKind::kRuntime, [&] {
    loader.review();
    loader.review();
  });
}

}  // namespace
}  // namespace fernwood::stream
