// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/mcap_recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "core/full_disk.h"
#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/recordings/frame_messages.h"
#include "forest/noise.h"
#include "recordings/bag/bag.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

constexpr std::int64_t kStartNs = 1'700'000'000'123'456'789, kStepNs = 33'333'333;

CapturedFrame recorded(std::uint32_t i, std::size_t rows = 30, std::size_t cols = 40) {
  CapturedFrame frame{std::make_shared<image::Frame>(forest::noise_frame(rows, cols, i)), i / 30.0, "camera"};
  frame.stamp_ns = kStartNs + i * kStepNs;
  frame.frame_id = "optical";
  return frame;
}

std::vector<CapturedFrame> several(std::uint32_t count, std::size_t rows = 30, std::size_t cols = 40) {
  std::vector<CapturedFrame> frames;
  for (std::uint32_t i = 0; i < count; ++i) frames.push_back(recorded(i, rows, cols));
  return frames;
}

std::filesystem::path record(const std::filesystem::path& file, const std::vector<CapturedFrame>& frames) {
  McapRecorder recorder(file);
  for (const CapturedFrame& frame : frames) recorder.add(frame);
  recorder.finish();
  EXPECT_EQ(recorder.num_written(), frames.size());
  return file;
}

std::unique_ptr<FrameSource> replay(const std::filesystem::path& file) {
  return formats::open_source("mcap:" + file.string());
}

void expect_same_images(const std::optional<CapturedFrame>& replayed, const CapturedFrame& frame) {
  ASSERT_TRUE(replayed.has_value());
  EXPECT_TRUE(replayed->frame->color == frame.frame->color);
  EXPECT_TRUE(replayed->frame->depth_mm == frame.frame->depth_mm);
}

/// Expects that the frames of a file are the first of `frames`. @return  Number of frames in the file.
std::size_t count_first_of(const std::filesystem::path& file, const std::vector<CapturedFrame>& frames) {
  const auto source = replay(file);
  std::size_t count = 0;
  while (const auto replayed = source->next()) expect_same_images(replayed, frames.at(count++));
  return count;
}

/// Messages of an image topic: stamps and pixels.
std::vector<std::pair<std::int64_t, Bytes>> messages_of(const Bag& bag, const std::string& topic) {
  std::vector<std::pair<std::int64_t, Bytes>> messages;
  for (std::size_t i = 0; i < bag.topics().size(); ++i) {
    if (bag.topics()[i].name != topic) continue;
    for (const BagMessage& message : bag.messages(i)) {
      const ReadMessage read = bag.read(i, message);
      const ros::Image image = ros::read_image(read.coded);
      messages.push_back({image.header.stamp_ns, {image.data.begin(), image.data.end()}});
    }
  }
  return messages;
}

}  // namespace

TEST(McapRecorder, ReplayGivesTheSameFramesAndStamps) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames = several(40);
  const image::Camera camera = {40, 30, 6.1f, 6.2f, 3.0f, 1.0f / 3};
  for (CapturedFrame& frame : frames) {
    auto with_camera = std::make_shared<image::Frame>(*frame.frame);
    with_camera->camera = camera;
    frame.frame = with_camera;
  }
  const auto source = replay(record(folder / "a.mcap", frames));
  EXPECT_TRUE(source->has_camera());
  EXPECT_FALSE(source->has_poses());
  for (const CapturedFrame& frame : frames) {
    const auto replayed = source->next();
    expect_same_images(replayed, frame);
    EXPECT_EQ(replayed->frame->camera, camera);
    EXPECT_EQ(replayed->stamp_ns, frame.stamp_ns);
    EXPECT_EQ(replayed->frame_id, "optical");
  }
  EXPECT_FALSE(source->next().has_value());
}

TEST(McapRecorder, ReplayGivesThePosesToThePrecisionOfFloats) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames = several(5);
  const float a = 0.6f, b = 0.8f;
  for (std::size_t i = 0; i < frames.size(); ++i)
    frames[i].pose = image::RigidMotion{{{a, -b, 0}, {b, a, 0}, {0, 0, 1}}, {static_cast<float>(i) / 7, -1, 1e-3f}};
  const auto source = replay(record(folder / "a.mcap", frames));
  for (const CapturedFrame& frame : frames) {
    const auto pose = source->next()->pose;
    ASSERT_TRUE(pose.has_value());
    EXPECT_NEAR(pose->rotation[0].y, -b, 2e-6);
    EXPECT_NEAR(pose->rotation[1].x, b, 2e-6);
    EXPECT_EQ(pose->translation, frame.pose->translation);
  }
}

