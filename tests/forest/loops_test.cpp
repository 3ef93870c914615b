// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/loops.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::forest {
namespace {

TEST(Loops, AreTheFastestOfAnInstructionSet) {
  for (const Isa isa : available_isas()) {
    EXPECT_EQ(fastest_variant(isa).isa, isa);
    EXPECT_EQ(to_string(fastest_variant(isa).gather), gather_report().choice);
  }
}

TEST(Loops, TheWayToGatherWithTheShortestTimeIsChosen) {
  const auto chosen = [](std::vector<double> gather_s, std::vector<double> scalar_s) {
    std::size_t asked[2] = {0, 0};
    return compare_gathers(Isa::kBaseline, 100, [&](Gather gather) {
      const auto way = static_cast<std::size_t>(gather);
      const std::vector<double>& times = way == 0 ? gather_s : scalar_s;
      return times[std::min(asked[way]++, times.size() - 1)];
    });
  };
  EXPECT_EQ(chosen({2}, {1}).choice, "scalar");
  EXPECT_EQ(chosen({1}, {2}).choice, "gather");
  EXPECT_EQ(chosen({1}, {1}).choice, "gather");
  EXPECT_EQ(chosen({9, 9, 1, 9}, {2}).choice, "gather");  // a single undisturbed measurement is enough
  EXPECT_EQ(chosen({9, 9, 1, 9}, {2}).gather_rate, 100);
  EXPECT_EQ(chosen({9, 9, 1, 9}, {2}).scalar_rate, 50);
}

TEST(Loops, AreMeasuredForEachInstructionSet) {
  for (const Isa isa : available_isas()) {
    const GatherReport report = measure_gather(isa);
    EXPECT_EQ(report.instruction_set, to_string(isa));
    EXPECT_GT(report.gather_rate, 1e6);
    EXPECT_GT(report.scalar_rate, 1e6);
    EXPECT_FALSE(report.remembered);
  }
}

}  // namespace
}  // namespace fernwood::forest
