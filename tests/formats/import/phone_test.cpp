// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stray Scanner and Record3D; python/tests/test_import_from.py tests the video of a scan.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;

/// A recording of two images with coarse depth, exported as PNG.
void add_recording(const TestFolder& folder) {
  for (const char* name : {"rgb", "depth", "confidence"}) fs::create_directories(folder / "EXR_RGBD" / name);
  const fs::path root = folder / "EXR_RGBD";
  for (const char* number : {"0", "1"}) {
    write_png(root / "rgb" / (std::string(number) + ".png"), Array2<image::Rgb>(4, 6, {1, 2, 3}));
    write_png16(root / "depth" / (std::string(number) + ".png"), depth_image(2, 3, {500, 600, 700, 800, 900, 1000}));
    Array2<std::uint8_t> levels(2, 3, 2);
    levels(0, 0) = 0, levels(1, 1) = 1;
    folder.write("EXR_RGBD/confidence/" + std::string(number) + ".png",
                 encode_png_rows({.is_png = true, .width = 3, .height = 2, .bits = 8, .num_channels = 1},
                                 {levels.data(), levels.size()}));
  }
  folder.write("EXR_RGBD/metadata.json",
               std::string(R"({"w": 6, "h": 4, "fps": 30, "K": [5, 0, 0, 0, 6, 0, 2.5, 1.5, 1],
                               "poses": [[0, 0, 0, 1, 1, 2, 3], [0, 0, 0, 1, 4, 5, 6]]})"));
}

TEST(Record3d, CameraPosesAndConfidentDepthAreTaken) {
  const TestFolder folder;
  add_recording(folder);
  const ImportPlan plan = plan_import("record3d", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.config.camera, (image::Camera{6, 4, 5, 6, 2.5f, 1.5f})) << "the matrix goes by columns";
  EXPECT_EQ(plan.frames[1].pose->position_m, (std::array<double, 3>{4, 5, 6}));
  EXPECT_EQ(plan.frames[1].pose->rotation, (std::array<double, 4>{1, 0, 0, 0})) << "y up becomes y down";
  testdata::expect_sentence(join(plan.notes, "\n"));
  ThreadPool pool(2);
  write_import(plan, folder / "out", pool);
  DatasetOptions options;
  options.needs_truth = false;
  const Dataset data = Dataset::open(folder / "out", options, "train");
  const Array2<std::uint16_t> depth_mm = data.read_frame(0).depth_mm;
  EXPECT_EQ(depth_mm.rows(), 4u);
  EXPECT_EQ(depth_mm(0, 0), 0) << "of low confidence";
  EXPECT_EQ(depth_mm(3, 3), 900) << "of medium confidence, scaled to colour";

  ImportOptions sure{.in = folder.path()};
  sure.min_confidence = 2;
  EXPECT_EQ(plan_import("record3d", sure).frames[0].read_depth_mm()(1, 1), 0);
  sure.min_confidence = 0;
  EXPECT_FALSE(plan_import("record3d", sure).frames[0].read_depth_mm) << "files are taken as they are";
  sure.min_confidence = 3;
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("record3d", sure); });
  sure.min_confidence = 1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("tum", sure); });
}

TEST(Record3d, EachFrameHasItsOwnCameraWhereTheLensMoves) {
  const TestFolder folder;
  add_recording(folder);
  folder.write("EXR_RGBD/metadata.json", std::string(R"({"w": 6, "h": 4, "K": [5, 0, 0, 0, 6, 0, 2.5, 1.5, 1],
                               "perFrameIntrinsicCoeffs": [[5, 6, 2.5, 1.5], [7, 8, 3, 2]]})"));
  testdata::expect_sentence(camera_text(plan_import("record3d", {.in = folder.path()})));
  const Dataset data = imported(folder, "record3d");
  EXPECT_EQ(data.read_frame(0).camera, (image::Camera{6, 4, 5, 6, 2.5f, 1.5f}));
  EXPECT_EQ(data.read_frame(1).camera, (image::Camera{6, 4, 7, 8, 3, 2}));
}

TEST(Record3d, PosesGoByTheNumbersOfFramesWhereOthersAreRemoved) {
  const TestFolder folder;
  add_recording(folder);
  for (const char* file : {"rgb/0.png", "depth/0.png", "confidence/0.png"})
    fs::remove(folder / (std::string("EXR_RGBD/") + file));
  const ImportPlan plan = plan_import("record3d", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 1u);
  ASSERT_TRUE(plan.frames[0].pose);
  EXPECT_EQ(plan.frames[0].pose->position_m, (std::array<double, 3>{4, 5, 6}));
}

TEST(Record3d, ACameraOutsideOfThePictureIsANote) {
  const TestFolder folder;
  add_recording(folder);
  folder.write("EXR_RGBD/metadata.json", std::string(R"({"w": 6, "h": 4, "fps": 30, "K": [5, 0, 0, 0, 6, 0, 25, 1.5, 1],
                               "poses": [[0, 0, 0, 1, 1, 2, 3], [0, 0, 0, 1, 4, 5, 6]]})"));
  testdata::expect_sentence(join(plan_import("record3d", {.in = folder.path()}).notes, "\n"));
}

TEST(Record3d, WhatIsNoExportIsASentence) {
  const TestFolder folder;
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("record3d", {.in = folder.path()}); });
  const auto file = folder.write("a.r3d", std::string("PK"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("record3d", {.in = file}); });
  add_recording(folder);
  folder.write("EXR_RGBD/metadata.json", std::string("{}"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("record3d", {.in = folder.path()}); });
}

TEST(StrayScanner, WhatIsNoScanIsASentence) {
  const TestFolder folder;
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("stray-scanner", {.in = folder.path()}); });
  folder.write("rgb.mp4", std::string("no video"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("stray-scanner", {.in = folder.path()}); });
}

}  // namespace
}  // namespace fernwood::formats
