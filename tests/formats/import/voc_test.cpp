// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

TEST(Voc, IndicesOfThePaletteCountAnd255IsVoid) {
  const TestFolder folder;
  add_pictures(folder, {"JPEGImages/a.png", "JPEGImages/b.png", "JPEGImages/extra.png"});
  std::filesystem::create_directories(folder / "SegmentationClass");
  Array2<std::uint8_t> indices(2, 4);
  indices(0, 0) = 15;
  indices(1, 3) = 255;
  std::vector<image::Rgb> palette(256, {9, 9, 9});  // palettes vary between programs
  for (const char* name : {"a", "b"})
    write_palette_png(folder / ("SegmentationClass/" + std::string(name) + ".png"), indices, palette);
  folder.write("ImageSets/Segmentation/train.txt", std::string("a\n"));
  folder.write("ImageSets/Segmentation/val.txt", std::string("b\n"));
  const ImportPlan plan = plan_import("voc", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].split, "train");
  EXPECT_EQ(plan.frames[1].split, "val");
  EXPECT_EQ(plan.config.classes.size(), 21u);
  EXPECT_EQ(letters(plan, 0, 2, 4), "pbbbbbb-");
  for (const char* list : {"train", "val"})
    folder.write("ImageSets/Segmentation/" + std::string(list) + ".txt", std::string("other\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("voc", {.in = folder.path()}); });
}

TEST(Voc, ColoursAreThoseOfLabelmap) {
  const TestFolder folder;
  add_pictures(folder, {"JPEGImages/a.png"});
  std::filesystem::create_directories(folder / "SegmentationClass");
  write_png(
      folder / "SegmentationClass/a.png",
      rgb_image(2, 4, {{0, 0, 0}, {7, 8, 9}, {7, 8, 9}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {224, 224, 192}, {0, 0, 0}}));
  folder.write("labelmap.txt", std::string("# label:color_rgb:parts:actions\nbackground:0,0,0::\ncar:7,8,9::\n"));
  EXPECT_EQ(letters(plan_import("voc", {.in = folder.path()}), 0, 2, 4), "bccbbb-b");
  folder.write("labelmap.txt", std::string("# label:color_rgb:parts:actions\nbackground:::\ncar:::\n"));
  testdata::expect_refused(ErrorKind::kData, [&] {
    plan_import("voc", {.in = folder.path()}).frames[0].truth({2, 4});
  });
  folder.write("labelmap.txt", std::string("background:0,0,0::\ncar:7,8,9::\nbus:7,8,9::\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("voc", {.in = folder.path()}); });
  Array2<std::uint8_t> numbers(2, 4);
  numbers(0, 1) = 1, numbers(0, 2) = 2;
  write_palette_png(folder / "SegmentationClass/a.png", numbers, std::vector<image::Rgb>(256));
  const ImportPlan plan = plan_import("voc", {.in = folder.path()});
  EXPECT_EQ(letters(plan, 0, 2, 4), "bcbbbbbb") << "background, car, bus";
  EXPECT_NE(plan.frames[0].truth({2, 4}).labels(0, 2), 0) << "the numbers tell classes of one colour apart";
  EXPECT_NE(plan.frames[0].truth({2, 4}).labels(0, 2), plan.frames[0].truth({2, 4}).labels(0, 1));
  EXPECT_EQ(plan.notes.size(), 1u);
}

/// Label images whose colours are those of VOC's numbers 0 and 1.
void add_colors_of_0_and_1(const TestFolder& folder) {
  add_pictures(folder, {"JPEGImages/a.png"});
  std::filesystem::create_directories(folder / "SegmentationClass");
  write_png(folder / "SegmentationClass/a.png",
            rgb_image(2, 4, {{}, {}, {}, {}, {128, 0, 0}, {128, 0, 0}, {128, 0, 0}, {128, 0, 0}}));
}

TEST(Voc, ColoursAreThoseOfTheNumbersInTheList) {
  const TestFolder folder;
  add_colors_of_0_and_1(folder);
  const auto read = [&](const std::string& list) {
    return letters(plan_import("voc", {.in = folder.path(), .classes = folder.write("c.csv", list)}), 0, 2, 4);
  };
  EXPECT_EQ(read("1 wall\n2 floor\n"), "----wwww") << "0 is not listed, so it is void";
  EXPECT_EQ(read("2 floor\n1 wall\n"), "----wwww");
  EXPECT_EQ(read("0 background\n1 wall\n"), "bbbbwwww");
  EXPECT_EQ(read("id,name,r,g,b\n7,wall,0,0,0\n3,floor,128,0,0\n"), "wwwwffff") << "colours of the list go first";
}

TEST(Voc, NamesOfPascalAreAssumedAloudAndOnlyWithoutAList) {
  const TestFolder folder;
  add_colors_of_0_and_1(folder);
  testdata::expect_sentence(join(plan_import("voc", {.in = folder.path()}).notes, "\n"));
  folder.write("class_names.txt", std::string("_background_\ncar\n"));
  const ImportPlan plan = plan_import("voc", {.in = folder.path()});
  EXPECT_EQ(letters(plan, 0, 2, 4), "____cccc");
  EXPECT_TRUE(plan.notes.empty());
}

TEST(Voc, OnlyTheUsualListMayBeMissing) {
  const TestFolder folder;
  add_colors_of_0_and_1(folder);
  EXPECT_EQ(plan_import("voc", {.in = folder.path()}).config.classes.size(), 21u);
  folder.write("labelmap.txt", std::string("background:0,0,0::\nwall:128,0,0::\n"));
  EXPECT_EQ(plan_import("voc", {.in = folder.path()}).config.classes.size(), 2u);
  EXPECT_THROW(plan_import("voc", {.in = folder.path(), .classes = folder / "missing.txt"}), Error);
}

}  // namespace
}  // namespace fernwood::formats
