// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera_note.h"

#include <gmock/gmock.h>

namespace fernwood::image {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CameraNote, SaysWhatTheModelRemembers) {
  Preparation preparation{ChannelLayout({"lab", "depth", "height", "facing"})};
  preparation.camera = Camera{64, 48, 50.0f, 50.0f, 31.5f, 23.5f};
  EXPECT_THAT(camera_note(preparation, false, "rooms/test"),
              AllOf(StartsWith("rooms/test: "), HasSubstr("the channels (height, facing)"),
                    HasSubstr("camera = {width = 64, height = 48, fx = 50, fy = 50, cx = 31.5, cy = 23.5}"),
                    HasSubstr("dataset.toml")));
}

TEST(CameraNote, NamesTheSensorWhereTheModelRemembersNone) {
  const Preparation preparation{ChannelLayout({"depth", "upright"})};
  EXPECT_THAT(camera_note(preparation, false, "x"), HasSubstr("assumed is sensor = \"kinect\""));
}

TEST(CameraNote, IsSilentWhereNothingIsAssumed) {
  EXPECT_EQ(camera_note({ChannelLayout({"depth", "height"})}, true, "x"), "");
  EXPECT_EQ(camera_note({ChannelLayout({"lab", "depth"})}, false, "x"), "");
}

}  // namespace
}  // namespace fernwood::image
