// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/division.h"

#include <gmock/gmock.h>

namespace fernwood::stream {
namespace {

using testing::Each;

TEST(Division, PartsCoverAllOnceAndEvenly) {
  for (std::size_t count = 0; count < 40; ++count)
    for (std::size_t parts = 1; parts < 12; ++parts) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < parts; ++i) {
        const AttributeRange range = part_of(count, i, parts);
        EXPECT_EQ(range.begin, at);
        EXPECT_GE(range.size(), count / parts);
        EXPECT_LE(range.size(), (count + parts - 1) / parts);
        at = range.end;
      }
      EXPECT_EQ(at, count);
    }
}

TEST(Division, OfBothHasMostPartsOfAttributesAmongThreadsAndOfRecordsAmongRanks) {
  const auto parts = [](const Division& d) { return std::pair(d.record_parts, d.attribute_parts); };
  using Parts = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(parts(divide_among_threads(Parallel::kDataFeature, 6, 5)), Parts(2, 3));
  EXPECT_EQ(parts(divide_among_ranks(Parallel::kDataFeature, 6)), Parts(3, 2));
  EXPECT_EQ(parts(divide_among_threads(Parallel::kDataFeature, 7, 8)), Parts(1, 7));
  EXPECT_EQ(parts(divide_among_ranks(Parallel::kDataFeature, 7)), Parts(7, 1));
  EXPECT_EQ(parts(divide_among_threads(Parallel::kDataFeature, 16, 7)), Parts(4, 4));
  EXPECT_EQ(parts(divide_among_threads(Parallel::kData, 5, 9)), Parts(5, 1));
  EXPECT_EQ(parts(divide_among_ranks(Parallel::kFeature, 5)), Parts(1, 5));
  EXPECT_EQ(parts(divide_among_threads(Parallel::kSequential, 5, 9)), Parts(1, 1));
  EXPECT_TRUE(divide_among_threads(Parallel::kNode, 5, 9).by_leaf);
}

/// How often each part of the records of each attribute is counted, and how often each attribute is searched.
TEST(Division, OfRanksCountsAndSearchesEverythingOnce) {
  for (const Parallel parallel : {Parallel::kData, Parallel::kFeature, Parallel::kDataFeature})
    for (std::size_t num_ranks = 1; num_ranks <= 12; ++num_ranks)
      for (const std::size_t num_attributes : {1, 2, 5, 54}) {
        const Division ranks = divide_among_ranks(parallel, num_ranks);
        ASSERT_EQ(ranks.record_parts * ranks.attribute_parts, num_ranks);
        Array2<int> counted(ranks.record_parts, num_attributes);
        std::vector<int> owned(num_attributes);
        for (std::size_t rank = 0; rank < num_ranks; ++rank) {
          const RankShare share = share_of(rank, ranks, num_attributes);
          for (std::size_t a = share.counted.begin; a < share.counted.end; ++a) ++counted(share.record_part, a);
          for (std::size_t a = share.owned.begin; a < share.owned.end; ++a) ++owned[a];
          EXPECT_GE(share.owned.begin, share.counted.begin);
          EXPECT_LE(share.owned.end, share.counted.end);
        }
        EXPECT_THAT(std::vector<int>(counted.begin(), counted.end()), Each(1));
        EXPECT_THAT(owned, Each(1));
      }
}

}  // namespace
}  // namespace fernwood::stream
