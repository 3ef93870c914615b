// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/objects/objects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "sentences.h"

namespace fernwood::objects {
namespace {

enum Label : std::uint16_t { kFloor, kChair, kBox };

const image::ClassMap kClasses = {{{"floor", {}}, {"chair", {}}, {"box", {}}}, {}, {}};
constexpr image::Camera kCamera = {320, 240, 300.0f, 300.0f, 159.5f, 119.5f};

/// A frame before a wall at 4 m, which is stuff; things are rectangles that face the camera.
struct Picture {
  image::Frame frame = {{}, Array2<std::uint16_t>(240, 320, 4000), kCamera};
  image::LabelImage labels = image::LabelImage(240, 320, kFloor);
  Array2<std::uint8_t> cuts = {};

  Picture& paint(std::size_t left, std::size_t top, std::size_t width, std::size_t height, std::uint16_t label,
                 std::uint16_t depth_mm) {
    for (std::size_t y = top; y < top + height; ++y)
      for (std::size_t x = left; x < left + width; ++x) {
        labels(y, x) = label;
        frame.depth_mm(y, x) = depth_mm;
      }
    return *this;
  }
  /// Cuts along a rectangle.
  Picture& cut(std::size_t left, std::size_t top, std::size_t width, std::size_t height) {
    if (cuts.empty()) cuts = Array2<std::uint8_t>(240, 320);
    for (std::size_t y = top; y < top + height; ++y) std::fill_n(&cuts(y, left), width, std::uint8_t{1});
    return *this;
  }
  FrameObjects find(const ObjectOptions& options = {}, std::span<const Array2<float>> probabilities = {},
                    int threads = 2) const {
    ThreadPool pool(threads);
    return ObjectFinder(kClasses, options).find(frame, labels, probabilities, pool, cuts);
  }
};

std::vector<std::uint16_t> labels_of(const FrameObjects& found) {
  std::vector<std::uint16_t> labels;
  for (const Object& object : found.objects) labels.push_back(object.label);
  return labels;
}

TEST(ObjectFinder, SurfacesOfOneClassAtDifferentDepthsAreDifferentObjects) {
  const FrameObjects found = Picture().paint(50, 50, 60, 60, kChair, 2000).paint(110, 50, 60, 60, kChair, 2500).find();
  ASSERT_EQ(labels_of(found), (std::vector<std::uint16_t>{kChair, kChair}));
  EXPECT_EQ(found.numbers(60, 60), 1);
  EXPECT_EQ(found.numbers(60, 120), 2);
  EXPECT_EQ(found.numbers(20, 20), image::kNoInstance);
  EXPECT_EQ(found.objects[0].num_pixels, 3600u);
  ASSERT_EQ(found.stuff.size(), 1u);
  EXPECT_EQ(found.stuff[0].label, kFloor);
  EXPECT_EQ(found.stuff[0].num_pixels, 240u * 320u - 2 * 3600u);
  EXPECT_TRUE(found.stuff[0].touches_border);
}

TEST(ObjectFinder, PartsBehindAnOccluderAreOneObject) {
  const Picture picture = Picture().paint(50, 50, 100, 60, kChair, 2000).paint(90, 40, 20, 80, kBox, 1500);
  EXPECT_EQ(labels_of(picture.find()), (std::vector<std::uint16_t>{kBox, kChair}));
  EXPECT_EQ(picture.find({.gap_m = 0}).objects.size(), 3u);
}

TEST(ObjectFinder, ThingsWithTheBackgroundBetweenThemAreTwo) {
  EXPECT_EQ(Picture().paint(50, 50, 40, 60, kChair, 2000).paint(110, 50, 40, 60, kChair, 2000).find().objects.size(),
            2u);
}

TEST(ObjectFinder, SmallPartsJoinALargeOneNearby) {
  const Picture picture = Picture().paint(50, 50, 60, 40, kChair, 2000).paint(50, 95, 8, 40, kChair, 2000);
  EXPECT_EQ(picture.find().objects.size(), 1u);
  EXPECT_EQ(picture.find({.gap_m = 0}).objects.size(), 2u);
}

TEST(ObjectFinder, ObjectsBelowTheLeastAreaAreLeftOut) {
  const Picture picture = Picture().paint(50, 50, 8, 8, kBox, 2000);  // 28 cm2
  EXPECT_EQ(picture.find().objects.size(), 0u);
  EXPECT_EQ(picture.find({.min_area_cm2 = 20}).objects.size(), 1u);
}

TEST(ObjectFinder, UnknownDepthDoesNotDivideAnObject) {
  Picture picture;
  picture.paint(50, 50, 100, 60, kChair, 2000);
  for (std::size_t y = 50; y < 110; ++y)
    for (std::size_t x = 90; x < 110; ++x) picture.frame.depth_mm(y, x) = 0;
  const FrameObjects found = picture.find();
  ASSERT_EQ(found.objects.size(), 1u);
  EXPECT_EQ(found.objects[0].num_pixels, 6000u);
}

TEST(ObjectFinder, MeasuresAreThoseOfTheSurface) {
  const FrameObjects found = Picture().paint(80, 60, 90, 60, kBox, 2000).find();  // 0.6 x 0.4 m
  ASSERT_EQ(found.objects.size(), 1u);
  const Object& box = found.objects[0];
  EXPECT_NEAR(box.area_m2, 0.24, 0.01);
  EXPECT_NEAR(box.box.size.x, 0.6, 0.03);
  EXPECT_NEAR(box.box.size.z, 0.4, 0.03);
  EXPECT_NEAR(box.place.z, 2.0, 0.01);
  EXPECT_NEAR(box.place.x, (124.5 - 159.5) / 300 * 2, 0.01);
  EXPECT_NEAR(box.distance_m, 2.0, 0.01);
  EXPECT_EQ(std::vector({box.left, box.top, box.right, box.bottom}), (std::vector{80, 60, 169, 119}));
  EXPECT_FALSE(box.touches_border);
}

TEST(ObjectFinder, ObjectsAreMovedWithTheirBoxes) {
  Object object;
  object.distance_m = 2;
  object.place = object.box.center = {0, 0, 2};
  object.box.axes = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
  const image::RigidMotion pose = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {10, 0, 0}};
  const Object in_room = moved(object, pose);
  EXPECT_EQ(in_room.place, (image::Vector3{12, 0, 0}));
  EXPECT_EQ(in_room.box.center, in_room.place);
  EXPECT_EQ(in_room.box.axes, (std::array<image::Vector3, 3>{{{0, 0, -1}, {1, 0, 0}, {0, -1, 0}}}));
  EXPECT_EQ(in_room.distance_m, 2);
  EXPECT_EQ(moved({}, pose), Object()) << "without depth";
  object.box = {};
  EXPECT_EQ(moved(object, pose).box, Box()) << "no points";
}

TEST(ObjectFinder, WithManyClassesLessProbableOnesAreObjects) {
  EXPECT_EQ(ObjectOptions().least_confidence(13), 0.5);
  EXPECT_EQ(ObjectOptions().least_confidence(40), 0.3);
  EXPECT_EQ(ObjectOptions{.min_confidence = 0.4}.least_confidence(40), 0.4);
}

/// The box of a cuboid of 0.5 x 0.3 x 0.4 m on a plane, seen from above and ahead.
TEST(ObjectFinder, VolumeOfACuboidIsWithinFivePercent) {
  for (const double turn : {0.0, 0.4, 1.1}) {
    Picture picture;
    picture.frame.depth_mm = Array2<std::uint16_t>(480, 640);
    picture.labels = image::LabelImage(480, 640);
    const double tilt = 0.6, height = 1.4, c = std::cos(tilt), s = std::sin(tilt);
    picture.frame.up = {0, static_cast<float>(-c), static_cast<float>(-s)};
    for (std::size_t y = 0; y < 480; ++y)
      for (std::size_t x = 0; x < 640; ++x) {
        const double u = (static_cast<double>(x) - 319.5) / 600, v = (static_cast<double>(y) - 239.5) / 600;
        // Room: X right, Y up, Z ahead; the camera at (0, height, 0), tilted down.
        const double dx = u, dy = -(v * c + s), dz = c - v * s;
        double nearest = dy < 0 ? -height / dy : 20;
        std::uint16_t label = kFloor;
        const double ct = std::cos(turn), st = std::sin(turn), ox = -(0.0 * ct + 2.0 * st), oz = -(2.0 * ct - 0.0 * st);
        const double origin[3] = {ox, height, oz}, ray[3] = {dx * ct - dz * -st, dy, dz * ct - dx * st};
        const double low[3] = {-0.25, 0, -0.15}, high[3] = {0.25, 0.4, 0.15};
        double enter = 0, leave = 1e9;
        for (int axis = 0; axis < 3; ++axis) {
          const double a = (low[axis] - origin[axis]) / ray[axis], b = (high[axis] - origin[axis]) / ray[axis];
          enter = std::max(enter, std::min(a, b));
          leave = std::min(leave, std::max(a, b));
        }
        if (enter < leave && enter > 0 && enter < nearest) {
          nearest = enter;
          label = kBox;
        }
        picture.labels(y, x) = label;
        picture.frame.depth_mm(y, x) = static_cast<std::uint16_t>(std::lround(1000 * std::min(nearest, 20.0)));
      }
    const FrameObjects found = picture.find();
    ASSERT_EQ(found.objects.size(), 1u) << turn;
    EXPECT_NEAR(found.objects[0].box.volume_m3(), 0.06, 0.003) << turn;
    EXPECT_NEAR(found.objects[0].box.size.z, 0.4, 0.01) << turn;
  }
}

TEST(ObjectFinder, PiecesOfAnImprobableClassBelongToWhatTheyTouch) {
  const Picture picture = Picture().paint(50, 50, 100, 60, kChair, 2000).paint(90, 70, 20, 20, kBox, 2000);
  std::vector<Array2<float>> probabilities(3, Array2<float>(240, 320, 0.0f));
  for (std::size_t y = 0; y < 240; ++y)
    for (std::size_t x = 0; x < 320; ++x) {
      const std::uint16_t label = picture.labels(y, x);
      probabilities[label](y, x) = label == kBox ? 0.4f : 0.9f;
      if (label == kBox) probabilities[kChair](y, x) = 0.35f;
    }
  EXPECT_EQ(labels_of(picture.find()), (std::vector<std::uint16_t>{kChair, kBox}));
  const FrameObjects found = picture.find({}, probabilities);
  ASSERT_EQ(labels_of(found), (std::vector<std::uint16_t>{kChair}));
  EXPECT_EQ(found.objects[0].num_pixels, 6000u);
  EXPECT_EQ(labels_of(picture.find({.min_confidence = 0.3}, probabilities)),
            (std::vector<std::uint16_t>{kChair, kBox}));
  EXPECT_NEAR(found.objects[0].confidence, (5600 * 0.9 + 400 * 0.35) / 6000, 0.01);
}

TEST(ObjectFinder, ObjectsAreTheSameForAnyNumberOfThreads) {
  Picture picture;
  for (std::size_t i = 0; i < 12; ++i)
    picture.paint(20 + 24 * i, 30 + 7 * i, 30, 60, i % 2 == 0 ? kChair : kBox,
                  static_cast<std::uint16_t>(1500 + 90 * i));
  const FrameObjects one = picture.find({}, {}, 1);
  EXPECT_GT(one.objects.size(), 5u);
  for (const int threads : {2, 5}) {
    const FrameObjects several = picture.find({}, {}, threads);
    EXPECT_EQ(several.numbers, one.numbers);
    ASSERT_EQ(several.objects.size(), one.objects.size());
    for (std::size_t i = 0; i < one.objects.size(); ++i) {
      EXPECT_EQ(several.objects[i].area_m2, one.objects[i].area_m2);
      EXPECT_EQ(several.objects[i].box.size, one.objects[i].box.size);
      EXPECT_EQ(several.objects[i].place, one.objects[i].place);
    }
  }
}

TEST(ObjectFinder, ACutPartsAnObjectAndItsPixelsBelongToTheNearestSide) {
  const FrameObjects found = Picture().paint(50, 50, 100, 60, kChair, 2000).cut(130, 40, 5, 80).find();
  ASSERT_EQ(labels_of(found), (std::vector<std::uint16_t>{kChair, kChair})) << "the smaller side joins nothing";
  EXPECT_EQ(found.objects[0].num_pixels, 83u * 60u);  // of three columns as near to both, the left one comes first
  EXPECT_EQ(found.objects[1].num_pixels, 17u * 60u);
  EXPECT_EQ(found.numbers(80, 132), 1);
  EXPECT_EQ(found.numbers(80, 133), 2);
  EXPECT_EQ(Picture().paint(50, 50, 100, 60, kChair, 2000).cut(130, 60, 5, 60).find().objects.size(), 1u)
      << "there is a way around the cut";
}

TEST(ObjectFinder, PartsBehindAnOccluderAreNotJoinedAcrossACutOnIt) {
  Picture picture = Picture().paint(50, 50, 100, 60, kChair, 2000).paint(90, 40, 20, 80, kBox, 1500);
  EXPECT_EQ(labels_of(picture.find()), (std::vector<std::uint16_t>{kBox, kChair}));
  EXPECT_EQ(labels_of(picture.cut(99, 30, 2, 100).find()), (std::vector<std::uint16_t>{kBox, kBox, kChair, kChair}));
}

TEST(ObjectFinder, ThingsAreThoseOfTheOption) {
  const Picture picture = Picture().paint(50, 50, 60, 60, kChair, 2000).paint(150, 50, 60, 60, kBox, 2000);
  EXPECT_EQ(labels_of(picture.find({.things = {"box"}})), (std::vector<std::uint16_t>{kBox}));
  testdata::expect_refused(ErrorKind::kUsage, [&] { picture.find({.things = {"mug"}}); });
}

TEST(ObjectFinder, FramesWithoutDepthAreRefused) {
  Picture picture;
  picture.frame.color = Array2<image::Rgb>(240, 320);
  picture.frame.depth_mm = {};
  testdata::expect_refused(ErrorKind::kData, [&] { picture.find(); });
}

}  // namespace
}  // namespace fernwood::objects
