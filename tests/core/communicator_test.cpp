// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/communicator.h"

#include <atomic>
#include <stdexcept>

#include "core/communicator_laws.h"
#include "core/messages.h"

namespace fernwood {
namespace {

Way single() {
  return {"Single", [](const Body& body) { body(*make_communicator()); }};
}
Way threads(int size) {
  return {std::to_string(size) + "Threads", [size](const Body& body) { run_as_ranks(size, body); }};
}
INSTANTIATE_TEST_SUITE_P(InOneProcess, EveryCommunicator,
                         testing::Values(single(), threads(1), threads(2), threads(3), threads(5)), name_of);

TEST(Messages, AreCutIntoPiecesOfAtMostTheLimit) {
  using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;
  const auto pieces_of = [](std::size_t message_bytes, std::size_t max_bytes) {
    Pieces pieces;
    for_each_piece(message_bytes, max_bytes,
                   [&](std::size_t offset, std::size_t n) { pieces.emplace_back(offset, n); });
    return pieces;
  };
  EXPECT_EQ(pieces_of(0, 7), Pieces{});
  EXPECT_EQ(pieces_of(7, 7), (Pieces{{0, 7}}));
  EXPECT_EQ(pieces_of(15, 7), (Pieces{{0, 7}, {7, 7}, {14, 1}}));
  const std::size_t gib = std::size_t{1} << 30;
  EXPECT_EQ(pieces_of(2 * gib + 3, kMaxPieceBytes), (Pieces{{0, gib}, {gib, gib}, {2 * gib, 3}}));
}

/// Outcome of a run of ranks: message of the error that the run throws, and of the exchange error of each rank.
struct Ending {
  std::string whole;
  std::vector<std::string> ranks;
};

Ending ending_of(int size, const Body& body) {
  Ending ending{"", std::vector<std::string>(static_cast<std::size_t>(size))};
  try {
    run_as_ranks(size, [&](Communicator& ranks) {
      try {
        body(ranks);
        ranks.gather_all({});
      } catch (const Error& error) {
        ending.ranks[static_cast<std::size_t>(ranks.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception& failure) {
    ending.whole = failure.what();
  }
  return ending;
}

TEST(RunAsRanks, EndsAllWhenOneFails) {
  const Ending ending = ending_of(5, [](Communicator& ranks) {
    ranks.gather_all({});
    if (ranks.rank() == 2) throw std::runtime_error("disk full");
  });
  EXPECT_EQ(ending.whole, "disk full");
  for (const int r : {0, 1, 3, 4})
    EXPECT_EQ(ending.ranks[static_cast<std::size_t>(r)],
              "exchange: rank 2 failed, so that the other ranks cannot go on");
}

TEST(RunAsRanks, WhoWaitsElsewhereLearnsThatOneFailed) {
  const Ending ending = ending_of(3, [](Communicator& ranks) {
    ranks.check_all_there();
    ranks.gather_all({});
    if (ranks.rank() == 2) throw std::runtime_error("disk full");
    for (;;) ranks.check_all_there();
  });
  EXPECT_EQ(ending.whole, "disk full");
  EXPECT_EQ(ending.ranks[0], "exchange: rank 2 failed, so that the other ranks cannot go on");
  EXPECT_EQ(ending.ranks[1], ending.ranks[0]);
}

TEST(RunAsRanks, EndsAllWhenOneGivesUp) {
  const Ending ending = ending_of(3, [](Communicator& ranks) {
    if (ranks.rank() == 1) ranks.abort(4);
  });
  EXPECT_EQ(ending.whole, "exchange: rank 1 gave up with exit code 4, so that the other ranks cannot go on");
  for (const std::string& rank : ending.ranks) EXPECT_EQ(rank, ending.whole);
}

TEST(RunAsRanks, EndsAllWhenOneLeavesEarly) {
  EXPECT_THAT(ending_of(3,
                        [](Communicator& ranks) {
                          if (ranks.rank() == 0) ranks.gather_all({}), ranks.gather_all({});
                        })
                  .whole,
              testing::HasSubstr("so that the other ranks cannot go on"));
}

TEST(RunAsRanks, NeverMeetAgainAfterAFailure) {
  std::atomic<int> num_met = 0;
  EXPECT_THROW(run_as_ranks(3,
                            [&](Communicator& ranks) {
                              if (ranks.rank() == 2) throw std::runtime_error("gone");
                              for (int trial = 0; trial < 4; ++trial) {
                                try {
                                  ranks.gather_all({});
                                  ++num_met;
                                } catch (const Error&) {  // the next trial must fail as well
                                }
                              }
                            }),
               std::runtime_error);
  EXPECT_EQ(num_met, 0);
}

TEST(RunAsRanks, NeedsOne) {
  EXPECT_THROW(run_as_ranks(0, [](Communicator&) {}), Error);
}

TEST(JoinShares, OfAnotherLengthThanExpectedAreRefused) {
  const auto refuses = [](const auto& join) { EXPECT_THROW(run_as_ranks(2, join), Error); };
  const auto of_size = [](Communicator& ranks, int first, int second) {
    return std::vector<int>(static_cast<std::size_t>(ranks.rank() == 0 ? first : second), ranks.rank());
  };
  run_as_ranks(2, [&](Communicator& ranks) {
    EXPECT_EQ(join_shares(of_size(ranks, 4, 2), &ranks, 2), (std::vector{0, 0, 0, 0, 1, 1}));
    EXPECT_EQ(gather_equal(of_size(ranks, 1, 1), ranks), (std::vector<std::vector<int>>{{0}, {1}}));
    EXPECT_EQ(join_dealt(of_size(ranks, 2, 1), &ranks), (std::vector{0, 1, 0}));
    EXPECT_EQ(join_dealt(of_size(ranks, 4, 2), &ranks, 2), (std::vector{0, 0, 1, 1, 0, 0}));
  });
  refuses([&](Communicator& ranks) { join_shares(of_size(ranks, 4, 3), &ranks, 2); });
  refuses([&](Communicator& ranks) { gather_equal(of_size(ranks, 1, 0), ranks); });
  for (const auto& sizes : {std::pair{0, 2}, {1, 2}, {3, 1}})
    refuses([&](Communicator& ranks) { join_dealt(of_size(ranks, sizes.first, sizes.second), &ranks); });
  refuses([&](Communicator& ranks) { join_dealt(of_size(ranks, 3, 1), &ranks, 2); });
}

}  // namespace
}  // namespace fernwood
