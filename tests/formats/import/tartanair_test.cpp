// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <bit>
#include <limits>

#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

constexpr float kNoMetres = std::numeric_limits<float>::quiet_NaN();

/// Writes a frame of version 1 with 2 x 2 pixels.
void add_left(const TestFolder& folder, const std::string& sequence, const std::string& frame,
              const std::vector<float>& metres, const Bytes& labels) {
  fs::create_directories(folder / (sequence + "/image_left"));
  write_png(folder / (sequence + "/image_left/" + frame + "_left.png"), Array2<image::Rgb>(2, 2, {1, 2, 3}));
  folder.write(sequence + "/depth_left/" + frame + "_left_depth.npy", npy_image("<f4", 2, 2, metres));
  folder.write(sequence + "/seg_left/" + frame + "_left_seg.npy", npy_image("|u1", 2, 2, labels));
}

/// Writes a frame of version 2, whose channels are in the order blue, green, red, because OpenCV wrote the files.
void add_front(const TestFolder& folder, const std::string& sequence, const std::string& frame,
               const std::vector<float>& metres, const Bytes& labels) {
  fs::create_directories(folder / (sequence + "/image_lcam_front"));
  write_png(folder / (sequence + "/image_lcam_front/" + frame + "_lcam_front.png"),
            Array2<image::Rgb>(2, 2, {1, 2, 3}));
  std::vector<Bytes> rows(2);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(metres[i]);
    for (const int shift : {16, 8, 0, 24}) rows[i / 2].push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  folder.write(sequence + "/depth_lcam_front/" + frame + "_lcam_front_depth.png",
               PngFile(2, 2, 8, PngFile::kRgba).pixels(rows).finish());
  folder.write(sequence + "/seg_lcam_front/" + frame + "_lcam_front_seg.png",
               PngFile(2, 2, 8, PngFile::kGrey).pixels({{labels[0], labels[1]}, {labels[2], labels[3]}}).finish());
}

TEST(ImportTartanAir, DepthOfVersion1IsMetresAndSkyIsUnknown) {
  const TestFolder folder;
  add_left(folder, "office/Easy/P000", "000010", {1.1f, 10000, kNoMetres, 32.767f}, {3, 3, 251, 0});
  add_left(folder, "office/Easy/P000", "000002", {1, 1, 1, 1}, {0, 0, 0, 0});
  add_left(folder, "office/Hard/P001", "000002", {2, 2, 2, 2}, {0, 0, 0, 0});
  const ImportPlan plan = plan_import("tartanair", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 3u);
  EXPECT_EQ(plan.frames[1].name, "office_Easy_P000_000010");
  EXPECT_EQ(plan.frames[1].group, "office_Easy_P000");
  EXPECT_EQ(plan.frames[2].group, "office_Hard_P001");
  EXPECT_EQ(plan.frames[0].split, "");
  EXPECT_EQ(plan.config.camera, (image::Camera{640, 480, 320, 320, 320, 240}));
  EXPECT_THAT(names_of_pixels(plan, 1, 2, 2), ElementsAre("class 3", "class 3", "class 251", "class 0"));
  testdata::expect_sentence(join(plan.notes, "\n"));
  EXPECT_EQ(imported(folder, "tartanair").read_frame(1).depth_mm, depth_image(2, 2, {1100, 0, 0, 32767}));
}

TEST(ImportTartanAir, DepthOfVersion2IsAFloatInFourChannels) {
  const TestFolder folder;
  add_front(folder, "House/Data_easy/P000", "000000", {1.1f, 20000, kNoMetres, 32.767f}, {7, 7, 9, 8});
  folder.write("House/seg_label_map.json", std::string(R"({"name_map": {"wall": 7, "lamp": 9}, "version": 1})"));
  const ImportPlan plan = plan_import("tartanair", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("wall", "wall", "lamp", "-")) << "8 has no name";
  EXPECT_EQ(plan.config.camera, (image::Camera{640, 640, 320, 320, 320, 320}));
  EXPECT_TRUE(plan.notes.empty());
  EXPECT_EQ(imported(folder, "tartanair").read_frame(0).depth_mm, depth_image(2, 2, {1100, 0, 0, 32767}));
  EXPECT_EQ(plan_import("tartanair", {.in = folder / "House/Data_easy/P000"}).config.classes.size(), 2u)
      << "names lie above a sequence that is imported alone";
  EXPECT_EQ(plan_import("tartanair", {.in = folder / "House/Data_easy/P000/"}).frames[0].group, "P000");
}

