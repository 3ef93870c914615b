// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/strategies.h"

#include "lab/records/compiler.h"
#include "records/every_strategy.h"

namespace fernwood::lab {
namespace {

using records::Kinds;
using records::StrategyCase;
using records::Values;

std::vector<records::Strategy> own_strategies() {
  std::vector<records::Strategy> rows = all_strategies(true).rows();
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(records::product_strategies().rows().size()));
  return rows;
}

/// Kinds of forests that each strategy must refuse; it must accept all others.
Kinds refused_by(const StrategyCase& each) {
  const std::string& name = each.strategy.name;
  Kinds kinds;
  if (name == "packed" || name == "staged" || name == "table-global") kinds = {"OneAttribute"};
  if (name == "table-constant") kinds = {"ATreeOfThousandsOfNodes", "ManyAttributes", "OneAttribute"};
  if (name == "no-if")  // more than 256 tests
    kinds = records::all_kinds_but({"ATreeOfManyClasses", "ATreeThatIsALeaf", "ADeepThinTree", "NanEitherWayInOneTree",
                                    "FewerRecordsThanAVector", "ATreeOfOneAttribute", "ATreeOfAFewTests", "ATreeOfSets",
                                    "NoRecords"});
  if (name.ends_with("-direct")) kinds = records::all_kinds_but({"ATreeOfOneAttribute"});
  if (name.starts_with("speculative") || name.starts_with("gpu-"))  // a tree of several nodes, or a sum of margins
    kinds = records::all_kinds_but({"ATreeOfManyClasses", "ATreeThatIsALeaf", "ADeepThinTree", "NanEitherWayInOneTree",
                                    "ATreeOfOneAttribute", "ATreeOfAFewTests"});
  if (each.values == Values::kRanks) kinds.merge(records::kinds_without_ranks_on_gpus());
  return kinds;
}

class ExperimentalStrategy : public testing::TestWithParam<StrategyCase> {};
INSTANTIATE_TEST_SUITE_P(EveryDevice, ExperimentalStrategy,
                         testing::ValuesIn(records::strategy_cases(own_strategies())), records::name_of);

TEST_P(ExperimentalStrategy, GivesTheClassesOfTheRule) {
  const bool compiles = GetParam().device.is_cpu() && GetParam().strategy.name != "gather";
  if (compiles && find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
  records::check_strategy(GetParam(), refused_by(GetParam()));
}

TEST(AllStrategies, AreTheProductsAndThoseThatAreMeasuredAgainstThem) {
  EXPECT_EQ(all_strategies(false).find("layered").name, "layered");
  EXPECT_THROW(all_strategies(false).find("if-else"), Error);
  EXPECT_EQ(all_strategies(true).find("if-else").name, "if-else");
  EXPECT_THROW(records::product_strategies().find("if-else"), Error);
}

}  // namespace
}  // namespace fernwood::lab
