// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/loops.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::forest {
namespace {

TEST(Loops, AreThoseThatANameSays) {
  for (const Isa isa : available_isas()) {
    EXPECT_EQ(loops_named(isa, "gather").loads, Loads::kGather);
    EXPECT_EQ(loops_named(isa, "scalar").loads, Loads::kScalar);
    EXPECT_EQ(loops_named(isa, "scalar").isa, isa);
    EXPECT_EQ(to_string(loops_named(isa, "auto").loads), loads_report().loads);
  }
  dataset::expect_error([] { loops_named(Isa::kBaseline, "vector"); }, ErrorKind::kUsage,
                        {"\"vector\"", "auto, gather or scalar"});
}

TEST(Loops, FasterLoadsAreThoseThatWereFasterInTheMeasurement) {
  for (const Isa isa : available_isas()) {
    const LoadsReport report = measure_loads(isa);
    EXPECT_EQ(report.instruction_set, to_string(isa));
    EXPECT_GT(report.gather_rate, 1e6);
    EXPECT_GT(report.scalar_rate, 1e6);
    EXPECT_EQ(report.loads, report.gather_rate >= report.scalar_rate ? "gather" : "scalar");
    EXPECT_FALSE(report.remembered);
  }
}

}  // namespace
}  // namespace fernwood::forest
