// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "forest/noise.h"
#include "image/seen_box.h"

namespace fernwood::predict {
namespace {

PredictOptions adjustable_options() { return {.device = "cpu", .threads = 1, .steady = true}; }

}  // namespace

// When steady labels are chosen again, they continue from their earlier state: the same frame yields a motion.
TEST(AdjustablePredictor, SteadyLabelsGoOnWhereTheyWereLeft) {
  const forest::Forest forest = forest::noise_forest(4, 6, {"depth"}, 3);
  const image::Frame frame = image::see_box_room(image::looking_down()).frame;
  AdjustablePredictor predictor(forest, adjustable_options());
  predictor.predict(frame);
  predictor.choose_single(true);
  predictor.predict(frame);
  EXPECT_FALSE(predictor.last_steady()) << "labels of a frame alone";
  predictor.choose_single(false);
  predictor.predict(frame);
  ASSERT_TRUE(predictor.last_steady());
  EXPECT_TRUE(predictor.last_steady()->motion) << predictor.last_steady()->why_not;
}

TEST(AdjustablePredictor, AnotherOptionBeginsAnew) {
  const forest::Forest forest = forest::noise_forest(4, 6, {"depth"}, 3);
  const image::Frame frame = image::see_box_room(image::looking_down()).frame;
  AdjustablePredictor predictor(forest, adjustable_options());
  predictor.predict(frame);
  predictor.set("smooth", "20");
  const Prediction smoothed = predictor.predict(frame, {.probabilities = true});
  EXPECT_FALSE(predictor.last_steady()->motion);
  PredictOptions expected = adjustable_options();
  expected.smoothing.extent_px = 20;
  EXPECT_EQ(smoothed.probabilities,
            make_predictor(forest, expected)->predict(frame, {.probabilities = true}).probabilities);
  predictor.set("steady", "false");
  predictor.predict(frame);
  EXPECT_FALSE(predictor.last_steady());
}

TEST(AdjustablePredictor, WhatCannotChangeChangesNothing) {
  const forest::Forest forest = forest::noise_forest(4, 6, {"depth"}, 3);
  const image::Frame frame = image::see_box_room(image::looking_down()).frame;
  AdjustablePredictor predictor(forest, adjustable_options());
  predictor.predict(frame);
  for (const auto& [name, value] :
       {std::pair{"threads", "2"}, {"device", "cuda:0"}, {"smooth", "1001"}, {"smooth", "x"}, {"", ""}})
    EXPECT_THROW(predictor.set(name, value), Error) << name;
  predictor.set("steady", "true");  // as it is
  predictor.predict(frame);
  EXPECT_TRUE(predictor.last_steady()->motion) << "the predictor is that of before";
}

}  // namespace fernwood::predict
