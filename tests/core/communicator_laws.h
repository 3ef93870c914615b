// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Tests that every communicator must pass. A program that includes this file lists its implementations with
// INSTANTIATE_TEST_SUITE_P.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "wait_for.h"

namespace fernwood {

using Body = std::function<void(Communicator&)>;

/// A way to run ranks together: calls the body once for each rank of this process.
struct Way {
  std::string name;
  std::function<void(const Body&)> run;
};

inline std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

class EveryCommunicator : public testing::TestWithParam<Way> {
 protected:
  static void run(const Body& body) { GetParam().run(body); }
};

inline std::string name_of(const testing::TestParamInfo<Way>& info) { return info.param.name; }

/// The message of `num_bytes` bytes that rank `from` sends to rank `to` in a round.
inline Bytes message(int round, int from, int to, std::size_t num_bytes) {
  Bytes bytes(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(i + i / 251 + 100 * round + 10 * from + to);
  return bytes;
}

/// Exchanges messages of length(from, to) bytes and checks those received from the other ranks.
inline void expect_exchange(Communicator& ranks, int round, const std::function<int(int from, int to)>& length) {
  std::vector<Bytes> outgoing, expected;
  for (int r = 0; r < ranks.size(); ++r) {
    outgoing.push_back(message(round, ranks.rank(), r, static_cast<std::size_t>(length(ranks.rank(), r))));
    expected.push_back(message(round, r, ranks.rank(), static_cast<std::size_t>(length(r, ranks.rank()))));
  }
  EXPECT_TRUE(ranks.exchange(std::move(outgoing)) == expected) << "rank " << ranks.rank() << ", round " << round;
}

TEST_P(EveryCommunicator, NumbersItsRanks) {
  run([](Communicator& ranks) {
    std::vector<Bytes> expected;
    for (int r = 0; r < ranks.size(); ++r) expected.push_back({static_cast<std::uint8_t>(r)});
    EXPECT_EQ(ranks.gather_all({static_cast<std::uint8_t>(ranks.rank())}), expected);
  });
}

TEST_P(EveryCommunicator, TransposesMessages) {
  run([](Communicator& ranks) { expect_exchange(ranks, 0, [](int from, int to) { return 5 + 3 * from + to; }); });
}

TEST_P(EveryCommunicator, SendsEmptyMessages) {
  run([](Communicator& ranks) {
    expect_exchange(ranks, 0, [](int, int) { return 0; });
    expect_exchange(ranks, 1, [](int from, int to) { return from < to ? 4 : 0; });
    EXPECT_EQ(ranks.gather_all({}), std::vector<Bytes>(static_cast<std::size_t>(ranks.size())));
  });
}

TEST_P(EveryCommunicator, SendsMessagesOfEveryLength) {
  run([](Communicator& ranks) {
    for (int round = 0; round < 32; ++round)
      expect_exchange(ranks, round, [&](int from, int to) { return (round + 5 * from + 11 * to) % 32; });
  });
}

TEST_P(EveryCommunicator, SendsLargeMessages) {
  run([](Communicator& ranks) { expect_exchange(ranks, 0, [](int from, int to) { return 20'003 + from - to; }); });
}

TEST_P(EveryCommunicator, GathersTheSameEverywhere) {
  run([](Communicator& ranks) {
    Bytes all;
    for (const Bytes& one : ranks.gather_all(message(0, ranks.rank(), 0, static_cast<std::size_t>(9 * ranks.rank()))))
      all.insert(all.end(), one.begin(), one.end());
    EXPECT_EQ(ranks.gather_all(all), std::vector<Bytes>(static_cast<std::size_t>(ranks.size()), all));
  });
}

TEST_P(EveryCommunicator, MissesNobodyWhileAllAreThere) {
  run([](Communicator& ranks) {
    EXPECT_NO_THROW(ranks.check_all_there());
    ranks.gather_all({});
  });
}

TEST_P(EveryCommunicator, TellsTheFirstRankHowFarOthersAre) {
  run([](Communicator& ranks) {
    std::mutex mutex;
    std::vector<double> last, expected(static_cast<std::size_t>(ranks.size()));
    for (std::size_t r = 1; r < expected.size(); ++r) expected[r] = 0.5 * static_cast<double>(r);
    const auto all_told = [&] {
      const std::scoped_lock lock(mutex);
      return ranks.size() == 1 || last == expected;
    };
    if (ranks.rank() == 0)
      ranks.when_told([&](std::span<const double> told) {
        const std::scoped_lock lock(mutex);
        last.assign(told.begin(), told.end());
      });
    ranks.gather_all({});
    if (ranks.rank() > 0) ranks.tell_progress(0.5 * ranks.rank());
    if (ranks.rank() == 0) {
      EXPECT_TRUE(wait_for(all_told));
      ranks.when_told({});
    }
    ranks.gather_all({});
    if (ranks.rank() > 0) ranks.tell_progress(1);  // without a listener
    ranks.gather_all({});
  });
}

TEST_P(EveryCommunicator, RefusesAnotherNumberOfMessages) {
  run([](Communicator& ranks) {
    EXPECT_THROW(ranks.exchange(std::vector<Bytes>(static_cast<std::size_t>(ranks.size()) + 1)), Error);
    EXPECT_THROW(ranks.exchange({}), Error);
    expect_exchange(ranks, 0, [](int, int) { return 3; });
  });
}

}  // namespace fernwood
