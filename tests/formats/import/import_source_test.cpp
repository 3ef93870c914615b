// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/formats.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/core/plugin.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/formats/open_source.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;

/// A ScanNet scene with frames 0, 2 and 10; frame 10 has no pose. The depth images have half the size of the colour
/// images.
void add_scene(const fs::path& scene) {
  for (const char* part : {"color", "depth", "pose", "intrinsic"}) fs::create_directories(scene / part);
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(scene / name) << text; };
  for (const int number : {0, 2, 10}) {
    const std::string name = std::to_string(number);
    write_png(scene / "color" / (name + ".png"),
              Array2<image::Rgb>(4, 6, image::Rgb{static_cast<std::uint8_t>(number), 1, 2}));
    write_png16(scene / "depth" / (name + ".png"),
                Array2<std::uint16_t>(2, 3, static_cast<std::uint16_t>(1000 + number)));
    const std::string x = number == 10 ? "-inf" : name;
    write("pose/" + name + ".txt", "1 0 0 " + x + "\n0 1 0 2\n0 0 1 3\n0 0 0 1\n");
  }
  write("intrinsic/intrinsic_color.txt", "5 0 3 0\n0 6 2 0\n0 0 1 0\n0 0 0 1\n");
}

TEST(ImportSource, AFolderOfScanNetIsARecordingWithPoses) {
  const TestFolder folder;
  add_scene(folder / "scene0000_00");
  for (const std::string kind : {"", "scannet:"}) {
    const auto source = open_source(kind + (folder / "scene0000_00").string(), {.loop = true});
    EXPECT_TRUE(source->has_color() && source->has_depth() && source->has_camera() && source->has_poses());
    EXPECT_FALSE(source->is_live());
    for (const int number : {0, 2, 10, 0}) {
      const std::optional<recordings::CapturedFrame> frame = source->next();
      ASSERT_TRUE(frame.has_value());
      EXPECT_EQ(frame->frame->color(3, 5), (image::Rgb{static_cast<std::uint8_t>(number), 1, 2}));
      EXPECT_EQ(frame->frame->depth_mm, Array2<std::uint16_t>(4, 6, static_cast<std::uint16_t>(1000 + number)));
      EXPECT_EQ(frame->frame->camera, (image::Camera{6, 4, 5, 6, 3, 2}));
      const image::RigidMotion pose = {.translation = {static_cast<float>(number), 2, 3}};
      EXPECT_EQ(frame->pose, number == 10 ? std::nullopt : std::optional(pose));
    }
  }
}

TEST(ImportSource, PosesOfSeveralRoomsAreLeftOutAndTold) {
  const TestFolder folder;
  add_scene(folder / "scene0000_00");
  add_scene(folder / "scene0001_00");
  const auto source = open_source("scannet:" + folder.path().string());
  EXPECT_FALSE(source->has_poses());
  testdata::expect_sentence(source->warnings().back());
}

TEST(ImportSource, FormatsThatNeedOptionsAreNone) {
  EXPECT_EQ(error_of([] { open_source("coco:a.json"); }).value().kind(), ErrorKind::kUsage);
  testdata::expect_refused(ErrorKind::kData, [] { open_source("scannet:/nowhere"); });
}

TEST(VideoWithDepth, WhatIsWrongIsASentence) {
  const TestFolder folder;
  fs::create_directories(folder / "depth");
  const std::string place = "video:" + (folder / "a.mp4").string() + "?depth=" + (folder / "depth").string();
  testdata::expect_refused(ErrorKind::kData, [&] { open_source(place); });
}

}  // namespace
}  // namespace fernwood::formats
