// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/imported.h"

#ifdef FERNWOOD_HAS_MATIO
#include <algorithm>
#include <limits>

#include "fernwood/core/file.h"
#include "formats/hdf5_writer.h"
#include "formats/import/mat_file.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;

constexpr float kNoDepth = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRenderRows = 3, kRenderCols = 4;

fs::path geometry_of(const TestFolder& folder, const std::string& scene, const std::string& file) {
  return folder / (scene + "/images/scene_cam_00_geometry_hdf5/frame." + file + ".hdf5");
}

void add_render(const TestFolder& folder, const std::string& scene, const std::string& frame,
                const std::vector<float>& metres = std::vector<float>(kRenderRows * kRenderCols, 2.0f)) {
  for (const char* kind : {"color", "tonemap", "diffuse_reflectance"})
    folder.write(scene + "/images/scene_cam_00_final_preview/frame." + frame + "." + kind + ".jpg",
                 encode_jpeg(Array2<image::Rgb>(kRenderRows, kRenderCols, {90, 120, 30})));
  Hdf5Writer::write(geometry_of(folder, scene, frame + ".depth_meters"), {kRenderRows, kRenderCols}, metres,
                    {.type = "half"});
  std::vector<float> labels(kRenderRows * kRenderCols, -1);
  labels[0] = 1;
  labels[1] = 40;
  Hdf5Writer::write(geometry_of(folder, scene, frame + ".semantic"), {kRenderRows, kRenderCols}, labels,
                    {.type = "H5T_STD_I16LE_g"});
}

TEST(ImportHypersim, DistancesAlongRaysBecomeDepth) {
  const TestFolder folder;
  // 4 pixels span 60 degrees at a focal length of 2 / tan(30 degrees) = 3.4641 pixels; the centre is (1.5, 1). Pixel
  // (0, 0): 2 / sqrt(1 + (1.5^2 + 1^2) / 12) = 1.77413 m; (1, 1): 2 / sqrt(1 + 0.5^2 / 12) = 1.97949 m.
  std::vector<float> metres(kRenderRows * kRenderCols, 2.0f);
  metres[2] = kNoDepth;
  metres[6] = 40;
  add_render(folder, "ai_001_001", "0000", metres);
  const ImportPlan plan = plan_import("hypersim", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 1u);
  EXPECT_EQ(plan.frames[0].group, "ai_001_001");
  EXPECT_EQ(plan.frames[0].name, "ai_001_001_cam_00_0000");
  EXPECT_THAT(plan.frames[0].color.filename().string(), "frame.0000.tonemap.jpg");
  const Array2<std::uint16_t> depth = imported(folder, "hypersim").read_frame(0).depth_mm;
  EXPECT_EQ(depth(0, 0), 1774);
  EXPECT_EQ(depth(2, 3), 1774);
  EXPECT_EQ(depth(1, 1), 1979);
  EXPECT_EQ(depth(0, 2), 0) << "not a number";
  EXPECT_EQ(depth(1, 2), 0) << "beyond the limit";
}

TEST(ImportHypersim, LabelsAreNumbersOfThe40ClassesAndMinus1IsVoid) {
  const TestFolder folder;
  add_render(folder, "ai_001_001", "0000");
  const ImportPlan plan = plan_import("hypersim", {.in = folder / "ai_001_001"});
  ASSERT_EQ(plan.config.classes.size(), 40u);
  const std::vector<std::string> names = names_of_pixels(plan, 0, kRenderRows, kRenderCols);
  EXPECT_EQ(names[0], plan.config.classes.front().name);
  EXPECT_EQ(names[0], "wall");
  EXPECT_EQ(names[1], plan.config.classes.back().name);
  EXPECT_THAT(std::vector<std::string>(names.begin() + 2, names.end()), Each("-"));
  EXPECT_EQ(plan.frames[0].group, "ai_001_001");
  EXPECT_EQ(imported(folder, "hypersim").config().camera, (image::Camera{1024, 768, 886.81f, 886.81f, 511.5f, 383.5f}));
}

