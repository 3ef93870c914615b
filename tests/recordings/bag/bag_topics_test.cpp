// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_topics.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "recordings/bag/bag_writer.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

struct Chosen {
  std::string color, depth, notes;
};
/// @param topics  Names and encodings of raw image topics.
Chosen choose(const std::vector<std::pair<std::string, std::string>>& topics) {
  std::vector<TestTopic> recorded;
  for (const auto& [name, encoding] : topics)
    recorded.push_back({name, "sensor_msgs/msg/Image", {{1, image_message({.encoding = encoding, .data = Bytes(8)})}}});
  const TestFolder folder;
  const Bag bag(folder.write("a.mcap", mcap_bytes(recorded)));
  const ChosenTopics chosen = choose_topics(bag, image_topics_of(bag), {});
  Chosen names{chosen.color ? chosen.color->name : "", chosen.depth ? chosen.depth->name : "", ""};
  for (const std::string& note : chosen.notes) names.notes += note;
  return names;
}

TEST(BagTopics, AlignedDepthComesBeforeOtherDepth) {
  EXPECT_EQ(choose({{"/camera/color/image_raw", "rgb8"},
                    {"/camera/depth/image_rect_raw", "16UC1"},
                    {"/camera/aligned_depth_to_color/image_raw", "16UC1"}})
                .depth,
            "/camera/aligned_depth_to_color/image_raw");
  EXPECT_EQ(choose({{"/camera/depth/image", "32FC1"}, {"/camera/depth_registered/image", "32FC1"}}).depth,
            "/camera/depth_registered/image");
}

TEST(BagTopics, InfraredIsNeitherDepthNorColourWhereThereIsBetter) {
  const Chosen chosen = choose({{"/camera/infra1/image_rect_raw", "mono8"},
                                {"/camera/color/image_raw", "bgr8"},
                                {"/camera/ir/image_raw", "mono16"},
                                {"/camera/depth/image_raw", "16UC1"}});
  EXPECT_EQ(chosen.color, "/camera/color/image_raw");
  EXPECT_EQ(chosen.depth, "/camera/depth/image_raw");
}

TEST(BagTopics, OfSeveralCamerasColourAndDepthAreOfOne) {
  const Chosen chosen = choose(
      {{"/front/color/image_raw", "rgb8"}, {"/rear/color/image_raw", "rgb8"}, {"/rear/depth/image_raw", "16UC1"}});
  EXPECT_EQ(chosen.color, "/rear/color/image_raw");
  testdata::expect_sentence(chosen.notes);
}

TEST(BagTopics, LabelsAreNeitherColourNorDepth) {
  const Chosen depth_only = choose({{"/camera/depth/image_raw", "16UC1"},
                                    {"/segmentation/mask", "mono8"},
                                    {"/segmentation/confidence", "mono8"},
                                    {"/label_image", "rgb8"}});
  EXPECT_EQ(depth_only.color, "");
  EXPECT_EQ(depth_only.depth, "/camera/depth/image_raw");
  EXPECT_EQ(choose({{"/camera/color/image_raw", "rgb8"}, {"/camera/labels", "16UC1"}}).depth, "");
  EXPECT_EQ(choose({{"/segmentation/camera/color/image_raw", "rgb8"}}).color, "/segmentation/camera/color/image_raw");
}

TEST(BagTopics, EqualTopicsAreTakenByName) {
  EXPECT_EQ(choose({{"/b/color", "rgb8"}, {"/a/color", "rgb8"}}).color, "/a/color");
}

TEST(BagTopics, ImagesThatAreNotReadAreNamedWithTheirEncodingAndTheRemedy) {
  const Chosen chosen = choose({{"/camera/image_raw", "rgb16"}, {"/camera/depth", "16UC1"}});
  EXPECT_EQ(chosen.depth, "/camera/depth");
  testdata::expect_sentence(chosen.notes);
}

TEST(BagTopics, GreyStandsForColourAndIsTold) {
  const Chosen chosen = choose({{"/camera/image_raw", "mono8"}});
  EXPECT_EQ(chosen.color, "/camera/image_raw");
  testdata::expect_sentence(chosen.notes);
}

}  // namespace
}  // namespace fernwood::recordings
