// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <gmock/gmock.h>

#include <cmath>

#include "dataset/frame_files.h"

namespace fernwood::dataset {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Depths of a room in millimetres: 1 to 5 m by default, in steps that grow with the depth like a Kinect's.
/// @param nearest, farthest  In millimetres.
std::vector<double> room_mm(double nearest = 1000, double farthest = 5000) {
  std::vector<double> depths;
  for (double mm = nearest; mm < farthest; mm += std::max(1.0, mm * mm * 2e-6)) depths.push_back(std::floor(mm));
  return depths;
}

/// @param per_mm  Stored units per millimetre.
DepthHistogram stored(const std::vector<double>& room, double per_mm, DepthOrigin origin = DepthOrigin::kFolder,
                      double to_mm = 1, int missing = 0) {
  DepthHistogram depths(origin, to_mm, missing);
  for (const double mm : room)
    depths.add(origin == DepthOrigin::kFloats ? static_cast<float>(mm * per_mm) : std::round(mm * per_mm), 10);
  return depths;
}

std::string note_of(const DepthHistogram& depths) { return depths.note("data"); }

TEST(DepthCheck, SaysNothingOfRoomsAndOfWhatLiesOnATable) {
  EXPECT_THAT(note_of(stored(room_mm(), 1)), IsEmpty());
  EXPECT_THAT(note_of(stored(room_mm(350, 600), 1)), IsEmpty()) << "a median of 0.45 m";
  EXPECT_THAT(note_of(stored(room_mm(2000, 9900), 1)), IsEmpty()) << "a hall";
  EXPECT_THAT(note_of(stored(room_mm(), 5, DepthOrigin::kFolder, 0.2)), IsEmpty()) << "a scale that is right";
  EXPECT_THAT(note_of(stored(room_mm(), 0.001, DepthOrigin::kFloats)), IsEmpty());
  DepthHistogram with_mark = stored(room_mm(), 1);
  with_mark.add(65535, 3000);  // unknown, because it is beyond the largest known depth
  EXPECT_THAT(note_of(with_mark), IsEmpty());
}

struct Case {
  double per_mm;
  const char* remedy;
};
class DepthUnits : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(OfFolders, DepthUnits,
                         testing::Values(Case{5, "set depth_scale = 0.2 in dataset.toml"},
                                         Case{10, "set depth_scale = 0.1 in dataset.toml"},
                                         Case{8, "set depth_scale = 0.125 in dataset.toml"},
                                         Case{4, "set depth_scale = 0.25 in dataset.toml"},
                                         Case{0.1, "set depth_scale = 10 in dataset.toml"},
                                         Case{0.001, "set depth_scale = 1000 in dataset.toml"}));

TEST_P(DepthUnits, OfAnotherUnitAreWarnedOfWithTheScaleThatMakesARoom) {
  const std::string note = note_of(stored(room_mm(), GetParam().per_mm));
  EXPECT_THAT(note, AllOf(testing::StartsWith("data: the median depth is "), HasSubstr(GetParam().remedy)));
  EXPECT_LT(note.find(GetParam().remedy), note.find(" or set ")) << note;  // proposed first
}

TEST(DepthCheck, TellsTheMedianThatAUnitGives) {
  const std::vector<double> wall = {3100, 3100, 3100, 3101, 3099, 3150, 3050};
  EXPECT_THAT(note_of(stored(wall, 5)),
              AllOf(HasSubstr("the median depth is 15.5 m"), HasSubstr("(a median of 3.1 m)")));
  EXPECT_THAT(note_of(stored(wall, 0.1)), HasSubstr("the median depth is 0.31 m"));
}

TEST(DepthCheck, FindsATableOfTumThoughItsMedianIsThatOfAHall) {
  EXPECT_THAT(note_of(stored(room_mm(500, 1700), 5)), HasSubstr("all values are multiples of 5"));
}

TEST(DepthCheck, AWrongScaleIsWarnedOfWithTheOneOfMillimetres) {
  EXPECT_THAT(note_of(stored(room_mm(), 1, DepthOrigin::kFolder, 5)), HasSubstr("set depth_scale = 1 in dataset.toml"));
  EXPECT_THAT(note_of(stored(room_mm(), 5, DepthOrigin::kFolder, 5000)), HasSubstr("set depth_scale = 0.2"));
}

TEST(DepthCheck, TheRemedyIsThatOfWhereDepthComesFrom) {
  EXPECT_THAT(note_of(stored(room_mm(), 1, DepthOrigin::kFloats)), HasSubstr("multiply them by 0.001 if"));
  EXPECT_THAT(note_of(stored(room_mm(), 5, DepthOrigin::kIntegers)), HasSubstr("multiply them by 0.2 if"));
  EXPECT_THAT(note_of(stored(room_mm(), 0.001, DepthOrigin::kIntegers)), HasSubstr("multiply them by 1000 if"));
  EXPECT_THAT(note_of(stored(room_mm(), 5, DepthOrigin::kFile)), HasSubstr("give its folder as --data"));
  EXPECT_THAT(note_of(stored(room_mm(), 5, DepthOrigin::kSource)), HasSubstr("the recording's dataset.toml"));
}

TEST(DepthCheck, FindsValuesThatAreNoDistances) {
  DepthHistogram disparity(DepthOrigin::kFolder);
  for (int value = 400; value < 1050; ++value) disparity.add(value, 10);
  disparity.add(2047, 900);
  EXPECT_THAT(note_of(disparity), HasSubstr("raw disparities of a Kinect"));

  DepthHistogram picture(DepthOrigin::kFolder);
  for (int value = 0; value < 256; ++value) picture.add(value, 10);
  EXPECT_THAT(note_of(picture), HasSubstr("end at 255, as of a picture of depth"));

  DepthHistogram normalised(DepthOrigin::kFloats);
  for (int i = 0; i <= 1000; ++i) normalised.add(i / 1000.0);
  EXPECT_THAT(note_of(normalised), HasSubstr("normalised"));

  DepthHistogram flat(DepthOrigin::kFolder);
  flat.add(1500, 1000);
  EXPECT_THAT(note_of(flat), HasSubstr("all depths are the same, 1.5 m"));
}

TEST(DepthCheck, FindsAMarkOfUnknownDepthThatIsTakenForADistance) {
  DepthHistogram depths = stored(room_mm(), 5, DepthOrigin::kFolder, 0.2);
  depths.add(65535, 2000);
  EXPECT_THAT(note_of(depths), AllOf(HasSubstr("65535, taken for 13.1 m"), HasSubstr("depth_missing = 65535")));
  DepthHistogram known = stored(room_mm(), 5, DepthOrigin::kFolder, 0.2, 65535);
  known.add(65535, 2000);
  EXPECT_THAT(note_of(known), IsEmpty());
}

TEST(DepthCheck, EverythingUnknownIsWarnedOf) {
  DepthHistogram depths(DepthOrigin::kFolder);
  depths.add(0, 1000);
  EXPECT_THAT(note_of(depths), HasSubstr("every depth is unknown"));
  EXPECT_THAT(note_of(stored(room_mm(4000, 6000), 10)), HasSubstr("set depth_scale = 0.1")) << "all beyond 32.7 m";
  EXPECT_THAT(note_of(DepthHistogram(DepthOrigin::kFolder)), IsEmpty());
}

TEST(InputWarnings, AFewFramesOfAFolderTellItsUnit) {
  const TestFolder folder;
  std::vector<std::uint16_t> depth;
  for (int i = 0; i < 1200; ++i) depth.push_back(static_cast<std::uint16_t>(5 * (1500 + 2 * i)));
  for (const char* name : {"a", "b", "c"}) {
    add_color(folder, name, 40, 30, {1, 2, 3});
    write_png16(folder / (std::string(name) + "_depth.png"), depth_image(30, 40, depth));
  }
  const auto warnings = [&] {
    return Dataset::open(folder.path(), {.ignored_colors = {}, .needs_truth = false}).input_warnings();
  };
  EXPECT_THAT(warnings(),
              testing::ElementsAre(AllOf(HasSubstr(folder.path().string()), HasSubstr("depth_scale = 0.2"))));
  folder.write("dataset.toml", std::string("depth_scale = 0.2\n"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST(InputWarnings, ADamagedFrameIsForThoseWhoReadIt) {
  const TestFolder folder;
  add_color(folder, "a", 2, 2, {1, 2, 3});
  folder.write("a_depth.png", std::string("no image"));
  EXPECT_THAT(Dataset::open(folder.path(), {.ignored_colors = {}, .needs_truth = false}).input_warnings(), IsEmpty());
}

TEST(InputWarnings, MemoryIsComparedWithWhatWasGiven) {
  InMemoryFrames supply;
  supply.num_frames = 1;
  supply.frame = [](std::size_t) {
    image::Frame frame;
    frame.depth_mm = Array2<std::uint16_t>(30, 40);
    return frame;
  };
  EXPECT_THAT(Dataset::from_memory(supply).input_warnings(), testing::ElementsAre(HasSubstr("every depth is unknown")));
  supply.depth_origin = DepthOrigin::kFloats;
  supply.add_depths = [](std::size_t, DepthHistogram& depths) {
    for (int mm = 1000; mm < 5000; ++mm) depths.add(mm);
  };
  EXPECT_THAT(Dataset::from_memory(supply).input_warnings(), testing::ElementsAre(HasSubstr("by 0.001 if")));
}

}  // namespace
}  // namespace fernwood::dataset
