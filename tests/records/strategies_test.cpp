// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/every_strategy.h"

namespace fernwood::records {
namespace {

/// Kinds of forests that each strategy refuses; it must take all others.
Kinds refused_by(const StrategyCase& each) {
  static const Kinds several_attributes = all_kinds_but({"OneAttribute", "ATreeOfOneAttribute"});
  static const std::map<std::string, Kinds> refusals = {
      {"interval", several_attributes},
      {"bit-mask", {"ATreeOfThousandsOfNodes"}},
      {"gpu-interval", several_attributes},
      {"heaped", {"ADeepThinTree", "ATreeOfThousandsOfNodes", "ManyAttributes", "OneAttribute"}},
      {"table-shared", {"OneAttribute"}},
      {"table-read-only", {"OneAttribute"}},
      {"speculative-warp", all_kinds_but({"ATreeThatIsALeaf", "ATreeOfOneAttribute", "ATreeOfAFewTests"})}};
  const auto found = refusals.find(each.strategy.name);
  Kinds kinds = found == refusals.end() ? Kinds{} : found->second;
  if (each.values == Values::kRanks && !each.device.is_cpu())
    kinds.insert(
        {"ATreeThatIsALeaf", "BoostedTreesOfTwoClasses", "BoostedTreesOfManyClasses", "NanEitherWayInOneTree"});
  return kinds;
}

class EveryStrategy : public testing::TestWithParam<StrategyCase> {};
INSTANTIATE_TEST_SUITE_P(EveryDevice, EveryStrategy, testing::ValuesIn(strategy_cases(product_strategies().rows())),
                         name_of);

TEST_P(EveryStrategy, GivesTheClassesOfTheRule) { check_strategy(GetParam(), refused_by(GetParam())); }

TEST(Strategies, AreNamedWhenOneIsMisspelt) {
  try {
    product_strategies().find("seriel");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()).find("there is no strategy \"seriel\"; did you mean serial? (there are auto, "),
              0u);
  }
}

TEST(Strategies, OfTheLaboratoryAreNotThere) {
  for (const std::string name : {"gather", "packed", "staged", "table-constant", "table-global"})
    EXPECT_THROW(product_strategies().find(name), Error) << name;
}

TEST(Strategies, SayThatTheyTakeNoRanks) {
  const SharedModel model = make_evaluation_model(random_forest({.trees = 2, .depth = 3, .classes = 2, .seed = 3}));
  const Strategy& serial = product_strategies().find("serial");
  EXPECT_EQ(obstacle_of(serial, *model, Values::kFloat, Device{}), "");
  EXPECT_EQ(obstacle_of(serial, *model, Values::kRanks, Device{}), "it takes values as they are; give --values float");
}

}  // namespace
}  // namespace fernwood::records
