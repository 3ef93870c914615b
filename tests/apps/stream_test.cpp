// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood {
namespace {

using Stream = CommandLine;
using testing::HasSubstr;

TEST_F(Stream, SketchesAreComparedOnEveryDistribution) {
  const Outcome shown = run({"stream", "bench", "sketches", "--values", "2000"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, testing::StartsWith("2000 values of each distribution"));
  for (const char* row :
       {"\nuniform [0, 1)", "\nnormal  ", "\nlog-normal, sigma 2", "\nbimodal", "\nintegers 0 to 20", "\nfar from zero",
        "\ndepth differences  ", "\nnormal, ascending", "\ndepth differences, ascending", "Ben-Haim, 50 bins",
        "Ben-Haim, 256 bins", "log-linear, 3 bits", "log-linear, 4 bits", "log-linear, 4 bits, centred", "\n  exact"})
    EXPECT_THAT(shown.out, HasSubstr(row));

  const Outcome told = run({"stream", "bench", "sketches", "--values", "2000", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const auto study = nlohmann::json::parse(told.out);
  EXPECT_EQ(study["values"], 2000);
  ASSERT_EQ(study["costs"].size(), 9u * 12);
  for (const auto& cost : study["costs"]) {
    const double most = cost["most_rank_error"], mean = cost["mean_rank_error"];
    EXPECT_LE(mean, most) << cost;
    EXPECT_LT(most, cost["sketch"] == "exact" ? 1e-12 : 1) << cost;
    EXPECT_GT(cost["size_bytes"], 0) << cost;
    EXPECT_GT(cost["update_ns"], 0) << cost;
  }
}

TEST_F(Stream, WrongInputIsNamed) {
  constexpr int kUsage = 2;
  expect_refused({"stream"}, kUsage, {"fernwood stream lacks a command: bench"});
  expect_refused({"stream", "bench"}, kUsage, {"fernwood stream bench lacks a command: sketches"});
  expect_refused({"stream", "bench", "sketches", "--values", "999"}, kUsage,
                 {"--values is 999; give a number from 1000 to 1000000000"});
  expect_refused({"stream", "bench", "sketches", "--values", "many"}, kUsage, {"--values = many is no number"});
}

}  // namespace
}  // namespace fernwood
