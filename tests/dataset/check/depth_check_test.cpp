// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <gmock/gmock.h>

#include <cmath>

#include "dataset/computed_frames.h"
#include "dataset/frame_files.h"
#include "fernwood/core/text.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::IsEmpty;

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

TEST(DepthCheck, AnotherUnitIsWarnedOfWithTheScaleThatMakesARoom) {
  for (const double per_mm : {5.0, 10.0, 8.0, 4.0, 0.1, 0.001})
    testdata::expect_sentence(note_of(stored(room_mm(), per_mm)));
}

TEST(DepthCheck, TellsTheMedianThatAUnitGives) {
  const std::vector<double> wall = {3100, 3100, 3100, 3101, 3099, 3150, 3050};
  for (const double per_mm : {5.0, 0.1}) testdata::expect_sentence(note_of(stored(wall, per_mm)));
}

TEST(DepthCheck, FindsATableOfTumThoughItsMedianIsThatOfAHall) {
  testdata::expect_sentence(note_of(stored(room_mm(500, 1700), 5)));
}

TEST(DepthCheck, TheRemedyIsThatOfWhereDepthComesFrom) {
  testdata::expect_sentence(note_of(stored(room_mm(), 1, DepthOrigin::kFolder, 5)));
  testdata::expect_sentence(note_of(stored(room_mm(), 5, DepthOrigin::kFolder, 5000)));
  testdata::expect_sentence(note_of(stored(room_mm(), 1, DepthOrigin::kFloats)));
  testdata::expect_sentence(note_of(stored(room_mm(), 5, DepthOrigin::kIntegers)));
  testdata::expect_sentence(note_of(stored(room_mm(), 0.001, DepthOrigin::kIntegers)));
  testdata::expect_sentence(note_of(stored(room_mm(), 5, DepthOrigin::kFile)));
  testdata::expect_sentence(note_of(stored(room_mm(), 5, DepthOrigin::kSource)));
}

TEST(DepthCheck, FindsValuesThatAreNoDistances) {
  DepthHistogram disparity(DepthOrigin::kFolder), picture(DepthOrigin::kFolder), normalised(DepthOrigin::kFloats),
      flat(DepthOrigin::kFolder), unknown(DepthOrigin::kFolder);
  for (int value = 400; value < 1050; ++value) disparity.add(value, 10);
  disparity.add(2047, 900);
  for (int value = 0; value < 256; ++value) picture.add(value, 10);
  for (int i = 0; i <= 1000; ++i) normalised.add(i / 1000.0);
  flat.add(1500, 1000);
  unknown.add(0, 1000);
  for (const DepthHistogram* depths : {&disparity, &picture, &normalised, &flat, &unknown})
    testdata::expect_sentence(note_of(*depths));
  testdata::expect_sentence(note_of(stored(room_mm(4000, 6000), 10)));  // all beyond 32.7 m
  EXPECT_THAT(note_of(DepthHistogram(DepthOrigin::kFolder)), IsEmpty());
}

TEST(DepthCheck, FindsAMarkOfUnknownDepthThatIsTakenForADistance) {
  DepthHistogram depths = stored(room_mm(), 5, DepthOrigin::kFolder, 0.2);
  depths.add(65535, 2000);
  testdata::expect_sentence(note_of(depths));
  DepthHistogram known = stored(room_mm(), 5, DepthOrigin::kFolder, 0.2, 65535);
  known.add(65535, 2000);
  EXPECT_THAT(note_of(known), IsEmpty());
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
  testdata::expect_sentence(join(warnings(), "\n"));
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
  image::Frame unknown;
  unknown.depth_mm = Array2<std::uint16_t>(30, 40);
  ComputedFrames integers;
  integers.num_frames = 1;
  integers.has_labels = false;
  integers.frame_of = [unknown](std::size_t) { return unknown; };
  struct Floats : ComputedFrames {
    explicit Floats(const ComputedFrames& same) : ComputedFrames(same) { depth_origin = DepthOrigin::kFloats; }
    void add_depths(std::size_t, DepthHistogram& depths) const override {
      for (int mm = 1000; mm < 5000; ++mm) depths.add(mm);
    }
  };
  for (const std::shared_ptr<ComputedFrames>& supply :
       {std::make_shared<ComputedFrames>(integers), std::shared_ptr<ComputedFrames>(new Floats(integers))})
    testdata::expect_sentence(join(Dataset::from_memory(supply).input_warnings(), "\n"));
}

}  // namespace
}  // namespace fernwood::dataset
