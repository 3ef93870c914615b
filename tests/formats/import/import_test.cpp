// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include "fernwood/core/file.h"
#include "fernwood/formats/export_labels.h"
#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(folder).string());
  return names;
}

/// A frame with a pseudo-random class pattern.
void add_random_frame(const TestFolder& folder, const std::string& name, std::uint32_t* state) {
  add_color(folder, name, 5, 7, {static_cast<std::uint8_t>(*state), 1, 2});
  add_depth(folder, name, 5, 7);
  std::vector<image::Rgb> pixels;
  for (int i = 0; i < 35; ++i) {
    *state = *state * 1664525u + 1013904223u;
    pixels.push_back(std::vector<image::Rgb>{kBlack, kFloor, kProp, kRed}[*state >> 30]);
  }
  add_truth(folder, name, pixels, 5, 7);
}

void add_config(const TestFolder& folder) {
  folder.write("dataset.toml",
               std::string("camera = {width = 7, height = 5, fx = 9, fy = 9, cx = 3, cy = 2}\nclasses = [{name = "
                           "\"floor\", color = [7, 54, 66]}, {name = "
                           "\"a & \\\"b\\\"\", color = [181, 137, 0]}, {name = \"red\", color = [255, 0, 0]}]\n"));
}

/// Three frames in the native layout.
void add_labelled(const TestFolder& folder) {
  add_config(folder);
  std::uint32_t state = 9;
  for (const char* name : {"f1", "f2", "f3"}) add_random_frame(folder, name, &state);
}

/// Two recordings whose frames have the same names.
void add_recordings(const TestFolder& folder) {
  add_config(folder);
  std::uint32_t state = 9;
  for (const char* room : {"room1", "room2"}) {
    folder.write(std::string(room) + "/times.txt", std::string("f1 0.0\nf2 0.1\n"));
    for (const char* name : {"/f1", "/f2"}) add_random_frame(folder, std::string(room) + name, &state);
  }
}

std::vector<std::string> pixels_of(const fs::path& folder) {
  ThreadPool pool(1);
  const Dataset data = Dataset::open(folder);
  const image::ClassMap classes = data.scan_truth(pool).classes;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data.size(); ++i)
    for (const std::uint16_t label : data.read_labels(i, classes))
      names.push_back(label == image::kVoid ? "-" : classes.classes[label].name);
  return names;
}

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, GivesTheSamePixels) {
  const TestFolder folder, out;
  add_labelled(folder);
  ThreadPool pool(2);
  const Dataset data = Dataset::open(folder.path());
  for (int times = 0; times < 2; ++times)  // existing files are replaced
    export_labels(data, truth_of(data, pool), GetParam(), out / "labels", pool);
  ImportOptions options{.in = out / "labels"};
  if (find_import_format(GetParam()).has("images")) options.images = folder.path();  // else linked beside them
  write_import(plan_import(GetParam(), options), out / "back", pool);
  EXPECT_EQ(pixels_of(out / "back"), pixels_of(folder.path()));
  const Dataset back = Dataset::open(out / "back");
  EXPECT_EQ(back.read_frame(1).color, data.read_frame(1).color);
  if (options.images.empty()) return;
  EXPECT_EQ(back.config().camera, data.config().camera);
  EXPECT_EQ(back.read_frame(1).depth_mm, data.read_frame(1).depth_mm);
}

