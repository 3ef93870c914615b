// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fernwood::teach {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;

/// Class probabilities of 2 x 2 pixels, all equal.
std::vector<Array2<float>> everywhere(const std::vector<float>& probabilities) {
  std::vector<Array2<float>> planes;
  for (const float p : probabilities) planes.emplace_back(2, 2, p);
  return planes;
}

TEST(Uncertainty, IsOneLessTheMarginBetweenTheTwoLikeliest) {
  EXPECT_EQ(uncertainty_of(everywhere({1, 0, 0}))(1, 1), 0);
  EXPECT_EQ(uncertainty_of(everywhere({0.5f, 0, 0.5f}))(0, 0), 255);
  EXPECT_EQ(uncertainty_of(everywhere({0.2f, 0.7f, 0.1f}))(0, 1), 128);  // 0.5
  EXPECT_EQ(uncertainty_of(everywhere({0, 0}))(0, 1), 255) << "no tree says anything";
  EXPECT_EQ(uncertainty_of(everywhere({1}))(0, 1), 0) << "there is but one class";
  EXPECT_TRUE(uncertainty_of({}).empty());
}

TEST(Uncertainty, OfAFrameIsTheMeanWithTheSharesOfItsClasses) {
  std::vector<Array2<float>> probabilities = everywhere({1, 0});
  probabilities[0](0, 1) = probabilities[1](0, 1) = 0.5f;
  const FrameUncertainty uncertainty = frame_uncertainty(uncertainty_of(probabilities), probabilities);
  EXPECT_FLOAT_EQ(uncertainty.mean, 0.25f);
  EXPECT_THAT(uncertainty.shares, ElementsAre(FloatEq(0.875f), FloatEq(0.125f)));
}

TEST(Uncertainty, NextIsWhatIsUncertainAndUnlikeWhatIsTaught) {
  const std::vector<float> floors = {1, 0}, both = {0.5f, 0.5f}, walls = {0, 1};
  EXPECT_THAT(rank_frames({{4, false, {0.1f, floors}}, {7, false, {0.3f, walls}}}), ElementsAre(7, 4))
      << "nothing is taught: by uncertainty";
  EXPECT_THAT(rank_frames({{0, true, {0.2f, floors}},
                           {1, false, {0.3f, floors}},
                           {2, false, {0.2f, both}},
                           {3, false, {0.15f, walls}}}),
              ElementsAre(3, 2, 1, 0))
      << "0.15 x 3, 0.2 x 2, 0.3 x 1, and what is taught";
  EXPECT_THAT(rank_frames({{5, false, {0.4f, both}}, {6, false, {0.4f, both}}}), ElementsAre(5, 6)) << "equals";
  EXPECT_THAT(rank_frames({}), IsEmpty());
}

}  // namespace
}  // namespace fernwood::teach
