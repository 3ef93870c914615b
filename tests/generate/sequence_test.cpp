// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/generate/generate.h"
#include "fernwood/recordings/frame_source.h"
#include "generate/furnish.h"
#include "generate/scene.h"
#include "image/registration.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::generate {
namespace {

namespace fs = std::filesystem;

GenerateOptions sequence_options(int frames, int moving_things = 0) {
  GenerateOptions options;
  options.frames = 2;
  options.test_frames = 1;
  options.sequence = frames;
  options.moving_things = moving_things;
  options.width = 160;
  options.height = 120;
  return options;
}

template <typename T>
std::string sequence_checksum(const Array2<T>& image) {
  return to_hex(checksum(image.data(), image.size() * sizeof(T)));
}

/// Agreement of depths and labels at the places that two frames both see.
struct Agreement {
  std::size_t num_seen = 0, num_fit = 0, num_labelled = 0, num_same = 0;

  void add(const SyntheticFrame& before, const SyntheticFrame& now) {
    const image::DepthView view = image::depth_view(now.frame), earlier = image::depth_view(before.frame);
    const image::RigidMotion back = image::then(now.pose, image::inverse(before.pose));
    for (std::size_t row = 0; row < view.depth_mm.rows(); row += 2)
      for (std::size_t col = 0; col < view.depth_mm.cols(); col += 2) {
        if (view.depth_mm(row, col) == 0) continue;
        const image::Vector3 place = back(view.place(row, col));
        const auto pixel = earlier.pixel(place);
        if (!pixel || earlier.depth_mm((*pixel)[0], (*pixel)[1]) == 0) continue;
        ++num_seen;
        if (!earlier.visible_pixel(place)) continue;
        ++num_fit;
        const std::uint16_t label = now.labels(row, col), other = before.labels((*pixel)[0], (*pixel)[1]);
        if (label == image::kVoid || other == image::kVoid) continue;
        ++num_labelled;
        num_same += label == other;
      }
  }
  double fit() const { return static_cast<double>(num_fit) / static_cast<double>(num_seen); }
  double same() const { return static_cast<double>(num_same) / static_cast<double>(num_labelled); }
};

TEST(GenerateSequence, SameSeedSameBytesOnEveryMachine) {
  const GenerateOptions options = sequence_options(9, 3);
  const SyntheticFrame a = generate_sequence_frame(options, 1, 8), b = generate_sequence_frame(options, 1, 8);
  EXPECT_EQ(a.frame.color, b.frame.color);
  EXPECT_EQ(a.frame.depth_mm, b.frame.depth_mm);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.pose, b.pose);
  // Fixed when sequences were written: a change of these checksums changes the data sets of all users.
  EXPECT_EQ(sequence_checksum(a.frame.color), "dfb0598a1cc105a0");
  EXPECT_EQ(sequence_checksum(a.frame.depth_mm), "3f572491aa22023b");
  EXPECT_EQ(sequence_checksum(a.labels), "bd1c459907e45558");
}

TEST(GenerateSequence, PosesFitDepthAndTruthOfFramesThatFollowEachOther) {
  const GenerateOptions options = sequence_options(4);
  for (std::uint32_t room = 0; room < 4; ++room) {
    Agreement agreement;
    for (std::uint32_t frame = 1; frame < 4; ++frame)
      agreement.add(generate_sequence_frame(options, room, frame - 1), generate_sequence_frame(options, room, frame));
    EXPECT_GT(agreement.fit(), 0.9) << "room " << room;
    EXPECT_GT(agreement.same(), 0.98) << "room " << room;
    EXPECT_GT(agreement.num_seen, 3u * 80 * 60 / 2) << "room " << room;
  }
}

TEST(GenerateSequence, PosesOfOtherFramesDoNotFit) {
  const GenerateOptions options = sequence_options(21);
  const SyntheticFrame first = generate_sequence_frame(options, 0, 0);
  SyntheticFrame last = generate_sequence_frame(options, 0, 20);
  Agreement right, wrong;
  right.add(first, last);
  last.pose = first.pose;
  wrong.add(first, last);
  EXPECT_GT(right.fit(), wrong.fit() + 0.2);
}

TEST(GenerateSequence, CameraMovesAsInAHand) {
  double sum_m = 0, sum_degrees = 0, most_m = 0;
  int count = 0;
  for (std::uint32_t room = 0; room < 5; ++room) {
    const Scene scene = make_scene(1, room, 160, 120);
    for (int i = 0; i < 300; ++i) {
      const float time_s = static_cast<float>(i) / 30;
      const Camera before = held_camera(scene.camera, 1, room, time_s);
      const Camera now = held_camera(scene.camera, 1, room, time_s + 1.0f / 30);
      const double step_m = length(now.position - before.position);
      sum_m += step_m;
      most_m = std::max(most_m, step_m);
      const float traces = dot(before.right, now.right) + dot(before.down, now.down) + dot(before.forward, now.forward);
      sum_degrees += std::acos(std::min(1.0f, 0.5f * (traces - 1))) * 57.3;
      ++count;
      EXPECT_LT(std::abs(now.position.x), scene.room.half_width);
      EXPECT_GT(now.position.z, 0);
      EXPECT_NEAR(dot(now.right, now.down), 0, 1e-5);
      EXPECT_NEAR(dot(now.forward, now.forward), 1, 1e-5);
    }
  }
  EXPECT_NEAR(30 * sum_m / count, 0.27, 0.08);
  EXPECT_NEAR(30 * sum_degrees / count, 16, 6);
  EXPECT_LT(30 * most_m, 1.0) << "a smooth curve has no jumps";
}