TEST_P(RoundTrip, GivesTheSamePixelsOfRecordingsWithEqualNamesOfFrames) {
  const TestFolder folder, out;
  add_recordings(folder);
  ThreadPool pool(2);
  const Dataset data = Dataset::open(folder.path());
  ASSERT_EQ(data.size(), 4u);
  export_labels(data, truth_of(data, pool), GetParam(), out / "labels", pool);
  ImportOptions options{.in = out / "labels"};
  const bool holds_pictures = GetParam() == std::string("supervisely");  // under names of their own
  if (!holds_pictures && find_import_format(GetParam()).has("images")) options.images = folder.path();
  write_import(plan_import(GetParam(), options), out / "back", pool);
  const Dataset back = Dataset::open(out / "back");
  ASSERT_EQ(back.size(), 4u);
  EXPECT_EQ(back.files(3).name, "room2_f2");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(back.read_frame(i).color, data.read_frame(i).color) << i;
  EXPECT_EQ(pixels_of(out / "back"), pixels_of(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(Each, RoundTrip,
                         testing::Values("coco", "cvat", "label-studio", "labelme", "supervisely", "voc"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ExportedInstances, AreRegionsThatComeBackAsObjects) {
  const TestFolder folder, out;
  folder.write("dataset.toml", std::string("classes = [{name = \"floor\", color = [7, 54, 66]}, {name = \"box\", "
                                           "color = [181, 137, 0]}]\n"));
  add_frame(folder, "f", {kFloor, kProp, kProp, kProp, kFloor, kBlack});
  write_png16(folder / "f_instances.png", depth_image(2, 3, {4, 9, 5, 9, 0, 0}));
  ThreadPool pool(1);
  const Dataset data = Dataset::open(folder.path());
  for (const char* format : {"coco", "cvat", "labelme"}) {
    export_labels(data, truth_of(data, pool), format, out / format, pool);
    write_import(plan_import(format, {.in = out / format, .images = folder.path()}), out / "back", pool);
    EXPECT_EQ(Dataset::open(out / "back").read_instances(0), depth_image(2, 3, {1, 3, 2, 3, 1, 0})) << format;
    fs::remove_all(out / "back");
  }
}

TEST(ImportFolders, PartsOfFramesAreFoundByPatternsAndNothingIsCopied) {
  const TestFolder folder;
  for (const char* name : {"2", "10"}) {
    write_png((fs::create_directories(folder / "rgb"), folder / ("rgb/" + std::string(name) + ".png")),
              Array2<image::Rgb>(2, 2, {1, 2, 3}));
    write_png16((fs::create_directories(folder / "z"), folder / ("z/d" + std::string(name) + ".png")),
                Array2<std::uint16_t>(2, 2, 5000));
    write_npy((fs::create_directories(folder / "gt"), folder / ("gt/" + std::string(name) + ".npy")),
              Array2<std::uint16_t>(2, 2, 3));
  }
  write_png16(folder / "z/d11.png", Array2<std::uint16_t>(2, 2, 5000));
  write_npy(folder / "gt/12.npy", Array2<std::uint16_t>(2, 2, 3));
  folder.write("names.csv", std::string("id,name\n1,wall\n3,floor\n"));
  ImportOptions options{.in = folder.path(),
                        .colors = "rgb/{}.png",
                        .depth = "z/d{}.png",
                        .labels = "gt/{}.npy",
                        .classes = folder / "names.csv"};
  options.depth_scale_to_mm = 0.2;
  const ImportPlan plan = plan_import("folders", options);
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].name, "02") << "in the order of the numbers, also as names";
  testdata::expect_sentence(join(plan.notes, "\n"));
  ThreadPool pool(1);
  write_import(plan, folder / "out", pool);
  const Dataset data = Dataset::open(folder / "out");
  EXPECT_EQ(data.read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 1000));
  EXPECT_EQ(fs::hard_link_count(folder / "out/10_colors.png"), 2u);
  EXPECT_EQ(fs::hard_link_count(folder / "out/10_depth.png"), 2u);
  EXPECT_THAT(pixels_of(folder / "out"), testing::Each("floor"));
}

/// A picture a.png and labels of 2 x 2 pixels.
ImportOptions picture_with_labels(const TestFolder& folder, const std::vector<image::Rgb>& labels) {
  for (const char* part : {"rgb", "label"}) fs::create_directories(folder / part);
  write_png(folder / "rgb/a.png", Array2<image::Rgb>(2, 2, {1, 2, 3}));
  write_png(folder / "label/a.png", rgb_image(2, 2, labels));
  return {.in = folder.path(), .colors = "rgb/{}.png", .labels = "label/{}.png"};
}

TEST(ImportFolders, AListOfColoursNamesLabelImagesInColours) {
  const TestFolder folder;
  constexpr image::Rgb kBlack = {}, kWall = {140, 25, 255}, kTree = {25, 255, 82};
  ImportOptions options = picture_with_labels(folder, {kBlack, kWall, kTree, kWall});
  for (const char* list :
       {"id,name,r,g,b\n1,wall,140,25,255\n2,tree,25,255,82\n", "140 25 255 wall\n25 255 82 tree\n"}) {
    options.classes = folder.write("classes.txt", std::string(list));
    EXPECT_EQ(letters(plan_import("folders", options), 0, 2, 2), "-wtw") << list;
  }
  options.classes =
      folder.write("classes.txt", std::string("background:0,0,0::\nwall:140,25,255::\ntree:25,255,82::\n"));
  EXPECT_EQ(letters(plan_import("folders", options), 0, 2, 2), "bwtw");
  options.classes = folder.write("classes.txt", std::string("wall:140,25,255::\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { letters(plan_import("folders", options), 0, 2, 2); });
  Array2<std::uint8_t> indices(2, 2, 2);
  indices(0, 0) = 1;
  options.classes = folder.write("classes.txt", std::string("id,name,r,g,b\n1,wall,140,25,255\n2,tree,25,255,82\n"));
  write_palette_png(folder / "label/a.png", indices, std::vector<image::Rgb>{kBlack, kTree, kWall});
  EXPECT_EQ(letters(plan_import("folders", options), 0, 2, 2), "twww") << "the palette has the colours of the list";
  write_palette_png(folder / "label/a.png", indices, std::vector<image::Rgb>(3, {9, 9, 9}));
  EXPECT_EQ(letters(plan_import("folders", options), 0, 2, 2), "wttt") << "the numbers of the list";
}

TEST(ImportFolders, NumbersInOneChannelAreReadOrAskedAbout) {
  const TestFolder folder;
  ImportOptions options = picture_with_labels(folder, {{1, 0, 0}, {2, 0, 0}, {0, 0, 0}, {2, 0, 0}});
  testdata::expect_sentence(join(plan_import("folders", options).notes, "\n"));
  options.classes = folder.write("classes.csv", std::string("id,name,r,g,b\n1,wall,140,25,255\n2,tree,25,255,82\n"));
  EXPECT_EQ(letters(plan_import("folders", options), 0, 2, 2), "wt-t");
}

TEST(ImportFolders, AFileBelongsToTheLongestPatternThatItMatches) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) {
    write_png(folder / (std::string(name) + ".png"), Array2<image::Rgb>(2, 2, {1, 2, 3}));
    write_png(folder / (std::string(name) + "_mask.png"), Array2<image::Rgb>(2, 2, {1, 2, 3}));
  }
  const ImportPlan plan = plan_import("folders", {.in = folder.path(), .colors = "{}.png", .labels = "{}_mask.png"});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[1].name, "b");
  EXPECT_EQ(plan_import("folders", {.in = folder.path(), .colors = "{}_mask.png", .labels = "{}.png"}).frames.size(),
            2u);
}