// Frames without a stamp since 1970 get the times of the source; a camera of another size is scaled to the frames.
TEST(McapRecorder, TimesOfTheSourceStandForStamps) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames = several(3);
  for (CapturedFrame& frame : frames) {
    frame.stamp_ns = 0;
    frame.frame_id.clear();
    auto with_camera = std::make_shared<image::Frame>(*frame.frame);
    with_camera->camera = image::Camera{80, 60, 12, 12, 19.5f, 14.5f};
    frame.frame = with_camera;
  }
  const auto source = replay(record(folder / "a.mcap", frames));
  for (const CapturedFrame& frame : frames) {
    const auto replayed = source->next();
    EXPECT_NEAR(replayed->time_s, frame.time_s, 1e-9);
    EXPECT_EQ(replayed->frame->camera, (image::Camera{40, 30, 6, 6, 9.5f, 7}));
  }
}

TEST(McapRecorder, ReplayKnowsWhereUpIs) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames = several(3, 4, 5);
  auto tilted = std::make_shared<image::Frame>(*frames[1].frame);
  tilted->up = {0.1f, -0.99f, 1.0f / 3};
  frames[1].frame = tilted;
  const auto source = replay(record(folder / "a.mcap", frames));
  for (const CapturedFrame& frame : frames) EXPECT_EQ(source->next()->frame->up, frame.frame->up);
}

TEST(McapRecorder, FramesOfARecordingThatBeginsAgainStayInOrder) {
  const TestFolder folder;
  std::vector<CapturedFrame> frames;
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t i = 0; i < 4; ++i) frames.push_back(recorded(i));
  EXPECT_EQ(count_first_of(record(folder / "a.mcap", frames), frames), frames.size());
}

// A repeated stamp moves only its own frame.
TEST(McapRecorder, FramesBehindOneThatWasMovedHaveTheirOwnStamps) {
  const TestFolder folder;
  const std::vector<CapturedFrame> frames = {recorded(0), recorded(1), recorded(1), recorded(2)};
  const auto source = replay(record(folder / "a.mcap", frames));
  const std::int64_t moved_ns[] = {0, 0, 1'000'000, 0};
  for (std::size_t i = 0; i < frames.size(); ++i)
    EXPECT_EQ(source->next()->stamp_ns, frames[i].stamp_ns + moved_ns[i]) << i;
}

TEST(McapRecorder, LabelsHaveTheStampOfTheirFrameAndNoClassIs255) {
  const TestFolder folder;
  const std::vector<CapturedFrame> frames = several(3, 1, 4);
  {
    McapRecorder recorder(folder / "a.mcap", {"wall", "floor"});
    for (const CapturedFrame& frame : frames) recorder.add(frame);
    image::LabelImage labels(1, 4);
    labels(0, 0) = 1;
    labels(0, 1) = image::kVoid;
    const std::vector<Array2<float>> probabilities = {Array2<float>(1, 4, 0.25f), Array2<float>(1, 4, 1.0f)};
    recorder.add_labels(frames[0], labels, probabilities);
    recorder.add_labels(frames[2], labels);
    testdata::expect_refused(ErrorKind::kUsage, [&] { recorder.add_labels(frames[1], labels); });
    recorder.finish();
  }
  const Bag bag(folder / "a.mcap");
  const auto masks = messages_of(bag, McapTopics::kMask), confidences = messages_of(bag, McapTopics::kConfidence);
  ASSERT_EQ(masks.size(), 2u);
  EXPECT_EQ(masks[0], std::pair(frames[0].stamp_ns, Bytes{1, 255, 0, 0}));
  EXPECT_EQ(masks[1].first, frames[2].stamp_ns);
  ASSERT_EQ(confidences.size(), 1u);
  EXPECT_EQ(confidences[0], std::pair(frames[0].stamp_ns, Bytes{255, 0, 64, 64}));
}

