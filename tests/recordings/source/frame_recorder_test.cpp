// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/full_disk.h"
#include "dataset/dataset_folder.h"
#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/formats/open_source.h"
#include "forest/noise.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

CapturedFrame noise(std::uint32_t seed, double time_s) {
  return {std::make_shared<image::Frame>(forest::noise_frame(5, 7, seed)), time_s, "camera " + std::to_string(seed)};
}

TEST(FrameRecorder, ReplayGivesTheSameFramesAndTimesInOrder) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames;
  for (std::uint32_t i = 0; i < 40; ++i) frames.push_back(noise(i, 1000000000.125 + i * 0.1));
  {
    FrameRecorder recorder(folder / "new/recording");
    for (const CapturedFrame& frame : frames) recorder.add(frame);
    recorder.finish();
    EXPECT_EQ(recorder.num_written(), 40u);
  }
  const auto source = formats::open_source("frames:" + (folder / "new/recording").string());
  for (const CapturedFrame& frame : frames) {
    const std::optional<CapturedFrame> replayed = source->next();
    ASSERT_TRUE(replayed.has_value());
    EXPECT_TRUE(replayed->frame->color == frame.frame->color);
    EXPECT_TRUE(replayed->frame->depth_mm == frame.frame->depth_mm);
    EXPECT_DOUBLE_EQ(replayed->time_s, frame.time_s);
  }
  EXPECT_FALSE(source->next().has_value());
}

TEST(FrameRecorder, ReplayGivesTheSamePoses) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames;
  for (std::uint32_t i = 0; i < 40; ++i) {
    frames.push_back(noise(i, i));
    if (i % 3 == 1) continue;  // without a pose
    const float a = 0.6f, b = 0.8f;
    frames.back().pose =
        image::RigidMotion{{{a, -b, 0}, {b, a, 0}, {0, 0, 1}}, {static_cast<float>(i) / 7, -1.0f / 3, 1e-7f}};
  }
  {
    FrameRecorder recorder(folder / "recording");
    for (const CapturedFrame& frame : frames) recorder.add(frame);
    recorder.finish();
  }
  const auto source = formats::open_source("frames:" + (folder / "recording").string());
  EXPECT_TRUE(source->has_poses());
  EXPECT_TRUE(source->warnings().empty());
  for (const CapturedFrame& frame : frames) EXPECT_EQ(source->next()->pose, frame.pose);
}

TEST(FrameRecorder, DatasetTomlAboveDoesNotChangeTheDepth) {
  const TestFolder folder;
  folder.write("dataset.toml", std::string("depth_scale = 2.0\n"));
  const CapturedFrame frame = noise(1, 0);
  FrameRecorder recorder(folder / "recording");
  recorder.add(frame);
  recorder.finish();
  const auto source = formats::open_source("frames:" + (folder / "recording").string());
  EXPECT_TRUE(source->next()->frame->depth_mm == frame.frame->depth_mm);
}

TEST(FrameRecorder, ReplayKnowsTheCameraAndWhereUpIs) {
  const TestFolder folder;
  const image::Camera camera = {7, 5, 6.1f, 6.2f, 3.0f, 1.0f / 3};
  FrameRecorder recorder(folder / "recording");
  for (const image::Vector3 up : {image::kImageUp, image::Vector3{0.1f, -0.99f, 1.0f / 3}}) {
    image::Frame frame = forest::noise_frame(5, 7, 1);
    frame.camera = camera;
    if (up != image::kImageUp) frame.camera->fx = 1.0f / 3;
    frame.up = up;
    recorder.add({std::make_shared<image::Frame>(frame), 0, "x"});
  }
  recorder.finish();
  const auto source = formats::open_source("frames:" + (folder / "recording").string());
  const auto first = source->next(), second = source->next();
  EXPECT_EQ(first->frame->camera, camera);
  EXPECT_EQ(first->frame->up, image::kImageUp);
  EXPECT_EQ(second->frame->camera, (image::Camera{7, 5, 1.0f / 3, 6.2f, 3.0f, 1.0f / 3}));
  EXPECT_EQ(second->frame->up, (image::Vector3{0.1f, -0.99f, 1.0f / 3}));
}

