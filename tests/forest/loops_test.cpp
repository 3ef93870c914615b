// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/loops.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::forest {
namespace {

TEST(Loops, AreThoseThatANameSays) {
  for (const Isa isa : available_isas()) {
    EXPECT_EQ(variant_named(isa, "gather").loads, Gather::kGather);
    EXPECT_EQ(variant_named(isa, "scalar").loads, Gather::kScalar);
    EXPECT_EQ(variant_named(isa, "scalar").isa, isa);
    EXPECT_EQ(to_string(variant_named(isa, "auto").loads), gather_report().loads);
  }
  dataset::expect_error([] { variant_named(Isa::kBaseline, "vector"); }, ErrorKind::kUsage,
                        {"\"vector\"", "auto, gather or scalar"});
}

TEST(Loops, FasterLoadsAreThoseThatWereFasterInTheMeasurement) {
  for (const Isa isa : available_isas()) {
    const GatherReport report = measure_gather(isa);
    EXPECT_EQ(report.instruction_set, to_string(isa));
    EXPECT_GT(report.gather_rate, 1e6);
    EXPECT_GT(report.scalar_rate, 1e6);
    EXPECT_EQ(report.loads, report.gather_rate >= report.scalar_rate ? "gather" : "scalar");
    EXPECT_FALSE(report.remembered);
  }
}

}  // namespace
}  // namespace fernwood::forest
