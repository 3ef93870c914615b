// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::search {
namespace {

Space example() {
  return Space({integer_parameter("samples", 10, 7500, 500, true), real_parameter("absolute", 0, 1, 0.1),
                real_parameter("step", 1e-4, 10, 0.3, true), integer_parameter("trees", 1, 3, 3),
                choice_parameter("channels", {"lab", "lab,depth"}, "lab,depth")});
}

TEST(Space, CornersOfTheCubeAreTheLimits) {
  const Space space = example();
  EXPECT_EQ(
      space.configuration({0, 0, 0, 0, 0}),
      (Configuration{{"samples", "10"}, {"absolute", "0"}, {"step", "0.0001"}, {"trees", "1"}, {"channels", "lab"}}));
  const double most = std::nextafter(1.0, 0.0);
  EXPECT_EQ(space.configuration({most, most, most, most, most}),
            (Configuration{
                {"samples", "7500"}, {"absolute", "1"}, {"step", "10"}, {"trees", "3"}, {"channels", "lab,depth"}}));
}

TEST(Space, EachSettingHasItsPointAndEachPointItsSetting) {
  const Space space = example();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Draw a = draw(1, RngStream::kSynthetic, 0, 0, i), b = draw(1, RngStream::kSynthetic, 0, 1, i);
    const Configuration configuration = space.configuration({a.unit(0), a.unit(1), a.unit(2), a.unit(3), b.unit(0)});
    space.check(configuration);
    EXPECT_EQ(space.configuration(space.point(configuration)), configuration);
  }
}

TEST(Space, WholeNumbersAndChoicesAreAsLikelyAsEachOther) {
  std::map<std::string, int> trees;
  for (int i = 0; i < 300; ++i) ++trees[example().configuration({0, 0, 0, i / 300.0, 0}).at("trees")];
  EXPECT_EQ(trees, (std::map<std::string, int>{{"1", 100}, {"2", 100}, {"3", 100}}));
}

TEST(Space, ALogarithmicScaleHasItsGeometricMeanInTheMiddle) {
  EXPECT_NEAR(std::stod(example().configuration({0.5, 0, 0.5, 0, 0}).at("samples")), std::sqrt(10.0 * 7501), 1);
  EXPECT_EQ(example().configuration({0, 0, 0.5, 0, 0}).at("step"), "0.03162");
}

TEST(Space, TheStandardSettingIsTheNearestThatTheSpaceHas) {
  EXPECT_EQ(example().standard().at("samples"), "500");
  const Space space = example().changed_by(
      "[samples]\nlow = 1000\n[channels]\nchoices = [\"depth\"]\n[trees]\nvalue = 2\n[absolute]\nhigh = 0.05", "a");
  EXPECT_EQ(space.standard(),
            (Configuration{
                {"samples", "1000"}, {"absolute", "0.05"}, {"step", "0.3"}, {"trees", "2"}, {"channels", "depth"}}));
  space.check(space.standard());
}

TEST(Space, AFileChangesRangesScalesAndChoices) {
  const Space space = example().changed_by("[samples]\nlow=1\nhigh=4\nlog=false\n[trees]\nchoices=[1,3]", "space.toml");
  EXPECT_EQ(space.configuration({0.5, 0, 0, 0.9, 0}).at("samples"), "3");
  EXPECT_EQ(space.configuration({0.5, 0, 0, 0.9, 0}).at("trees"), "3");
  EXPECT_EQ(space.configuration({0.5, 0, 0, 0.1, 0}).at("trees"), "1");
  EXPECT_NE(space.to_json(), example().to_json());
  EXPECT_EQ(example().changed_by("", "space.toml").to_json(), example().to_json());
}

TEST(Space, FilesThatContradictThemselvesAreRefusedByLineAndRemedy) {
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += ".a";
  for (const std::string& toml : std::vector<std::string>{
           "\n[sample]\nlow = 1", "[samples]\nlow = 9\nhigh = 3", "[samples]\nlow = 0", "[samples]\nlow = 10.5",
           "[samples]\nlow = nan", "[samples]\nhigh = \"many\"", "[samples]\nhihg = 3", "[samples]\nvalue = 3\nlow = 1",
           "[samples]\nlog = 3", "[channels]\nlow = 3", "[channels]\nchoices = []",
           "[channels]\nchoices = [\"lab\", \"lab\"]", "[channels]\nchoices = [[1]]", "[channels]\nchoices = 1",
           "samples = 3", "[samples", deep + " = 1",
           "[samples]\nvalue=1\n[absolute]\nvalue=0\n[step]\nvalue=1\n[trees]\nvalue=1\n[channels]\nvalue=\"lab\""})
    fernwood::testdata::expect_refused(ErrorKind::kUsage, [&] { example().changed_by(toml, "space.toml"); });
}

TEST(Space, RowsThatContradictThemselvesAreRefused) {
  EXPECT_THROW(Space({integer_parameter("a", 1, 2, 1), integer_parameter("a", 1, 2, 1)}), Error);
  EXPECT_THROW(Space({integer_parameter("a", 3, 2, 1)}), Error);
  EXPECT_THROW(Space({choice_parameter("a", {}, "")}), Error);
}

}  // namespace
}  // namespace fernwood::search