TEST(Import, WhatThisBuildCannotReadIsRefusedBeforeAnythingIsWritten) {
  const TestFolder folder;
  write_png((fs::create_directories(folder / "rgb"), folder / "rgb/a.png"), Array2<image::Rgb>(2, 2));
  folder.write("depth/a.pgm", std::string("P9 2 2 65535\n"));
  testdata::expect_refused(ErrorKind::kData, [&] {
    plan_import("folders", {.in = folder.path(), .colors = "rgb/{}.png", .depth = "depth/{}.pgm"});
  });
}

TEST(ImportFolders, WhatDoesNotFitIsASentence) {
  const TestFolder folder;
  write_png((fs::create_directories(folder / "rgb"), folder / "rgb/1.png"), Array2<image::Rgb>(2, 2));
  write_png16((fs::create_directories(folder / "depth"), folder / "depth/x1.png"), Array2<std::uint16_t>(2, 2));
  const ImportOptions options{.in = folder.path(), .colors = "rgb/{}.png", .depth = "depth/{}.png"};
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("folders", options); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("folders", {.in = folder.path()}); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("foldrs", options); });
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { plan_import("coco", {.in = folder.path(), .labels = "x/{}.png"}); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { plan_import("tum", {.in = folder.path(), .background = "x"}); });
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { plan_import("scannet", {.in = folder.path(), .depth = "d/{}.png"}); });
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("coco", {.in = folder / "none.json"}); });
}