TEST(FrameRecorder, ImagesThatAreNotThereAreNotWritten) {
  const TestFolder folder;
  CapturedFrame frame = noise(1, 0);
  frame.frame = std::make_shared<image::Frame>(image::Frame{frame.frame->color, {}});
  FrameRecorder recorder(folder / "recording");
  recorder.add(frame);
  recorder.finish();
  EXPECT_FALSE(formats::open_source("frames:" + (folder / "recording").string())->has_depth());
}

TEST(FrameRecorder, FolderWithFilesIsRefused) {
  const TestFolder folder;
  add_depth(folder, "old");
  testdata::expect_refused(ErrorKind::kUsage, [&] { FrameRecorder recorder(folder.path()); });
}

TEST(FrameRecorder, LostFolderIsAnErrorAndNoHang) {
  const TestFolder folder;
  FrameRecorder recorder(folder / "recording");
  std::filesystem::remove_all(folder / "recording");
  const auto work = [&] {
    for (std::uint32_t i = 0; i < 100; ++i) recorder.add(noise(i, 0));
    recorder.finish();
  };
  EXPECT_THROW(work(), Error);
}

TEST(FrameRecorder, AFrameThatWasBeingWrittenWhenItWasKilledIsNotReplayed) {
  const TestFolder folder;
  {
    FrameRecorder recorder(folder / "recording");
    for (std::uint32_t i = 0; i < 3; ++i) recorder.add(noise(i, i));
    recorder.finish();
  }
  folder.write("recording/times.txt", std::string("frame00000000 0\nframe00000001 1\n"));
  std::filesystem::remove(folder / "recording/frame00000002_depth.png");
  folder.write("recording/frame00000002_depth.png.part", std::string("half"));
  const auto source = formats::open_source("frames:" + (folder / "recording").string());
  EXPECT_EQ(source->next()->name, "frame00000000");
  EXPECT_EQ(source->next()->name, "frame00000001");
  EXPECT_FALSE(source->next().has_value());
  EXPECT_EQ(list_folder(folder / "recording").frames.size(), 2u);
}

TEST(FrameRecorder, TimesOfOtherThingsLeaveNoFrameOut) {
  const TestFolder folder;
  add_depth(folder, "a");
  folder.write("times.txt", std::string("lap1 12.5\n"));
  EXPECT_EQ(list_folder(folder.path()).frames.size(), 1u);
}

TEST(FrameRecorder, EndsWhenTimesWasReplaced) {
  const TestFolder folder;
  FrameRecorder recorder(folder / "recording");
  recorder.add(noise(0, 0));
  while (recorder.num_written() < 1) std::this_thread::yield();
  std::filesystem::remove(folder / "recording/times.txt");
  folder.write("recording/times.txt", std::string("mine"));
  const auto work = [&] {
    for (std::uint32_t i = 1; i < 100; ++i) recorder.add(noise(i, i));
    recorder.finish();
  };
  testdata::expect_refused(ErrorKind::kRuntime, work);
  EXPECT_EQ(recorder.num_written(), 1u);
  EXPECT_EQ(read_text(folder / "recording/times.txt"), "mine");
}

TEST(FrameRecorder, OnAFullDiskTheLastLineOfTimesIsWhole) {
  const TestFolder folder;
  FrameRecorder recorder(folder / "recording");
  testdata::expect_refused(ErrorKind::kResource, [&] {
    const FullDisk disk(1000);
    for (std::uint32_t i = 0; i < 100; ++i) recorder.add(noise(i, i + 0.125));
    recorder.finish();
  });
  const std::string times = read_text(folder / "recording/times.txt");
  // Ten lines such as "frame00000000 0.125" of 20 bytes with their line ends, then 38 of 21 bytes fit into 1000 bytes;
  // up to 16 lines are written at once.
  const auto num_lines = static_cast<std::size_t>(std::ranges::count(times, '\n'));
  EXPECT_EQ(recorder.num_written(), num_lines);
  EXPECT_GT(num_lines, 48u - 16u);
  EXPECT_EQ(times.size(), num_lines <= 10 ? 20 * num_lines : 200 + 21 * (num_lines - 10));
}

}  // namespace
}  // namespace fernwood::recordings