TEST(ImportTartanAir, NumbersMeanSomethingWithinAnEnvironmentOnly) {
  const TestFolder folder;
  for (const char* place : {"a/Easy/P000", "b/Easy/P000", "c/Easy/P000"})
    add_left(folder, place, "000000", {1, 1, 1, 1}, {5, 5, 6, 6});
  folder.write("c/seg_label_map.json", std::string(R"({"name_map": {"door": 5, "wall": 6}})"));
  const ImportPlan plan = plan_import("tartanair", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("a class 5", "a class 5", "a class 6", "a class 6"));
  EXPECT_THAT(names_of_pixels(plan, 1, 2, 2), ElementsAre("b class 5", "b class 5", "b class 6", "b class 6"));
  EXPECT_THAT(names_of_pixels(plan, 2, 2, 2), ElementsAre("door", "door", "wall", "wall"));
  testdata::expect_sentence(join(plan.notes, "\n"));
}

TEST(ImportTartanAir, BothVersionsAndMissingPartnersAreTold) {
  const TestFolder folder;
  add_left(folder, "a/Easy/P000", "000000", {1, 1, 1, 1}, {5, 5, 6, 6});
  add_left(folder, "a/Easy/P000", "000001", {1, 1, 1, 1}, {5, 5, 6, 6});
  add_front(folder, "a/Data_easy/P000", "000000", {1, 1, 1, 1}, {5, 5, 6, 6});
  fs::remove(folder / "a/Easy/P000/depth_left/000001_left_depth.npy");
  fs::remove(folder / "a/Data_easy/P000/seg_lcam_front/000000_lcam_front_seg.png");
  const ImportPlan plan = plan_import("tartanair", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_THAT(plan.notes, Contains("a_Easy_P000: without colour or depth, and left out: 000001"));
  EXPECT_EQ(plan.frames[0].camera->rows, 480);
  EXPECT_EQ(plan.frames[1].camera->rows, 640);
  EXPECT_TRUE(plan.frames[0].has_labels());
  EXPECT_FALSE(plan.frames[1].has_labels());
}

TEST(ImportTartanAir, DamagedAndOtherFilesAreSentences) {
  const TestFolder folder;
  add_front(folder, "a/P000", "000000", {1, 1, 1, 1}, {5, 5, 6, 6});
  const fs::path depth = folder / "a/P000/depth_lcam_front/000000_lcam_front_depth.png";
  const auto read = [&] { plan_import("tartanair", {.in = folder.path()}).frames[0].read_depth_mm(); };
  fs::resize_file(depth, fs::file_size(depth) - 14);
  testdata::expect_refused(ErrorKind::kData, read);
  write_png16(depth, Array2<std::uint16_t>(2, 2, 1000));
  testdata::expect_refused(ErrorKind::kData, read);
  folder.write("a/seg_label_map.json", std::string(R"({"name_map": {"door": 65536}})"));
  testdata::expect_refused(ErrorKind::kData, read);
  folder.write("a/seg_label_map.json", std::string(R"({"names": {"door": 25}})"));
  testdata::expect_refused(ErrorKind::kData, read);
  fs::remove_all(folder / "a/P000/image_lcam_front");
  fs::create_directories(folder / "a/P000/image_lcam_front");
  testdata::expect_refused(ErrorKind::kData, read);

  const TestFolder other;
  add_left(other, "P000", "0", {1, 1, 1, 1}, {1, 1, 1, 1});
  other.write("P000/seg_left/0_left_seg.npy", npy_image("<f4", 2, 2, std::vector<float>(4, 1.0f)));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("tartanair", {.in = other.path()}); });
  other.write("P000/seg_left/0_left_seg.npy", npy_image("|u1", 2, 2, Bytes(3)));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("tartanair", {.in = other.path()}); });
}

}  // namespace
}  // namespace fernwood::formats
