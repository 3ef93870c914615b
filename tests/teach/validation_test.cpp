// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::teach {
namespace {

using testing::ElementsAre;
using testing::Optional;

/// Executes all steps.
std::optional<CrossValidationReport> validation_of(const HeldOutPredictions& held_out, const Project& project) {
  CrossValidation validation(held_out, project);
  while (const auto step = validation.next_step()) step();
  return validation.report();
}

image::Frame grey_frame() { return {Array2<image::Rgb>(8, 16, image::Rgb{9, 9, 9}), {}}; }

/// A stroke over the left or right half of a frame.
Stroke half(std::uint16_t class_id, std::int32_t first_col) {
  const auto at = [](std::int32_t pixels) { return pixels * kStepsPerPixel; };
  return {.tool = Tool::kPolygon,
          .class_id = class_id,
          .points = {{at(first_col), 0}, {at(first_col + 8), 0}, {at(first_col + 8), at(8)}, {at(first_col), at(8)}}};
}

/// Two frames, with floor on the left of both and wall on the right of the first; a third class has no strokes.
class Validated : public testing::Test {
 protected:
  Validated() {
    for (const char* name : {"a", "b"}) project_.add_frame(name, grey_frame());
    project_.add_class("floor", {1, 2, 3});
    project_.add_class("wall", {4, 5, 6});
    project_.add_class("door", {7, 8, 9});
    project_.add_stroke(0, half(0, 0));
    wall_ = project_.add_stroke(0, half(1, 8));
    project_.add_stroke(1, half(0, 0));
  }
  HeldOutPredictions all_floor() const {
    return {project_.version(),
            {0, 1},
            {image::LabelImage(8, 16, 0), image::LabelImage(8, 16, 0)},
            {{true, true, true}, {true, true, true}}};
  }

  dataset::TestFolder folder_;
  Project project_{folder_ / "project"};
  std::uint64_t wall_ = 0;
};

TEST_F(Validated, IsAccuracyByClassAndWhichStrokesArePredictedOtherwise) {
  const auto validation = validation_of(all_floor(), project_);
  ASSERT_TRUE(validation.has_value());
  EXPECT_DOUBLE_EQ(validation->pixel_accuracy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(validation->class_accuracy, 0.5);
  EXPECT_THAT(validation->by_class, ElementsAre(Optional(1.0), Optional(0.0), std::nullopt));
  ASSERT_EQ(validation->suspects.size(), 1u);
  EXPECT_EQ(validation->suspects[0].stroke, wall_);
  EXPECT_EQ(validation->suspects[0].frame, 0u);
  EXPECT_EQ(validation->suspects[0].right, 0.0);
}

TEST_F(Validated, CountsOnlyWhatAStrokeStillGives) {
  project_.add_stroke(0, half(0, 8));  // covers the wall
  project_.add_stroke(1, half(1, 8));
  const auto validation = validation_of(all_floor(), project_);
  ASSERT_TRUE(validation.has_value());
  EXPECT_EQ(validation->pixel_accuracy, 0.75);
  ASSERT_EQ(validation->suspects.size(), 1u);
  EXPECT_EQ(validation->suspects[0].frame, 1u);
}

TEST_F(Validated, LeavesOutAClassThatAForestHasNotLearnt) {
  project_.add_stroke(1, half(1, 8));
  HeldOutPredictions held_out = all_floor();
  held_out.learnt[0][1] = false;  // the wall class in the first frame
  const auto validation = validation_of(held_out, project_);
  ASSERT_TRUE(validation.has_value());
  EXPECT_DOUBLE_EQ(validation->pixel_accuracy, 2.0 / 3);
  ASSERT_EQ(validation->suspects.size(), 1u) << "not the first stroke of the wall";
  EXPECT_EQ(validation->suspects[0].frame, 1u);
  held_out.learnt[1][1] = false;
  EXPECT_FALSE(validation_of(held_out, project_).has_value()) << "one class alone is always right";
}

TEST_F(Validated, LeavesOutStrokesOfADeletedClass) {
  project_.add_stroke(1, half(2, 8));
  project_.delete_class(1);
  const auto validation = validation_of({project_.version(),
                                         {0, 1},
                                         {image::LabelImage(8, 16, 0), image::LabelImage(8, 16, 0)},
                                         {{true, true}, {true, true}}},
                                        project_);
  ASSERT_TRUE(validation.has_value());
  EXPECT_THAT(validation->by_class, ElementsAre(Optional(1.0), Optional(0.0)));
  ASSERT_EQ(validation->suspects.size(), 1u);
  EXPECT_EQ(validation->suspects[0].frame, 1u);
}

TEST_F(Validated, NothingIsSaidOfAnotherVersionOrWithoutStrokes) {
  HeldOutPredictions old = all_floor();
  project_.mark_done(1, true);
  project_.lock_class(0, true);
  EXPECT_TRUE(validation_of(old, project_).has_value()) << "no label changed";
  project_.lock_class(0, false);
  project_.add_stroke(1, half(1, 8));
  EXPECT_FALSE(validation_of(old, project_).has_value());
  project_.add_stroke(0, half(kErase, 0));
  project_.add_stroke(0, half(kErase, 8));
  EXPECT_FALSE(validation_of({project_.version(), {0}, {image::LabelImage(8, 16, 0)}, {{true, true, true}}}, project_)
                   .has_value());
}

}  // namespace
}  // namespace fernwood::teach