TEST(ImportHypersim, FramesAreInTheOrderOfNumbersAndWhatLacksAPartnerIsNamed) {
  const TestFolder folder;
  for (const char* frame : {"10", "2", "3"}) add_render(folder, "ai_001_001", frame);
  fs::remove(geometry_of(folder, "ai_001_001", "3.depth_meters"));
  fs::remove(geometry_of(folder, "ai_001_001", "10.semantic"));
  fs::remove(folder / "ai_001_001/images/scene_cam_00_final_preview/frame.10.tonemap.jpg");
  const ImportPlan plan = plan_import("hypersim", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].name, "ai_001_001_cam_00_2");
  EXPECT_EQ(plan.frames[1].name, "ai_001_001_cam_00_10");
  EXPECT_THAT(plan.frames[1].color.filename().string(), "frame.10.color.jpg");
  EXPECT_FALSE(plan.frames[1].has_labels());
  EXPECT_THAT(plan.notes, Contains("ai_001_001_cam_00: without colour or depth, and left out: 3"));
}

TEST(ImportHypersim, SplitsAreThoseOfTheTable) {
  const TestFolder folder;
  for (const char* scene : {"ai_001_001", "ai_001_002", "ai_001_010"}) add_render(folder, scene, "0000");
  const std::string header =
      "scene_name,camera_name,frame_id,included_in_public_release,exclude_reason,split_partition_name\n";
  folder.write("metadata_images_split_scene_v1.csv",
               header + "ai_001_001,cam_00,0,True,,train\r\nai_001_002,cam_00,0,True,,test\n");
  const ImportPlan plan = plan_import("hypersim", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].split, "train");
  EXPECT_EQ(plan.frames[1].split, "test");
  EXPECT_THAT(plan.notes, Contains("scenes of no split, and left out: ai_001_010"));
  folder.write("metadata_images_split_scene_v1.csv", header + "ai_002_001,cam_00,0,True,,train\n");
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("hypersim", {.in = folder.path()}); });
}

TEST(ImportHypersim, OtherNumbersAndShapesAreSentences) {
  const TestFolder folder;
  add_render(folder, "ai_001_001", "0000");
  const fs::path labels = geometry_of(folder, "ai_001_001", "0000.semantic"),
                 depth = geometry_of(folder, "ai_001_001", "0000.depth_meters");
  const ImportPlan plan = plan_import("hypersim", {.in = folder.path()});
  Hdf5Writer::write(labels, {kRenderRows, kRenderCols}, std::vector<float>(kRenderRows * kRenderCols, 41),
                    {.type = "H5T_STD_I16LE_g"});
  testdata::expect_refused(ErrorKind::kData, [&] { names_of_pixels(plan, 0, kRenderRows, kRenderCols); });
  Hdf5Writer::write(depth, {kRenderRows, kRenderCols, 1}, std::vector<float>(kRenderRows * kRenderCols, 2));
  testdata::expect_refused(ErrorKind::kData, [&] { plan.frames[0].read_depth_mm(); });
  fs::create_directories(folder / "none/images/scene_cam_00_final_preview");
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("hypersim", {.in = folder / "none"}); });
}

// ---- HDF5 files of other programs ----

TEST(Hdf5File, NumbersOfEachKindBecomeFloats) {
  const TestFolder folder;
  const std::vector<float> values = {-2, 0.5f, 3, 1000, 0, 7};
  for (const char* type : {"half", "H5T_NATIVE_FLOAT_g", "H5T_IEEE_F64BE_g"}) {
    Hdf5Writer::write(folder / "a.hdf5", {2, 3}, values, {.type = type, .chunk = {1, 3}, .is_deflated = true});
    const Hdf5Numbers read = read_hdf5(folder / "a.hdf5", "dataset");
    EXPECT_THAT(read.shape, ElementsAre(2, 3)) << type;
    EXPECT_EQ(read.values, values) << type;
  }
  Hdf5Writer::write(folder / "a.hdf5", {2}, {-1, 40}, {.type = "H5T_STD_I16BE_g", .name = "b"});
  EXPECT_THAT(read_hdf5(folder / "a.hdf5", "b").values, ElementsAre(-1, 40));
}

