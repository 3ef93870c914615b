// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::teach {
namespace {

using testing::ElementsAre;
using testing::Optional;

image::Frame grey_frame() { return {Array2<image::Rgb>(8, 16, image::Rgb{9, 9, 9}), {}}; }

/// The whole left or right half of a frame.
Stroke half(std::uint16_t gives, std::int32_t first_col) {
  const auto at = [](std::int32_t pixels) { return pixels * kStepsPerPixel; };
  return {.tool = Tool::kPolygon,
          .gives = gives,
          .points = {{at(first_col), 0}, {at(first_col + 8), 0}, {at(first_col + 8), at(8)}, {at(first_col), at(8)}}};
}

/// Two frames, floor on the left, and on the first wall on the right; a class of which nothing was drawn.
class Judged : public testing::Test {
 protected:
  Judged() {
    for (const char* name : {"a", "b"}) project_.add_frame(name, grey_frame());
    project_.add_class("floor", {1, 2, 3});
    project_.add_class("wall", {4, 5, 6});
    project_.add_class("door", {7, 8, 9});
    project_.add_stroke(0, half(0, 0));
    wall_ = project_.add_stroke(0, half(1, 8));
    project_.add_stroke(1, half(0, 0));
  }
  Judgement all_floor() const {
    return {project_.version(),
            {0, 1},
            {image::LabelImage(8, 16, 0), image::LabelImage(8, 16, 0)},
            {{true, true, true}, {true, true, true}}};
  }

  dataset::TestFolder folder_;
  Project project_{folder_ / "project"};
  std::uint64_t wall_ = 0;
};

TEST_F(Judged, IsAccuracyByClassAndWhichStrokesAreSeenOtherwise) {
  const auto verdict = verdict_of(all_floor(), project_);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_DOUBLE_EQ(verdict->pixel_accuracy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(verdict->class_accuracy, 0.5);
  EXPECT_THAT(verdict->by_class, ElementsAre(Optional(1.0), Optional(0.0), std::nullopt));
  ASSERT_EQ(verdict->doubtful.size(), 1u);
  EXPECT_EQ(verdict->doubtful[0].stroke, wall_);
  EXPECT_EQ(verdict->doubtful[0].frame, 0u);
  EXPECT_EQ(verdict->doubtful[0].right, 0.0);
}

TEST_F(Judged, OnlyWhatAStrokeStillGivesIsJudged) {
  project_.add_stroke(0, half(0, 8));  // over the wall
  project_.add_stroke(1, half(1, 8));
  const auto verdict = verdict_of(all_floor(), project_);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->pixel_accuracy, 0.75);
  ASSERT_EQ(verdict->doubtful.size(), 1u);
  EXPECT_EQ(verdict->doubtful[0].frame, 1u);
}

TEST_F(Judged, AClassIsNotJudgedByAForestThatHasNotLearntIt) {
  project_.add_stroke(1, half(1, 8));
  Judgement judgement = all_floor();
  judgement.learnt[0][1] = false;  // the wall of the first frame
  const auto verdict = verdict_of(judgement, project_);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_DOUBLE_EQ(verdict->pixel_accuracy, 2.0 / 3);
  ASSERT_EQ(verdict->doubtful.size(), 1u) << "not the first stroke of the wall";
  EXPECT_EQ(verdict->doubtful[0].frame, 1u);
  judgement.learnt[1][1] = false;
  EXPECT_FALSE(verdict_of(judgement, project_).has_value()) << "one class alone is always right";
}

TEST_F(Judged, StrokesOfADeletedClassAreNotJudged) {
  project_.add_stroke(1, half(2, 8));
  project_.delete_class(1);
  const auto verdict = verdict_of({project_.version(),
                                   {0, 1},
                                   {image::LabelImage(8, 16, 0), image::LabelImage(8, 16, 0)},
                                   {{true, true}, {true, true}}},
                                  project_);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_THAT(verdict->by_class, ElementsAre(Optional(1.0), Optional(0.0)));
  ASSERT_EQ(verdict->doubtful.size(), 1u);
  EXPECT_EQ(verdict->doubtful[0].frame, 1u);
}

TEST_F(Judged, NothingIsSaidOfAnotherVersionOrWithoutStrokes) {
  Judgement old = all_floor();
  project_.mark_done(1, true);
  project_.lock_class(0, true);
  EXPECT_TRUE(verdict_of(old, project_).has_value()) << "no label changed";
  project_.lock_class(0, false);
  project_.add_stroke(1, half(1, 8));
  EXPECT_FALSE(verdict_of(old, project_).has_value());
  project_.add_stroke(0, half(kErases, 0));
  project_.add_stroke(0, half(kErases, 8));
  EXPECT_FALSE(
      verdict_of({project_.version(), {0}, {image::LabelImage(8, 16, 0)}, {{true, true, true}}}, project_).has_value());
}

}  // namespace
}  // namespace fernwood::teach
