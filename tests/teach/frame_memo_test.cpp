// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/frame_memo.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "backbone/small_network.h"
#include "fernwood/generate/generate.h"

namespace fernwood::teach {
namespace {

/// Generated frames, with a count of how often they are read.
class CountedRooms {
 public:
  FrameMemo::Read reader() {
    return [this](std::size_t frame) {
      ++num_read_;
      generate::GenerateOptions size;
      size.width = 48;
      size.height = 36;
      return generate::generate_frame(size, static_cast<std::uint32_t>(frame)).frame;
    };
  }
  int num_read_ = 0;
};

const image::Preparation kColor = {image::ChannelLayout({"lab"}), image::DepthFilling::kNone};
const image::Preparation kDepth = {image::ChannelLayout({"depth"}), image::DepthFilling::kNone};

bool have_same_sums(const image::PreparedFrame& a, const image::PreparedFrame& b) {
  return a.size_bytes() == b.size_bytes() &&
         std::memcmp(a.view().sums, b.view().sums, static_cast<std::size_t>(a.view().plane_size) * 4) == 0;
}

TEST(FrameMemo, AreReadAndPreparedOnce) {
  CountedRooms rooms;
  FrameMemo kept(std::size_t{1} << 20);
  const auto first = kept.prepared(4, kColor, rooms.reader());
  EXPECT_EQ(kept.prepared(4, kColor, rooms.reader()), first);
  EXPECT_EQ(kept.decoded(4, rooms.reader()), kept.decoded(4, rooms.reader()));
  EXPECT_EQ(rooms.num_read_, 1);
  EXPECT_TRUE(have_same_sums(*first, image::PreparedFrame(*kept.decoded(4, rooms.reader()), kColor)));
}

TEST(FrameMemo, AnotherPreparationTakesThePlaceOfTheFirst) {
  CountedRooms rooms;
  const std::size_t one = image::PreparedFrame(rooms.reader()(0), kColor).size_bytes() + 48 * 36 * 5;
  FrameMemo kept(one);  // the colour channels are larger, so the depth channel fits in their place
  const auto color = kept.prepared(0, kColor, rooms.reader()), depth = kept.prepared(0, kDepth, rooms.reader());
  EXPECT_NE(depth, color);
  EXPECT_EQ(kept.prepared(0, kDepth, rooms.reader()), depth);
  EXPECT_NE(kept.prepared(0, kColor, rooms.reader()), color);
}

TEST(FrameMemo, HeadsOfOneForestAfterAnotherShareWhatTheyRead) {
  CountedRooms rooms;
  FrameMemo kept(std::size_t{1} << 20);
  image::Preparation how = kColor;
  how.maps = backbone::noise_backbone(1);
  const auto plain = kept.prepared(0, how, rooms.reader());
  for (const std::uint32_t seed : {1u, 2u}) {
    image::Preparation headed = how;
    headed.head = forest::noise_head(3, how.num_maps(), seed);
    const auto found = kept.prepared(0, headed, rooms.reader());
    EXPECT_EQ(found->view().sums, plain->view().sums) << "the planes are shared";
    const image::PreparedFrame wanted(*kept.decoded(0, rooms.reader()), headed);
    const image::MapsView got = found->view().maps, want = wanted.view().maps;
    for (std::int32_t map = 0; map < headed.num_maps(); ++map)
      EXPECT_EQ(image::map_value(got, map, 20, 11), image::map_value(want, map, 20, 11)) << map;
  }
  EXPECT_EQ(rooms.num_read_, 1);
  EXPECT_EQ(kept.prepared(0, how, rooms.reader()), plain);
}

TEST(FrameMemo, AreReadAgainWhereThereIsNoRoom) {
  CountedRooms rooms;
  FrameMemo kept(0);
  const auto first = kept.prepared(2, kColor, rooms.reader()), second = kept.prepared(2, kColor, rooms.reader());
  EXPECT_NE(first, second);
  EXPECT_TRUE(have_same_sums(*first, *second));
  EXPECT_EQ(rooms.num_read_, 2);
}

}  // namespace
}  // namespace fernwood::teach