TEST(WriteImport, NothingHalfWrittenHasItsName) {
  const TestFolder folder;
  add_labelled(folder);
  ImportPlan plan;
  plan.config.classes = {{"floor", kFloor}};
  for (const char* name : {"f1", "f2"}) {
    plan.frames.emplace_back();
    plan.frames.back().name = name;
    plan.frames.back().color = folder / (std::string(name) + "_colors.png");
  }
  plan.frames[1].truth = [](const FrameSize&) -> image::LabelImage { throw Error(ErrorKind::kData, "a damaged mask"); };
  ThreadPool pool(2);
  testdata::expect_refused(ErrorKind::kData, [&] { write_import(plan, folder / "out", pool); });
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_FALSE(fs::exists(folder / "out.part"));
  plan.frames[1].truth = [](const FrameSize& size) { return image::LabelImage(size.rows, size.cols + 1); };
  testdata::expect_refused(ErrorKind::kData, [&] { write_import(plan, folder / "out", pool); });
  plan.frames[1].truth = {};
  // A folder left by a killed import is reused; another program's folder is not.
  folder.write("out.part/.fernwood_import", std::string());
  folder.write("out.part/f9_colors.png", std::string());
  write_import(plan, folder / "out", pool);
  EXPECT_THAT(files_in(folder / "out"), UnorderedElementsAre("dataset.toml", "f1_colors.png", "f2_colors.png"));
  testdata::expect_refused(ErrorKind::kUsage, [&] { write_import(plan, folder / "out", pool); });
  folder.write("new.part/own.txt", std::string());
  testdata::expect_refused(ErrorKind::kUsage, [&] { write_import(plan, folder / "new", pool); });
  EXPECT_TRUE(fs::exists(folder / "new.part/own.txt"));
  fs::create_directory(folder / "early.part");  // killed before the folder was marked
  write_import(plan, folder / "early", pool);
  EXPECT_TRUE(fs::exists(folder / "early/f1_colors.png"));
}

TEST(WriteImport, FramesOfOneNameInSeveralFoldersAreToldApart) {
  const TestFolder folder;
  for (const char* scene : {"a", "b"}) {
    fs::create_directories(folder / scene);
    write_png(folder / (std::string(scene) + "/1.png"), Array2<image::Rgb>(2, 2));
  }
  const ImportPlan plan = plan_import("folders", {.in = folder.path(), .colors = "{}.png"});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].name, "a_1");
  EXPECT_EQ(plan.frames[0].group, "a");
}

// ---- Published RGB-D data sets, in their unpacked form ----

TEST(ImportTum, DepthIsInFifthsOfAMillimetre) {
  const TestFolder folder;
  write_files(folder, "rgb/1.0.png", "depth/1.01.png", 5000);
  folder.write("rgb.txt", std::string("# color images\n1.0 rgb/1.0.png\n"));
  folder.write("depth.txt", std::string("1.01 depth/1.01.png\n"));
  EXPECT_EQ(imported(folder, "tum").read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 1000));
  folder.write("groundtruth.txt", std::string("1000.0 0 0 0 0 0 0 1\n"));
  testdata::expect_sentence(join(plan_import("tum", {.in = folder.path()}).notes, "\n"));
  folder.write("groundtruth.txt", std::string("1.0 0 0 0 0 0 0 0\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("tum", {.in = folder.path()}); });
}

TEST(Import7Scenes, SequencesHaveSplitsAnd65535IsUnknown) {
  const TestFolder folder;
  for (const char* sequence : {"seq-01", "seq-02"})
    write_files(folder, std::string(sequence) + "/frame-000000.color.png",
                std::string(sequence) + "/frame-000000.depth.png", 65535);
  folder.write("TrainSplit.txt", std::string("sequence1\n"));
  folder.write("TestSplit.txt", std::string("sequence2\n"));
  folder.write("seq-01/frame-000000.pose.txt", std::string("1 0 0\n"));
  testdata::expect_sentence(join(plan_import("7scenes", {.in = folder.path()}).notes, "\n"));
  const Dataset data = imported(folder, "7scenes", "train");
  EXPECT_EQ(data.files(0).name, "seq-01_000000");
  EXPECT_EQ(data.read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 0));
  EXPECT_EQ(data.config().camera->fx, 585);
}