TEST(GenerateSequence, PoseLeadsToTheRoomByARotation) {
  const Camera camera = held_camera(make_scene(2, 3, 160, 120).camera, 2, 3, 1.7f);
  const image::RigidMotion pose = pose_of(camera);
  // 2 m ahead, 1 m to the right, 0.5 m down; in room coordinates, x is right, y is into the room and z is up.
  const Vec3 place = camera.position + camera.right * 1.0f + camera.down * 0.5f + camera.forward * 2.0f;
  const image::Vector3 found = pose({1.0f, 0.5f, 2.0f});
  EXPECT_NEAR(found.x, place.x, 1e-5);
  EXPECT_NEAR(found.y, place.z, 1e-5);
  EXPECT_NEAR(found.z, place.y, 1e-5);
  const auto& [x, y, z] = pose.rotation;
  const double determinant =
      x.x * (y.y * z.z - y.z * z.y) - x.y * (y.x * z.z - y.z * z.x) + x.z * (y.x * z.y - y.y * z.x);
  EXPECT_NEAR(determinant, 1, 1e-5) << "-1 would be a mirror";
}

TEST(GenerateSequence, NoiseIsOfTheFrameAndFpsChangesTheWayBetweenFrames) {
  GenerateOptions options = sequence_options(4);
  options.fps = 1000;  // no visible motion
  const SyntheticFrame first = generate_sequence_frame(options, 0, 0), second = generate_sequence_frame(options, 0, 1);
  EXPECT_NE(first.frame.depth_mm, second.frame.depth_mm);
  EXPECT_NE(first.frame.color, second.frame.color);
  std::size_t num_same = 0;
  for (std::size_t i = 0; i < first.labels.size(); ++i) num_same += first.labels.data()[i] == second.labels.data()[i];
  EXPECT_GT(num_same, first.labels.size() * 98 / 100);
  options.fps = 5;
  EXPECT_EQ(generate_sequence_frame(options, 0, 1).pose,
            pose_of(held_camera(make_scene(options.seed, 0, 160, 120).camera, options.seed, 0, 0.2f)));
}

TEST(GenerateSequence, ThingsMoveAndRestAndTruthKnows) {
  GenerateOptions options = sequence_options(60, 4);
  const Scene scene = make_scene(options.seed, 1, 160, 120);
  const std::vector<MovingThing> things = draw_moving_things(scene, options, 1);
  ASSERT_EQ(things.size(), 4u);
  std::set<int> classes;
  for (const MovingThing& thing : things) {
    classes.insert(thing.model.label);
    const auto place = [&](float time_s) { return thing.pose_at(time_s).origin; };
    const float leg_s = thing.move_s + thing.rest_s, start_s = 2 * leg_s - thing.begin_s;  // start of a leg
    EXPECT_NEAR(length(place(start_s) - thing.from), 0, 1e-3);
    EXPECT_NEAR(length(place(start_s + thing.move_s) - thing.to), 0, 1e-3);
    EXPECT_EQ(length(place(start_s + leg_s - 0.01f) - place(start_s + leg_s - 0.7f)), 0) << "it rests";
    EXPECT_NEAR(length(place(start_s + leg_s + thing.move_s) - thing.from), 0, 1e-3) << "and goes back";
  }
  EXPECT_EQ(classes, (std::set<int>{kBox, kBall, kBottle, kChair}));
  // The camera's path is the same with and without moving things; the truth differs at their places.
  const SyntheticFrame with = generate_sequence_frame(options, 1, 10);
  options.moving_things = 0;
  const SyntheticFrame without = generate_sequence_frame(options, 1, 10);
  EXPECT_EQ(with.pose, without.pose);
  std::set<int> added;
  for (std::size_t i = 0; i < with.labels.size(); ++i)
    if (with.labels.data()[i] != without.labels.data()[i]) added.insert(with.labels.data()[i]);
  EXPECT_TRUE(added.contains(kBox) || added.contains(kBall) || added.contains(kChair) || added.contains(kBottle));
}

TEST(GenerateSequence, MovingThingsHaveTheClassesOfTheSet) {
  GenerateOptions options = sequence_options(5, 4);
  for (const SceneClasses classes : kSceneClasses) {
    options.classes = classes;
    const SyntheticFrame made = generate_sequence_frame(options, 0, 4);
    for (const std::uint16_t label : made.labels)
      EXPECT_TRUE(label == image::kVoid || label < generated_classes(options).size()) << to_string(classes);
  }
}