TEST(Hdf5File, SizesAreCheckedBeforeMemoryIsTaken) {
  const TestFolder folder;
  const auto read = [&] { read_hdf5(folder / "a.hdf5", "dataset"); };
  // Chunks without data take no space in the file.
  Hdf5Writer::write(folder / "a.hdf5", {1ull << 32, 1ull << 31}, {}, {.chunk = {16, 16}});
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {4096, 4097}, {}, {.chunk = {16, 16}});
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {1ull << 14, 1ull << 14}, {}, {.chunk = {1ull << 14, 1ull << 14}});
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {0, 4}, {}, {.chunk = {1, 4}});
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {1, 1, 1, 1}, {1});
  testdata::expect_refused(ErrorKind::kData, read);
}

TEST(Hdf5File, OtherFilesAreSentences) {
  const TestFolder folder;
  const auto read = [&] { read_hdf5(folder / "a.hdf5", "dataset"); };
  testdata::expect_refused(ErrorKind::kData, read);
  folder.write("a.hdf5", std::string(1000, 'x'));
  testdata::expect_refused(ErrorKind::kData, read);
  folder.write("a.hdf5", std::string());
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {2, 3}, std::vector<float>(6, 1), {.name = "data"});
  testdata::expect_refused(ErrorKind::kData, read);
  Hdf5Writer::write(folder / "a.hdf5", {2}, {}, {.type = "H5T_C_S1_g"});
  testdata::expect_refused(ErrorKind::kData, read);
  std::vector<float> values(40000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 977);
  for (const bool is_deflated : {false, true}) {
    Hdf5Writer::write(folder / "a.hdf5", {200, 200}, values, {.chunk = {50, 200}, .is_deflated = is_deflated});
    const std::uintmax_t size = fs::file_size(folder / "a.hdf5");
    for (std::uintmax_t eighths = 8; eighths-- > 0;) {
      fs::resize_file(folder / "a.hdf5", size * eighths / 8);
      EXPECT_THROW(read(), Error);
    }
  }
}

TEST(Hdf5File, ChunksThatHoldLessThanTheirSizeAreRefused) {
  // HDF5 would read beyond the end of the chunk's memory.
  const TestFolder folder;
  const Bytes sizes = {50, 0, 0, 0, 200, 0, 0, 0, 4, 0, 0, 0};  // of a chunk and of an element
  for (const bool is_deflated : {false, true}) {
    Hdf5Writer::write(folder / "a.hdf5", {200, 200}, std::vector<float>(40000, 1),
                      {.chunk = {50, 200}, .is_deflated = is_deflated});
    Bytes bytes = read_file(folder / "a.hdf5");
    const auto place = std::search(bytes.begin(), bytes.end(), sizes.begin(), sizes.end());
    ASSERT_NE(place, bytes.end());
    place[5] = 7;  // 1992 columns
    folder.write("a.hdf5", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_hdf5(folder / "a.hdf5", "dataset"); });
  }
}

TEST(Hdf5File, ManyThreadsReadAtOnce) {
  const TestFolder folder;
  for (std::size_t i = 0; i < 16; ++i)
    Hdf5Writer::write(folder / (std::to_string(i) + ".hdf5"), {50, 40}, std::vector<float>(2000, static_cast<float>(i)),
                      {.chunk = {10, 40}, .is_deflated = true});
  ThreadPool pool(4);
  std::vector<std::vector<float>> read(16);
  pool.for_each(
      16, [&](std::size_t i, int) { read[i] = read_hdf5(folder / (std::to_string(i) + ".hdf5"), "dataset").values; });
  for (std::size_t i = 0; i < 16; ++i) EXPECT_THAT(read[i], Each(static_cast<float>(i)));
}

}  // namespace
}  // namespace fernwood::formats
#endif
