// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <set>

#include "dataset/computed_frames.h"
#include "dataset/frame_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

/// A labelled frame of 1 x 2 pixels.
LabelledFrame small_frame(std::uint16_t first_label = 0, std::uint16_t second_label = 1) {
  return {{rgb_image(1, 2, {{1, 2, 3}, {4, 5, 6}}), depth_image(1, 2, {1000, 40000})},
          depth_image(1, 2, {first_label, second_label})};
}

const std::vector<image::ClassInfo> kTwoClasses = {{"red", kRed}, {"floor", kFloor}};

Dataset dataset_of(const std::vector<LabelledFrame>& frames) {
  return Dataset::from_memory(supply_of(frames, kTwoClasses));
}

TEST(InMemoryFrames, GivesFramesLabelsAndSizes) {
  const Dataset dataset = dataset_of({small_frame(), small_frame(image::kVoid, 0)});
  ASSERT_EQ(dataset.size(), 2u);
  EXPECT_TRUE(dataset.has_color() && dataset.has_depth());
  EXPECT_EQ(dataset.files(1).name, "1");
  EXPECT_EQ(dataset.frame_size(1).cols, 2u);
  EXPECT_EQ(dataset.read_frame(0).color, small_frame().frame.color);
  EXPECT_EQ(dataset.read_frame(0).depth_mm, depth_image(1, 2, {1000, 0})) << "40 m is beyond what is known";
  ThreadPool pool(2);
  const Dataset::Scan scan = dataset.scan_truth(pool);
  EXPECT_EQ(scan.classes.classes, kTwoClasses);
  EXPECT_EQ(scan.class_pixels, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(scan.void_pixels, 1u);
}

TEST(InMemoryFrames, MayHaveInstances) {
  LabelledFrame with = small_frame(), wide = small_frame();
  with.instances = depth_image(1, 2, {0, 3});
  wide.instances = depth_image(1, 3, {0, 3, 3});
  const Dataset dataset = dataset_of({small_frame(), with, wide});
  EXPECT_FALSE(dataset.has_instances(0));
  EXPECT_EQ(dataset.read_instances(1), with.instances);
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_instances(2); });
}

TEST(InMemoryFrames, LabelsFollowTheClassesAskedFor) {
  const image::ClassMap turned{{{"floor", kFloor}, {"red", kRed}}, {}, {}};
  EXPECT_EQ(dataset_of({small_frame()}).read_labels(0, turned), depth_image(1, 2, {1, 0}));
  const image::ClassMap less{{{"floor", kFloor}}, {}, {}};
  EXPECT_EQ(dataset_of({small_frame()}).read_labels(0, less), depth_image(1, 2, {image::kVoid, 0}));
}

