// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/frame_poses.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

constexpr const char* kTurned = " 1 2 3 0 0 0.70710678 0.70710678\n";  // a quarter turn about z

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

TEST(PosesOfFrames, AreFoundByNameByTimeOrInFilesOfTheirOwn) {
  const TestFolder folder;
  write(folder / "named.txt", std::string("# name\nb") + kTurned);
  EXPECT_EQ(read_poses(folder / "named.txt", {"a", "b"}, {}).at("b").translation.y, 2);
  EXPECT_EQ(read_poses(folder / "named.txt", {"a", "b"}, {}).size(), 1u);
  write(folder / "tum.txt", std::string("100.50") + kTurned + "200.50" + kTurned);
  const auto by_time = read_poses(folder / "tum.txt", {"100.51", "200_49", "300.5", "a", "b"}, {{"b", 100.5}});
  EXPECT_EQ(by_time.size(), 3u);
  EXPECT_NEAR(by_time.at("100.51").rotation[1].x, 1, 1e-6);
  EXPECT_TRUE(by_time.contains("200_49") && by_time.contains("b"));
  write(folder / "a.pose.txt", "1 0 0 4\n0 1 0 5\n0 0 1 6\n0 0 0 1\n");
  const auto of_files = read_poses(folder / "", {"a", "b"}, {});
  EXPECT_EQ(of_files.size(), 1u);
  EXPECT_EQ(of_files.at("a").translation.z, 6);
}

TEST(PosesOfFrames, AByteOrderMarkIsNoPartOfTheFirstName) {
  const TestFolder folder;
  write(folder / "named.txt", std::string("\xef\xbb\xbf") + "b" + kTurned);
  EXPECT_TRUE(read_poses(folder / "named.txt", {"a", "b"}, {}).contains("b"));
}

TEST(PosesOfFrames, BesideADataSetTheyAreOfItsFrames) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) write_png(folder / (std::string(name) + "_colors.png"), Array2<image::Rgb>(2, 2));
  const auto find = [&](std::size_t most) {
    DatasetOptions options;
    options.needs_truth = false;
    options.max_frames = most;
    return find_poses(Dataset::open(folder.path(), options, ""), "room");
  };
  write(folder / "poses.txt", std::string("b") + kTurned + "b_1" + kTurned);
  EXPECT_TRUE(find(0)[1].has_value());
  EXPECT_FALSE(find(1)[0].has_value()) << "of the frame that was not chosen";
  DatasetOptions first;
  first.needs_truth = false;
  first.max_frames = 1;
  EXPECT_EQ(pose_warnings(Dataset::open(folder.path(), first)),
            std::vector{(folder / "poses.txt").string() + " names that are of no frame are left out: b_1"})
      << "b is a frame, although it was not chosen";
  write(folder / "poses.txt", std::string("fr_b") + kTurned);
  testdata::expect_refused(ErrorKind::kData, [&] { find(0); });
}

TEST(PosesOfFrames, AFileOfOtherFramesIsRefusedByName) {
  const TestFolder folder;
  write(folder / "named.txt", std::string("b") + kTurned);
  testdata::expect_refused(ErrorKind::kData, [&] { read_poses(folder / "named.txt", {"frame1", "frame2"}, {}); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_poses(folder / "none.txt", {"a"}, {}); });
  write(folder / "bad.txt", "a 1 2 3\n");
  testdata::expect_refused(ErrorKind::kData, [&] { read_poses(folder / "bad.txt", {"a"}, {}); });
}

TEST(PosesOfFrames, EachRecordingOfADataSetHasARoomOfItsOwn) {
  const TestFolder folder;
  image::Frame frame;
  frame.color = Array2<image::Rgb>(24, 32);
  frame.depth_mm = Array2<std::uint16_t>(24, 32, 1000);
  for (const char* recording : {"one", "two"}) {
    const auto place = folder / "rooms" / recording;
    std::filesystem::create_directories(place);
    write_frame(place, "f0", frame);
    write_frame(place, "f1", frame);
    write(place / "times.txt", "f0 0\nf1 1\n");
    write(place / "poses.txt", std::string("f1") + kTurned);
  }
  DatasetOptions without_truth;
  without_truth.needs_truth = false;
  const Dataset data = Dataset::open(folder / "rooms", without_truth);
  const auto poses = find_poses(data, "rooms");
  ASSERT_EQ(poses.size(), 4u);
  EXPECT_FALSE(poses[0] || poses[2]);
  EXPECT_EQ(poses[1]->room, "rooms/one");
  EXPECT_EQ(poses[3]->room, "rooms/two");
  EXPECT_EQ(poses[3]->pose.translation.x, 1);
  const auto videos = as_videos(data);
  ASSERT_EQ(videos.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(videos[i].begins_video, i == 0 || i == 2) << i;
    EXPECT_EQ(videos[i].pose.has_value(), i == 1 || i == 3) << i;
  }
  EXPECT_EQ(find_poses(Dataset::open(folder / "rooms" / "one", without_truth), "here")[1]->room, "here");
  EXPECT_EQ(room_of("/data/rooms/one/"), "rooms/one");
  // Frames of any folder are accepted, but not every name can be recorded.
  for (const std::string& name : {std::string("a\nb"), std::string("a\xff"), std::string(220, 'x')}) {
    EXPECT_TRUE(is_room_name(room_of("/data/" + name))) << name;
    EXPECT_NE(room_of("/data/" + name), room_of("/data/" + name + "2"));
    EXPECT_EQ(room_of("/data/" + name), room_of("/data/./" + name + "/"));
  }
}

TEST(PosesOfFrames, EachGroupIsAVideoAndSoIsAFrameThatIsNotListed) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    write_png(folder / (std::string(name) + "_colors.png"), Array2<image::Rgb>(2, 2));
  write(folder / "groups.txt", "a one\nb one\ne two\nf two\n");
  DatasetOptions options;
  options.needs_truth = false;
  std::vector<bool> begins;
  for (const VideoFrame& frame : as_videos(Dataset::open(folder.path(), options))) begins.push_back(frame.begins_video);
  EXPECT_EQ(begins, (std::vector{true, false, true, true, true, false}));
  write(folder / "groups.txt", "a one more\n");
  testdata::expect_refused(ErrorKind::kData, [&] { as_videos(Dataset::open(folder.path(), options)); });
}

}  // namespace
}  // namespace fernwood::dataset
