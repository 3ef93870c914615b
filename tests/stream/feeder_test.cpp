// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/feeder.h"

#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

/// Records of one attribute and one class.
records::RecordTable column(const std::vector<float>& values) {
  records::RecordTable table{{"a"}, {"c"}, Array2<float>(values.size(), 1), {}};
  std::ranges::copy(values, table.values.begin());
  table.labels.assign(values.size(), 0);
  return table;
}

/// Calls body(feeder) for records of one attribute.
template <typename Body>
void feed(const std::vector<float>& values, int bins, const Body& body) {
  const records::RecordTable table = column(values);
  run_as_ranks(1, [&](Communicator& ranks) {
    RowsSource source(table);
    ThreadPool pool(1);
    StreamOptions options = quick_options(Schedule::kFresh);
    options.bins = bins;
    Feeder feeder(&source, options, true, divide_among_ranks(Parallel::kData, 1), pool, ranks);
    records::RecordTable batch;
    body(
        [&](std::size_t count) {
          feeder.read(count, batch);
          return feeder.review();
        },
        feeder);
  });
}

TEST(Feeder, LooksForBetterPlacesWhenRecordsHaveDoubled) {
  std::vector<float> values = noise_values(1, 100, 0, 1);
  for (const float width : {1.0f, 8.0f, 8.0f})
    for (const float value : noise_values(2, static_cast<std::uint32_t>(values.size()), 0, width))
      values.push_back(value);
  feed(values, 16, [](const auto& read, const Feeder& feeder) {
    EXPECT_TRUE(read(100));
    const Grid grid = feeder.layout().grid;
    EXPECT_EQ(grid.edges.size(), 15u);
    EXPECT_FALSE(read(99));
    EXPECT_FALSE(read(1));  // doubled, but values are as they were
    EXPECT_EQ(feeder.layout().grid, grid);
    EXPECT_FALSE(read(199));
    EXPECT_TRUE(read(1));  // nearly half of them are behind the last edge
    EXPECT_GT(feeder.layout().grid.edges.back(), 5.0f);
    EXPECT_FALSE(read(400));
  });
}

TEST(Feeder, GivesValuesABinThatComeLateAndSeldom) {
  std::vector<float> values(4000, 0.0f);
  for (std::size_t i = 1100; i < values.size(); i += 100) values[i] = 1;
  feed(values, 255, [](const auto& read, const Feeder& feeder) {
    EXPECT_TRUE(read(1000));
    EXPECT_THAT(feeder.layout().grid.edges, ElementsAre(kInfinity));
    EXPECT_TRUE(read(1000));
    EXPECT_THAT(feeder.layout().grid.edges, ElementsAre(testing::FloatNear(0.5f, 0.01f)));
    EXPECT_FALSE(read(2000));
  });
}

TEST(Feeder, ChecksumsRecordsWhateverTheirBatches) {
  std::vector<std::uint64_t> checksums;
  for (const std::size_t size : {1u, 7u, 100u})
    feed(noise_values(3, 100, 0, 1), 16, [&](const auto& read, const Feeder& feeder) {
      while (feeder.num_records() < 100) read(size);
      checksums.push_back(feeder.data_checksum());
    });
  EXPECT_EQ(checksums[1], checksums[0]);
  EXPECT_EQ(checksums[2], checksums[0]);
  feed(noise_values(4, 100, 0, 1), 16, [&](const auto& read, const Feeder& feeder) {
    read(100);
    EXPECT_NE(feeder.data_checksum(), checksums[0]);
  });
}

}  // namespace
}  // namespace fernwood::stream
