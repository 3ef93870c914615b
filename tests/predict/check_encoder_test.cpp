// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "sentences.h"

namespace fernwood::predict {
namespace {

const encoder::EncoderInfo kTrained = {"dinov2", "11", R"({"encoder":"dinov2.onnx"})"};

TEST(CheckEncoder, OnlyThatOfTheTrainingIsTaken) {
  forest::Forest forest;
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_encoder(forest, kTrained); });
  forest.preparation.supplied_maps = {{0, 1}};
  EXPECT_NO_THROW(check_encoder(forest, kTrained)) << "it may have written the files of maps";
  forest.encoder = kTrained;
  EXPECT_NO_THROW(check_encoder(forest, {"elsewhere", "11", "{}"}));
  testdata::expect_refused(ErrorKind::kModel, [&] { check_encoder(forest, {"sam2", "22", "{}"}); });
  testdata::expect_refused(ErrorKind::kModel, [&] { check_encoder(forest, {"a function", "", "{}"}); });
  forest.encoder = {"a function", "", "{}"};
  EXPECT_NO_THROW(check_encoder(forest, kTrained)) << "functions have no checksum";
}

TEST(CheckEncoder, FramesWithoutMapsNameIt) {
  forest::Forest forest;
  forest.preparation.channels = image::ChannelLayout({"lab"});
  forest.preparation.supplied_maps = {{0, 1}};
  forest.encoder = kTrained;
  testdata::expect_refused(ErrorKind::kModel, [&] { check_images(forest, {.color = true}, "rooms"); });
  EXPECT_NO_THROW(check_images(forest, {.color = true, .depth = false, .num_maps = 1}, "rooms"));
}

}  // namespace
}  // namespace fernwood::predict
