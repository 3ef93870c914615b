// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fernwood/predict/live.h"
#include "map/mapped_room.h"

namespace fernwood::map {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Reports for each frame a motion from the previous one.
class FollowingPredictor : public WallPredictor {
 public:
  std::optional<predict::SteadyFrame> last_steady() const override {
    return predict::SteadyFrame{.motion = image::RigidMotion(), .followed = 1};
  }
};

class WarnedOutput : public predict::LiveOutput {
 public:
  bool show(const predict::LiveFrame&, const predict::LiveReport&) override { return true; }
  void warn(const OptionSentence& sentence) override { warnings.push_back(sentence.on_command_line()); }

  std::vector<std::string> warnings;
};

/// Warnings of a run over frames whose reported poses are those of `tell`.
template <typename Tell>
std::vector<std::string> warnings_of_run(predict::Predictor& predictor, const Tell& tell, int num_frames = 70) {
  const auto source = std::make_shared<RoomSource>(true);
  for (int i = 0; i < num_frames; ++i) {
    const image::RigidMotion pose = room_pose(0.01f * static_cast<float>(i % 70) - 0.4f, 0, 0);
    source->add(pose, tell(i, pose));
  }
  WarnedOutput output;
  run_live(source, predictor, {output}, {.capture = {.every_frame = true}});
  return output.warnings;
}

image::RigidMotion as_it_is(int, const image::RigidMotion& pose) { return pose; }

image::RigidMotion in_other_units(int, image::RigidMotion pose) {
  pose.translation.x *= 3;
  return pose;
}

TEST(SteadyPoses, PosesThatFitDepthAreNoMatter) {
  FollowingPredictor predictor;
  EXPECT_THAT(warnings_of_run(predictor, as_it_is), IsEmpty());
}

TEST(SteadyPoses, PosesInOtherUnitsThanDepthAreToldOnceWithTheNumber) {
  FollowingPredictor predictor;
  EXPECT_THAT(warnings_of_run(predictor, in_other_units),
              ElementsAre(testing::AllOf(HasSubstr("room: the camera moves 3."),
                                         HasSubstr(" times as far by its poses as by depth"))));
}

TEST(SteadyPoses, AreToldOnceOfALongRunToo) {
  FollowingPredictor predictor;
  EXPECT_THAT(warnings_of_run(predictor, as_it_is, 260), IsEmpty());
  EXPECT_THAT(warnings_of_run(predictor, in_other_units, 260), testing::SizeIs(1));
}

TEST(SteadyPoses, PosesOfAnotherRoomAreToldOnce) {
  FollowingPredictor predictor;
  const auto elsewhere = [](int index, image::RigidMotion pose) {
    pose.translation.z = index % 2 == 0 ? 0.0f : 1.0f;
    return pose;
  };
  EXPECT_THAT(warnings_of_run(predictor, elsewhere), testing::Contains(HasSubstr("poses and depth disagree: only")));
}

TEST(SteadyPoses, NobodyAsksWhereLabelsAreThoseOfFramesAlone) {
  WallPredictor predictor;
  EXPECT_THAT(warnings_of_run(predictor, in_other_units), IsEmpty());
}

}  // namespace
}  // namespace fernwood::map