TEST(InMemoryFrames, SomeFramesKeepTheirGroupsAndNames) {
  const auto supply = supply_of({small_frame(0), small_frame(1), small_frame(0)}, kTwoClasses);
  supply->groups = {7, 8, 9};
  supply->names = {"a", "b", "c"};
  const Dataset some = Dataset::from_memory(supply).with_frames({1, 2});
  EXPECT_EQ(some.groups(), (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(some.files(0).name, "b");
  EXPECT_EQ(some.read_labels(0, {kTwoClasses, {}, {}}), depth_image(1, 2, {1, 1}));
}

TEST(InMemoryFrames, TheCameraIsThatOfTheDataSetElseOfTheFirstFrame) {
  const image::Camera first = {2, 1, 4, 4, 1, 0.5}, second = {2, 1, 5, 5, 1, 0.5}, common = {2, 1, 6, 6, 1, 0.5};
  std::vector<LabelledFrame> frames = {small_frame(), small_frame()};
  EXPECT_EQ(dataset_of(frames).camera(), std::nullopt);
  frames[0].frame.camera = first;
  frames[1].frame.camera = second;
  EXPECT_EQ(dataset_of(frames).camera(), first);
  EXPECT_EQ(dataset_of(frames).with_frames({1}).camera(), second);
  const auto supply = supply_of(frames, kTwoClasses);
  supply->config.camera = common;
  EXPECT_EQ(Dataset::from_memory(supply).camera(), common);
}

TEST(InMemoryFrames, AskForTheCameraOnlyIfChannelsNeedIt) {
  struct AskedForCameras : ComputedFrames {
    std::optional<image::Camera> camera(std::size_t) const override {
      ++asked;
      return known;
    }
    mutable int asked = 0;
    std::optional<image::Camera> known;
  };
  const auto supply = std::make_shared<AskedForCameras>();
  supply->num_frames = 1;
  supply->frame_of = [](std::size_t) { return small_frame().frame; };
  supply->config.classes = kTwoClasses;
  const Dataset dataset = Dataset::from_memory(supply);
  image::Preparation preparation;
  preparation.channels = image::ChannelLayout({"lab", "depth"});
  EXPECT_EQ(dataset.camera_note(preparation), "");
  EXPECT_EQ(supply->asked, 0);
  preparation.channels = image::ChannelLayout({"height"});
  testdata::expect_sentence(dataset.camera_note(preparation));
  supply->known = image::Camera{2, 1, 4, 4, 1, 0.5};
  EXPECT_EQ(dataset.camera_note(preparation), "");
  EXPECT_EQ(supply->asked, 2);
}

TEST(InMemoryFrames, AsksForTheSizeWhereItIsNotGiven) {
  const auto supply = std::make_shared<ComputedFrames>();
  supply->num_frames = 1;
  supply->frame_of = [](std::size_t) { return small_frame().frame; };
  supply->config.classes = kTwoClasses;
  EXPECT_EQ(Dataset::from_memory(supply).frame_size(0).cols, 2u);
}

TEST(InMemoryFrames, FramesThatDifferAreNamed) {
  LabelledFrame no_depth = small_frame(), wide_depth = small_frame(), wide_labels = small_frame();
  no_depth.frame.depth_mm = {};
  wide_depth.frame.depth_mm = depth_image(1, 3, {1, 2, 3});
  wide_labels.labels = depth_image(1, 3, {0, 0, 0});
  const Dataset dataset = dataset_of({small_frame(), no_depth, wide_depth, wide_labels, small_frame(2)});
  const image::ClassMap classes{kTwoClasses, {}, {}};
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_frame(1); });
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_frame(2); });
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_labels(3, classes); });
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.read_labels(4, classes); });
}

TEST(InMemoryFrames, ContradictionsAreUsageErrors) {
  testdata::expect_refused(ErrorKind::kUsage, [] { dataset_of({}); });
  testdata::expect_refused(ErrorKind::kUsage, [] { dataset_of({LabelledFrame{}}); });
  testdata::expect_refused(ErrorKind::kUsage, [] { Dataset::from_memory(supply_of({small_frame()}, {})); });
  testdata::expect_refused(ErrorKind::kUsage, [] {
    Dataset::from_memory(supply_of({small_frame()}, {{"a", kRed}, {"b", kRed}}));
  });
  const auto supply = supply_of({small_frame()}, kTwoClasses);
  supply->groups = {1, 2};
  testdata::expect_refused(ErrorKind::kUsage, [&] { Dataset::from_memory(supply); });
}

TEST(InMemoryFrames, ClassesWithoutColorsGetColorsThatDiffer) {
  const std::vector<image::ClassInfo> classes = name_classes(std::vector<std::string>(1000, "c"));
  EXPECT_EQ(classes[0].color, (image::Rgb{128, 0, 0}));
  EXPECT_EQ(classes[6].color, (image::Rgb{128, 128, 128}));
  EXPECT_EQ(classes[7].color, (image::Rgb{64, 0, 0}));
  std::set<std::tuple<int, int, int>> colors = {{0, 0, 0}};
  for (const image::ClassInfo& info : classes) colors.emplace(info.color.r, info.color.g, info.color.b);
  EXPECT_EQ(colors.size(), 1001u);
}

}  // namespace
}  // namespace fernwood::dataset