TEST(GenerateSequence, AnObjectHasOneNumberInAllFrames) {
  GenerateOptions options = sequence_options(1);
  options.moving_things = 3;
  std::map<std::uint16_t, std::uint16_t> label_of;  // [instance]
  std::size_t num_seen_again = 0;
  for (const std::uint32_t frame : {0u, 10u, 20u}) {
    const SyntheticFrame made = generate_sequence_frame(options, 1, frame);
    for (std::size_t i = 0; i < made.labels.size(); ++i) {
      const std::uint16_t instance = made.instances.data()[i];
      if (instance == image::kNoInstance) continue;
      const auto [known, is_new] = label_of.emplace(instance, made.labels.data()[i]);
      EXPECT_EQ(known->second, made.labels.data()[i]);
      num_seen_again += !is_new && frame > 0;
    }
  }
  EXPECT_GT(label_of.size(), 3u);
  EXPECT_GT(num_seen_again, 100u);
}

TEST(GenerateSequenceDataset, OneAndTwoThreadsWriteTheSameFilesAndRoomsAreRecordings) {
  GenerateOptions options = sequence_options(3, 1);
  options.width = 48;
  options.height = 36;
  const testdata::TestFolder temporary;
  const fs::path one = temporary / "one", two = temporary / "two";
  ThreadPool single(1), pair(2);
  generate_dataset(one, options, single);
  generate_dataset(two, options, pair);
  int num_files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(one)) {
    if (entry.is_directory()) continue;
    ++num_files;
    EXPECT_EQ(read_file(entry.path()), read_file(two / fs::relative(entry.path(), one))) << entry.path();
  }
  EXPECT_EQ(num_files, 3 * (3 * 4 + 2) + 2);  // images, times and poses of three rooms; dataset.toml in two splits

  const auto source = formats::open_source("frames:" + (one / "test" / "room0002").string());
  EXPECT_TRUE(source->has_camera());
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const auto captured = source->next();
    ASSERT_TRUE(captured.has_value());
    EXPECT_EQ(captured->name, "frame000" + std::to_string(frame));
    EXPECT_NEAR(captured->time_s, 0.1 * frame, 1e-6);
    const SyntheticFrame made = generate_sequence_frame(options, 2, frame);
    EXPECT_EQ(captured->frame->depth_mm, made.frame.depth_mm);
    ASSERT_TRUE(captured->pose.has_value());
    const image::Vector3 place = (*captured->pose)({1, 2, 3}), expected = made.pose({1, 2, 3});
    EXPECT_NEAR(place.x, expected.x, 1e-5);
    EXPECT_NEAR(place.y, expected.y, 1e-5);
    EXPECT_NEAR(place.z, expected.z, 1e-5);
  }
  EXPECT_FALSE(source->next().has_value());
  const std::string poses = read_text(one / "test" / "room0002" / "poses.txt");
  EXPECT_EQ(std::ranges::count(poses, '\n'), 4);
}

TEST(GenerateSequenceDataset, ASplitIsReadAsOneSetWhoseRoomsAreGroups) {
  GenerateOptions options = sequence_options(2);
  options.width = 48;
  options.height = 36;
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  ThreadPool pool(2);
  generate_dataset(folder, options, pool);
  const dataset::Dataset train = dataset::Dataset::open(folder, {}, "train");
  ASSERT_EQ(train.size(), 4u);
  EXPECT_EQ(train.files(3).name, "room0001_frame0001");
  EXPECT_EQ(train.groups(), (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(train.config().classes, synthetic_classes().classes);
  EXPECT_EQ(train.read_labels(3, synthetic_classes()), generate_sequence_frame(options, 1, 1).labels);
  EXPECT_TRUE(dataset::Dataset::open(folder / "train" / "room0000").groups().empty()) << "all of one room";
}

TEST(GenerateSequenceDataset, RepeatsItselfButDoesNotMixWithOtherFiles) {
  GenerateOptions options = sequence_options(2);
  options.width = 48;
  options.height = 36;
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  ThreadPool pool(2);
  generate_dataset(folder, options, pool);
  EXPECT_NO_THROW(generate_dataset(folder, options, pool));
  options.sequence = 0;
  EXPECT_THROW(generate_dataset(folder, options, pool), Error) << "rooms would stay";
  options.sequence = 1;
  EXPECT_THROW(generate_dataset(folder, options, pool), Error) << "frame0001 would stay";
}

TEST(GenerateSequenceOptions, OutOfRangeAreNamed) {
  EXPECT_NO_THROW(sequence_options(5).check());
  void (*const changes[])(GenerateOptions&) = {[](GenerateOptions& o) { o.sequence = -1; },
                                               [](GenerateOptions& o) { o.fps = 0; },
                                               [](GenerateOptions& o) { o.moving_things = 17; },
                                               [](GenerateOptions& o) { o.frames = 100000, o.sequence = 10000; },
                                               [](GenerateOptions& o) { o.sequence = 0, o.moving_things = 1; }};
  for (const auto& change : changes) {
    GenerateOptions options = sequence_options(5);
    change(options);
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  }
}

}  // namespace
}  // namespace fernwood::generate
