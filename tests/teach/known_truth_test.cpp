// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

image::Frame frame_of_20() {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(4, 5);
  return frame;
}

TEST(KnownTruth, IsDrawnAsRegionsThatCanBeTakenBack) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  project.add_frame("a", frame_of_20());
  project.add_class("wall", {1, 2, 3});
  const auto numbers = take_classes(project, {{"floor", {4, 5, 6}}, {"wall", {7, 8, 9}}, {"door", {9, 9, 9}}});
  EXPECT_EQ(numbers, (std::vector<std::uint16_t>{1, 0, 2}));
  EXPECT_EQ(project.live_classes()[0].color, (image::Rgb{1, 2, 3})) << "a class that is there stays what it is";
  image::LabelImage truth(4, 5, image::kVoid);
  for (std::size_t i = 3; i < 12; ++i) truth.data()[i] = i % 2;
  draw_truth(project, 0, truth, numbers);
  EXPECT_EQ(project.num_strokes(0), 2u) << "there is no door";
  const image::LabelImage labels = project.labels(0);
  for (std::size_t i = 0; i < truth.size(); ++i)
    EXPECT_EQ(labels.data()[i], truth.data()[i] == image::kVoid ? image::kVoid : numbers[truth.data()[i]]) << i;
  project.undo(0);
  project.undo(0);
  EXPECT_EQ(project.labels(0), image::LabelImage(4, 5, image::kVoid));
}

TEST(KnownTruth, WhatAKilledRunHadBegunGoesOn) {
  const dataset::TestFolder folder;
  image::LabelImage truth(4, 5, image::kVoid), begun = truth;
  for (std::size_t i = 0; i < 12; ++i) truth.data()[i] = i / 4;
  for (std::size_t i = 0; i < 4; ++i) begun.data()[i] = 0;
  const auto numbers = [](Project& project) {
    return take_classes(project, {{"floor", {4, 5, 6}}, {"wall", {7, 8, 9}}, {"door", {9, 9, 9}}});
  };
  {
    Project project(folder / "p");
    project.add_frame("a", frame_of_20());
    const auto classes = numbers(project);
    EXPECT_FALSE(has_drawn_truth(project, 0, 3));
    draw_truth(project, 0, begun, classes);
    project.undo(0);
  }
  Project project(folder / "p");
  EXPECT_TRUE(has_drawn_truth(project, 0, 3));
  draw_truth(project, 0, truth, numbers(project));
  draw_truth(project, 0, truth, numbers(project));
  EXPECT_EQ(project.num_strokes(0), 2u) << "the floor was taken back, and nothing is drawn twice";
}

TEST(KnownTruth, RefusesMoreClassesThanCanBeLearntBeforeImportingAny) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  std::vector<image::ClassInfo> classes;
  for (int i = 0; i < 128; ++i) classes.push_back({std::to_string(i), {static_cast<std::uint8_t>(i + 1), 0, 0}});
  testdata::expect_refused(ErrorKind::kUsage, [&] { take_classes(project, classes); });
  EXPECT_TRUE(project.classes().empty());
  classes.pop_back();
  take_classes(project, classes);
  EXPECT_EQ(take_classes(project, classes).size(), 127u) << "none of them is new";
}

TEST(KnownTruth, AColourThatIsTakenIsTold) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  project.add_class("wall", {1, 2, 3});
  testdata::expect_refused(ErrorKind::kUsage, [&] { take_classes(project, {{"floor", {1, 2, 3}}}); });
}

}  // namespace
}  // namespace fernwood::teach