TEST(ImportScanNet, NumbersGoThroughTheTable) {
  const TestFolder folder;
  write_files(folder, "scene0000_00/color/0.png", "scene0000_00/depth/0.png", 1500);
  fs::create_directories(folder / "scene0000_00/label-filt");
  write_png16(folder / "scene0000_00/label-filt/0.png", depth_image(2, 2, {0, 1, 21, 1}));
  folder.write("scannetv2-labels.combined.tsv",
               std::string("id\traw_category\tnyu40id\n1\twall\t1\n21\tcoffee table\t7\n"));
  folder.write("scene0000_00/intrinsic/intrinsic_color.txt", std::string("5 0 1 0\n0 6 0.5 0\n0 0 1 0\n0 0 0 1\n"));
  folder.write("scene0000_00/pose/0.txt", std::string("nan 0 0\n"));
  const ImportPlan plan = plan_import("scannet", {.in = folder.path()});
  testdata::expect_sentence(join(plan.notes, "\n"));
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("-", "wall", "table", "wall"));
  EXPECT_EQ(plan.config.camera, (image::Camera{2, 2, 5, 6, 1, 0.5f}));
}

TEST(ImportScanNet, EachSceneHasItsCamera) {
  const TestFolder folder;
  for (const auto& [scene, matrix] : {std::pair("a", "30 0 1 0\n0 30 0.5 0\n0 0 1 0\n0 0 0 1\n"),
                                      std::pair("b", "60 0 1 0\n0 60 0.5 0\n0 0 1 0\n0 0 0 1\n")}) {
    write_files(folder, std::string(scene) + "/color/0.png", std::string(scene) + "/depth/0.png", 1500);
    folder.write(std::string(scene) + "/intrinsic/intrinsic_color.txt", std::string(matrix));
  }
  const Dataset data = imported(folder, "scannet");
  EXPECT_EQ(data.read_frame(0).camera->fx, 30);
  EXPECT_EQ(data.read_frame(1).camera->fx, 60);
  testdata::expect_sentence(data.camera_text());
}

TEST(Import7Scenes, IntrinsicsBesideTheFramesAreThoseOfTheCamera) {
  const TestFolder folder;
  write_files(folder, "seq-01/frame-000000.color.png", "seq-01/frame-000000.depth.png", 1500);
  EXPECT_TRUE(camera_text(plan_import("7scenes", {.in = folder.path()})).ends_with(", assumed"));
  folder.write("camera-intrinsics.txt", std::string("570.5 0 320\n0 570.5 240\n0 0 1\n"));
  EXPECT_EQ(imported(folder, "7scenes").config().camera, (image::Camera{2, 2, 570.5f, 570.5f, 320, 240}));
}

TEST(ImportSunRgbd, DepthIsRotatedByThreeBits) {
  const TestFolder folder;
  write_files(folder, "kv1/NYU0001/image/a.png", "kv1/NYU0001/depth_bfx/a.png", static_cast<std::uint16_t>(1234 << 3));
  write_files(folder, "kv1/NYU0001/image/a.png", "kv1/NYU0001/depth/a.png", 7);
  folder.write("kv1/NYU0001/intrinsics.txt", std::string("5 0 1\n0 6 0.5\n0 0 1\n"));
  EXPECT_EQ(imported(folder, "sunrgbd").read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 1234));
}

TEST(Import2d3ds, ColoursAreNumbersOfInstances) {
  const TestFolder folder;
  const std::string name = "camera_0abc_office_3_frame_1_domain_";
  write_files(folder, "area_1/data/rgb/" + name + "rgb.png", "area_1/data/depth/" + name + "depth.png", 512);
  fs::create_directories(folder / "area_1/data/semantic");
  write_png(folder / ("area_1/data/semantic/" + name + "semantic.png"),
            rgb_image(2, 2, {{0, 0, 1}, {0, 0, 2}, {13, 13, 13}, {0, 0, 0}}));
  folder.write("assets/semantic_labels.json", std::string(R"(["<UNK>", "wall_1_office_3_1", "chair_2_office_3_1"])"));
  const ImportPlan plan = plan_import("2d3ds", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("wall", "chair", "-", "-"));
  EXPECT_EQ(plan.frames[0].group, "office_3");
  EXPECT_EQ(imported(folder, "2d3ds").read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 1000));
}