TEST(McapRecorder, ViewsAreWrittenAtTheirStampsAndOtherTopicsAreNot) {
  const TestFolder folder;
  const CapturedFrame frame = recorded(0, 1, 4);
  const Array2<image::Rgb> picture(1, 4, {1, 2, 3});
  {
    McapRecorder recorder(folder / "a.mcap", {"wall"});
    const std::shared_ptr<ros::Node> node = recorder.views();
    const auto overlay = node->advertise(McapTopics::kOverlay, ros::kImageType, ros::Qos::kReliable);
    const auto mask = node->advertise(McapTopics::kMask, ros::kImageType, ros::Qos::kReliable);
    EXPECT_EQ(overlay->num_subscribers(), 1u);
    EXPECT_EQ(mask->num_subscribers(), 0u);
    recorder.add(frame);
    const std::int64_t stamp_ns = recorder.add_labels(frame, image::LabelImage(1, 4));
    EXPECT_EQ(stamp_ns, frame.stamp_ns);
    overlay->publish(ros::write_message(color_message(picture, {stamp_ns, "optical"})));
    mask->publish(ros::write_message(color_message(picture, {stamp_ns, "optical"})));
    recorder.finish();
  }
  const Bag bag(folder / "a.mcap");
  const auto overlays = messages_of(bag, McapTopics::kOverlay);
  ASSERT_EQ(overlays.size(), 1u);
  EXPECT_EQ(overlays[0], std::pair(frame.stamp_ns, Bytes{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(messages_of(bag, McapTopics::kMask).size(), 1u);
  EXPECT_TRUE(replay(folder / "a.mcap")->next()->frame->color == frame.frame->color);
}

// Labels of frames with equal stamps belong to them in the order in which they were recorded.
TEST(McapRecorder, LabelsFollowFramesThatWereMoved) {
  const TestFolder folder;
  const CapturedFrame frame = recorded(0, 1, 4);
  {
    McapRecorder recorder(folder / "a.mcap", {"wall"});
    for (int i = 0; i < 3; ++i) recorder.add(frame);
    for (int i = 0; i < 3; ++i) recorder.add_labels(frame, image::LabelImage(1, 4));
    recorder.finish();
  }
  const Bag bag(folder / "a.mcap");
  const auto masks = messages_of(bag, McapTopics::kMask), colors = messages_of(bag, McapTopics::kColor);
  ASSERT_EQ(masks.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(masks[i].first, colors[i].first);
  EXPECT_LT(masks[0].first, masks[1].first);
}

TEST(McapRecorder, DepthAloneIsReplayedAloneBesideLabels) {
  const TestFolder folder;
  CapturedFrame frame = recorded(1);
  frame.frame = std::make_shared<image::Frame>(image::Frame{{}, frame.frame->depth_mm});
  {
    McapRecorder recorder(folder / "a.mcap", {"wall"});
    recorder.add(frame);
    recorder.add_labels(frame, image::LabelImage(30, 40));
    recorder.finish();
  }
  const auto source = replay(folder / "a.mcap");
  EXPECT_FALSE(source->has_color());
  EXPECT_TRUE(source->next()->frame->depth_mm == frame.frame->depth_mm);
}

// Frames of 0.4 MB are written in chunks of ten; the file is truncated at many sizes.
TEST(McapRecorder, WhatIsOnTheDiskWhenItIsKilledIsRead) {
  const TestFolder folder;
  const std::vector<CapturedFrame> frames = several(30, 240, 320);
  const std::vector<std::uint8_t> bytes = read_file(record(folder / "a.mcap", frames));
  std::size_t fewest = frames.size(), most = 0;
  for (std::size_t i = 1; i < 12; ++i) {
    const std::size_t size = bytes.size() * i / 12;
    const auto cut = folder.write("cut.mcap", Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    std::size_t count = 0;
    error_of([&] { count = count_first_of(cut, frames); });  // where no image is whole
    EXPECT_GE(count + 12, frames.size() * i / 12);
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  EXPECT_EQ(fewest, 0u);
  EXPECT_GE(most, 18u);
}

TEST(McapRecorder, FramesAreOnTheDiskBeforeTheEnd) {
  const TestFolder folder;
  const std::vector<CapturedFrame> frames = several(12, 240, 320);
  McapRecorder recorder(folder / "a.mcap");
  for (const CapturedFrame& frame : frames) recorder.add(frame);
  while (recorder.num_written() == 0) std::this_thread::yield();
  EXPECT_GE(count_first_of(folder / "a.mcap", frames), 9u);
}

TEST(McapRecorder, OnAFullDiskWhatWasWrittenIsRead) {
  const TestFolder folder;
  const std::vector<CapturedFrame> frames = several(40, 240, 320);
  McapRecorder recorder(folder / "a.mcap");
  testdata::expect_refused(ErrorKind::kResource, [&] {
    const FullDisk disk(9'000'000);
    for (const CapturedFrame& frame : frames) recorder.add(frame);
    recorder.finish();
  });
  EXPECT_GE(recorder.num_written(), 10u);
  EXPECT_EQ(count_first_of(folder / "a.mcap", frames), recorder.num_written());
}

TEST(McapRecorder, WhatCannotBeRecordedIsASentence) {
  const TestFolder folder;
  const auto old = folder.write("old.mcap", Bytes{1});
  testdata::expect_refused(ErrorKind::kUsage, [&] { McapRecorder recorder(old); });
  EXPECT_EQ(read_file(old), Bytes{1});
  testdata::expect_refused(ErrorKind::kRuntime, [&] { McapRecorder recorder(folder / "none/a.mcap"); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { McapRecorder recorder({}); });
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { McapRecorder recorder(folder / "a.mcap", std::vector<std::string>(256)); });
  CapturedFrame frame = recorded(0);
  auto with_maps = std::make_shared<image::Frame>(*frame.frame);
  with_maps->maps = {1, 1, 1, {0.5f}};
  frame.frame = with_maps;
  McapRecorder recorder(folder / "b.mcap");
  testdata::expect_refused(ErrorKind::kUsage, [&] { recorder.add(frame); });
}

TEST(McapRecorder, AFileThatWasRemovedIsAnErrorAndNoHang) {
  const TestFolder folder;
  McapRecorder recorder(folder / "a.mcap");
  std::filesystem::remove(folder / "a.mcap");
  const auto work = [&] {
    for (std::uint32_t i = 0; i < 100; ++i) recorder.add(recorded(i, 120, 160));
    recorder.finish();
  };
  testdata::expect_refused(ErrorKind::kRuntime, work);
}

}  // namespace fernwood::recordings
