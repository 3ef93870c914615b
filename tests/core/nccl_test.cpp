// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/nccl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <stdexcept>

#include "core/fake_nccl.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

using testing::Each;
using Fault = FakeNccl::Fault;

std::string bus_id(int rank) { return "0000:0" + std::to_string(rank) + ":00.0"; }

/// Sums of this rank's block, where rank r contributes 100 * r + i at index i of all blocks.
std::vector<std::uint32_t> add_up(NcclRank& nccl, const Communicator& ranks, std::size_t block_size) {
  const auto rank = static_cast<std::size_t>(ranks.rank()), num_ranks = static_cast<std::size_t>(ranks.size());
  std::vector<std::uint32_t> blocks;
  for (std::size_t i = 0; i < num_ranks * block_size; ++i) blocks.push_back(static_cast<std::uint32_t>(100 * rank + i));
  nccl.reduce_scatter(blocks.data(), block_size, nullptr, FakeNccl::arrived);
  const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(rank * block_size);
  return {begin, begin + static_cast<std::ptrdiff_t>(block_size)};
}

TEST(NcclRank, EachGetsTheSumsOfItsBlock) {
  for (const int size : {1, 2, 3, 5})
    run_as_ranks(size, [](Communicator& ranks) {
      const NcclRank::Rendezvous met = NcclRank::meet(FakeNccl::library(), bus_id(ranks.rank()), ranks);
      ASSERT_NE(met.rank, nullptr) << met.problem;
      for (const std::size_t block_size : {1u, 7u}) {
        const std::vector<std::uint32_t> sums = add_up(*met.rank, ranks, block_size);
        const auto num_ranks = static_cast<std::size_t>(ranks.size());
        for (std::size_t i = 0; i < block_size; ++i)
          EXPECT_EQ(sums[i], 100 * num_ranks * (num_ranks - 1) / 2 +
                                 num_ranks * (static_cast<std::size_t>(ranks.rank()) * block_size + i));
        ranks.gather_all({});  // keeps the blocks alive until all ranks have read them
      }
    });
  EXPECT_EQ(FakeNccl::num_open(), 0);
}

/// Reasons of a failed rendezvous, by rank. Each rank calls `prepare` first.
std::vector<std::string> problems_of(int size, const std::function<void(int rank)>& prepare,
                                     const std::function<std::string(int rank)>& gpu = bus_id) {
  std::vector<std::string> problems(static_cast<std::size_t>(size));
  run_as_ranks(size, [&](Communicator& ranks) {
    prepare(ranks.rank());
    const NcclRank::Rendezvous met =
        NcclRank::meet(FakeNccl::library(), gpu(ranks.rank()), ranks, std::chrono::milliseconds(100));
    EXPECT_EQ(met.rank == nullptr, !met.problem.empty());
    problems[static_cast<std::size_t>(ranks.rank())] = met.problem;
  });
  EXPECT_EQ(FakeNccl::num_open(), 0);
  return problems;
}

std::function<void(int)> fails(int which, Fault fault) {
  return [=](int rank) {
    if (rank == which) FakeNccl::fault = fault;
  };
}

TEST(NcclRank, AllLearnTheSameWhenTheyCannotMeet) {
  EXPECT_THAT(problems_of(3, fails(2, Fault::kNoAnswer)), Each("rank 2: NCCL does not answer (remote error)"));
  EXPECT_THAT(problems_of(3, fails(0, Fault::kNoWay)), Each("rank 0: NCCL finds no way to others (remote error)"));
  EXPECT_THAT(problems_of(3, fails(1, Fault::kCannotMeet)),
              Each("rank 1: GPUs cannot meet by NCCL: remote error: cable pulled"));
  EXPECT_THAT(problems_of(3, fails(2, Fault::kNeverMeets)),
              Each("rank 0: the GPUs did not connect through NCCL within 100 ms"));
  EXPECT_THAT(problems_of(2, [](int rank) { FakeNccl::version = 22809 + rank; }),
              Each("rank 1: its NCCL is 22810, that of rank 0 is 22809; install the same"));
}

TEST(NcclRank, AGpuIsSharedOnlyWhereTheUserSaysSo) {
  const auto nothing = [](int) {};
  const auto shared = [](int rank) { return bus_id(rank / 2); };
  ::unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
  EXPECT_THAT(problems_of(3, nothing, shared), Each("ranks 0 and 1 share a GPU"));
  ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  EXPECT_THAT(problems_of(3, nothing, shared), Each(""));
  EXPECT_THAT(problems_of(
                  3, [](int) { FakeNccl::version = 22907; }, shared),
              Each("ranks 0 and 1 share a GPU"));
  ::unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
}