TEST(ImportBop, MasksOfObjectsAreFoundByNumber) {
  const TestFolder folder;
  write_files(folder, "test/000001/rgb/000003.png", "test/000001/depth/000003.png", 10000);
  folder.write("test/000001/scene_gt.json", std::string(R"({"3": [{"obj_id": 5}]})"));
  folder.write("test/000001/scene_camera.json",
               std::string(R"({"3": {"cam_K": [5, 0, 1, 0, 6, 0.5, 0, 0, 1], "depth_scale": 0.1}})"));
  fs::create_directories(folder / "test/000001/mask_visib");
  folder.write("test/000001/mask_visib/000003_000000.png",
               PngFile(2, 2, 8, PngFile::kGrey).pixels({{0, 255}, {0, 0}}).finish());
  const ImportPlan plan = plan_import("bop", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("background", "object 5", "background", "background"));
  EXPECT_EQ(instance_digits(plan, 0, 2, 2), "0100");
  EXPECT_EQ(imported(folder, "bop").read_frame(0).depth_mm, Array2<std::uint16_t>(2, 2, 1000));
}

TEST(ImportBop, AnObjectWithoutAWholeNumberIsASentence) {
  const TestFolder folder;
  write_files(folder, "test/000001/rgb/000003.png", "test/000001/depth/000003.png", 10000);
  for (const char* object : {R"({"obj_id": 1.5})", R"({"obj_id": -1})", R"({"obj_id": "5"})", "{}", "7"}) {
    folder.write("test/000001/scene_gt.json", std::string(R"({"3": [)") + object + "]}");
    testdata::expect_refused(ErrorKind::kData, [&] { plan_import("bop", {.in = folder.path()}); });
  }
}

TEST(ImportFormats, FilesThatTheUserNamesMustExist) {
  const TestFolder folder;
  const auto in = folder.write("in.json", std::string("{}"));
  for (const char* of_voc : {"JPEGImages/a.png", "SegmentationClass/a.png"}) write_files(folder, of_voc, of_voc, 1);
  for (const ImportFormat& format : import_formats()) {
    const std::string name(format.name);
    if (format.has("images"))
      testdata::expect_refused(ErrorKind::kData, [&] { plan_import(name, {.in = in, .images = folder / "missing"}); });
    if (!format.has("classes")) continue;
    ImportOptions options{.in = folder.path(), .classes = folder / "missing.txt"};
    if (format.has("labels")) options.colors = "JPEGImages/{}.png", options.labels = "SegmentationClass/{}.png";
    testdata::expect_refused(ErrorKind::kRuntime, [&] { plan_import(name, options); });
  }
}

TEST(ImportFormats, FoldersWithoutTheirFramesAreSentences) {
  const TestFolder folder;
  folder.write("readme.txt", std::string("nothing"));
  for (const ImportFormat& format : import_formats()) {
    if (format.name == "folders") continue;
    const std::optional<Error> error = error_of([&] { plan_import(std::string(format.name), {.in = folder.path()}); });
    ASSERT_TRUE(error.has_value()) << format.name;
    EXPECT_TRUE(error->kind() == ErrorKind::kData || error->kind() == ErrorKind::kRuntime)
        << format.name << ": " << error->what();
  }
}

TEST(Import, WritesPosesBesideTheFrames) {
  const TestFolder folder;
  for (const char* number : {"000000", "000001"}) {
    const std::string name = std::string("seq-01/frame-") + number;
    fs::create_directories(folder / "seq-01");
    write_png(folder / (name + ".color.png"), Array2<image::Rgb>(2, 2));
    write_png16(folder / (name + ".depth.png"), Array2<std::uint16_t>(2, 2, 1000));
  }
  folder.write("seq-01/frame-000001.pose.txt", std::string("1 0 0 1.5\n0 1 0 -2\n0 0 1 0.25\n0 0 0 1\n"));
  ThreadPool pool(1);
  write_import(plan_import("7scenes", {.in = folder.path()}), folder / "out", pool);
  testdata::expect_sentence(read_text(folder / "out/poses.txt"));
}

}  // namespace
}  // namespace fernwood::formats