/// Messages of the errors of three ranks, by rank, when `work` makes one of them fail or not sum.
std::vector<std::string> failures_of(const std::function<void(NcclRank&, Communicator&)>& work) {
  std::vector<std::string> failures(3);
  try {
    run_as_ranks(3, [&](Communicator& ranks) {
      const NcclRank::Rendezvous met = NcclRank::meet(FakeNccl::library(), bus_id(ranks.rank()), ranks);
      try {
        work(*met.rank, ranks);
      } catch (const Error& failure) {
        failures[static_cast<std::size_t>(ranks.rank())] = failure.what();
        EXPECT_TRUE(FakeNccl::arrived()) << "what it asked for is given up";
        throw;
      }
    });
  } catch (const std::exception&) {
  }
  EXPECT_EQ(FakeNccl::num_open(), 0);
  return failures;
}

TEST(NcclRank, FailuresAreTold) {
  const auto failures = failures_of([](NcclRank& nccl, Communicator& ranks) {
    if (ranks.rank() == 1) FakeNccl::fault = Fault::kCannotSum;
    add_up(nccl, ranks, 4);
  });
  for (const std::string& failure : failures) testdata::expect_sentence(failure);
}

TEST(NcclRank, FailuresOnTheWayAreTold) {
  const auto failures = failures_of([](NcclRank& nccl, Communicator& ranks) {
    if (ranks.rank() == 1) return static_cast<void>(ranks.gather_all({}));  // never requests its sums
    if (ranks.rank() == 0) FakeNccl::fault = Fault::kFailsWhileSumming;
    add_up(nccl, ranks, 4);
  });
  testdata::expect_sentence(failures[0]);
}

TEST(NcclRank, NobodyWaitsForOneWhoFailed) {
  const auto failures = failures_of([](NcclRank& nccl, Communicator& ranks) {
    if (ranks.rank() == 1) throw std::runtime_error("disk full");
    add_up(nccl, ranks, 4);
  });
  EXPECT_NE(failures[0].find("rank 1 failed"), std::string::npos) << failures[0];
  EXPECT_EQ(failures[2], failures[0]);
}

/// Messages of the errors, by rank, when rank 1 fails before the rendezvous, or while it runs on threads of all ranks.
std::vector<std::string> failures_beside_rendezvous(bool begins_to_meet) {
  std::vector<std::string> failures(3);
  const auto work = [&](Communicator& ranks) {
    if (ranks.rank() == 1 && !begins_to_meet) throw std::runtime_error("disk full");
    std::future<void> met =
        std::async(std::launch::async, [&] { NcclRank::meet(FakeNccl::library(), bus_id(ranks.rank()), ranks); });
    if (ranks.rank() == 1) throw std::runtime_error("disk full");
    met.get();
    ranks.gather_all({});
  };
  const auto run = [&](Communicator& ranks) {
    try {
      work(ranks);
    } catch (const std::exception& failure) {
      failures[static_cast<std::size_t>(ranks.rank())] = failure.what();
      throw;
    }
  };
  EXPECT_THROW(run_as_ranks(3, run), std::runtime_error);
  EXPECT_EQ(FakeNccl::num_open(), 0);
  return failures;
}

TEST(NcclRank, OneMayFailBesideTheRendezvous) {
  for (const bool begins_to_meet : {true, false}) {
    const std::vector<std::string> failures = failures_beside_rendezvous(begins_to_meet);
    EXPECT_EQ(failures[1], "disk full");
    for (const int rank : {0, 2})
      EXPECT_NE(failures[static_cast<std::size_t>(rank)].find("rank 1 failed"), std::string::npos) << rank;
  }
}

TEST(NcclLibrary, TellsWhyItIsNotThere) {
  for (const char* name : {"none", "no_such_library.so", "libc.so.6"})
    testdata::expect_sentence(NcclLibrary(name).problem());
}

TEST(NcclLibrary, IsTheOneThatTheUserNames) {
  ::setenv("FERNWOOD_NCCL", "no_such_library.so", 1);
  EXPECT_EQ(NcclLibrary::find().problem(), NcclLibrary("no_such_library.so").problem());
  ::unsetenv("FERNWOOD_NCCL");
}

TEST(NcclLibrary, TellsItsVersion) {
  FakeNccl::fault = Fault::kNone;
  FakeNccl::version = 22809;
  EXPECT_EQ(FakeNccl::library().version_text(), "2.28.9");
}

}  // namespace
}  // namespace fernwood
