// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"
#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kStreet = "images/ADE/training/urban/street/", kPark = "images/ADE/validation/urban/park/";

void add_ade_picture(const TestFolder& folder, const std::string& name, const std::vector<image::Rgb>& seg) {
  folder.write(name + ".jpg", encode_jpeg(Array2<image::Rgb>(2, 2, {90, 120, 30})));
  write_png(folder / (name + "_seg.png"), rgb_image(2, 2, seg));
}

/// JSON of objects, each {number, name, part level}.
std::string ade_json(const std::vector<std::tuple<int, std::string, int>>& objects) {
  std::string text;
  for (const auto& [number, name, level] : objects)
    text += std::string(text.empty() ? "" : ", ") + R"({"name": ")" + name + R"(", "name_ndx": )" +
            std::to_string(number) + R"(, "parts": {"hasparts": [], "ispartof": [], "part_level": )" +
            std::to_string(level) + "}}";
  return R"({"annotation": {"filename": "a.jpg", "object": [)" + text + "]}}";
}

TEST(ImportAde20k, RedInTensAndGreenAreTheNumberOfAName) {
  const TestFolder folder;
  // 2836 = 11 * 256 + 20, 401 = 1 * 256 + 145; the units digit of red, and blue, are ignored.
  add_ade_picture(folder, kStreet + "ADE_train_00000002", {{110, 20, 1}, {10, 145, 2}, {19, 145, 3}, {0, 0, 0}});
  folder.write(kStreet + "ADE_train_00000002.json",
               ade_json({{2836, "traffic light", 0}, {401, "car, auto", 0}, {1564, "mirror", 1}}));
  write_png(folder / (kStreet + "ADE_train_00000002_parts_1.png"), Array2<image::Rgb>(2, 2, {60, 28, 1}));
  add_ade_picture(folder, kPark + "ADE_val_00000010", {{110, 20, 1}, {0, 5, 1}, {0, 5, 1}, {0, 5, 1}});
  folder.write(kPark + "ADE_val_00000010.json", ade_json({{2836, "traffic light", 0}, {5, "tree", 0}}));
  const ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_THAT(plan.notes, IsEmpty());
  EXPECT_EQ(plan.config.classes.size(), 3u) << "parts are not classes";
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("traffic light", "car, auto", "car, auto", "-"));
  EXPECT_THAT(names_of_pixels(plan, 1, 2, 2), ElementsAre("traffic light", "tree", "tree", "tree"));
  EXPECT_EQ(plan.frames[0].split, "train");
  EXPECT_EQ(plan.frames[1].split, "val");
  const Dataset data = imported(folder, "ade20k", "val");
  EXPECT_EQ(data.files(0).name, "ADE_val_00000010");
}

TEST(ImportAde20k, JsonMayBeLatin1AndAListOfOneAnObject) {
  const TestFolder folder;
  add_ade_picture(folder, "training/a", {{0, 7, 1}, {0, 7, 1}, {0, 7, 2}, {0, 7, 2}});
  folder.write("training/a.json", std::string("{\"annotation\": {\"object\": {\"name\": \"caf\xe9\", \"name_ndx\": 7, "
                                              "\"parts\": {\"ispart\": false}}}}"));
  const ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), testing::Each("caf\xc3\xa9"));
  EXPECT_EQ(plan_import("ade20k", {.in = folder / "training"}).frames[0].split, "train");
}

TEST(ImportAde20k, WithoutJsonObjectsAreCalledByTheirNumber) {
  const TestFolder folder;
  add_ade_picture(folder, "a", {{0, 7, 1}, {0, 8, 1}, {0, 0, 0}, {10, 0, 1}});
  add_ade_picture(folder, "b", {{0, 8, 1}, {0, 8, 1}, {0, 8, 1}, {0, 8, 1}});
  folder.write("b.json", ade_json({{8, "door", 0}}));
  const ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 2, 2), ElementsAre("class 7", "door", "-", "class 256"));
  testdata::expect_sentence(join(plan.notes, "\n"));
  write_png(folder / "b_seg.png", Array2<image::Rgb>(2, 2, {20, 1, 0}));
  testdata::expect_refused(ErrorKind::kData, [&] { names_of_pixels(plan, 1, 2, 2); });
}

TEST(ImportAde20k, WhatLacksAPartnerIsNamedInTheOrderOfNumbers) {
  const TestFolder folder;
  for (const char* name : {"10", "2"}) {
    add_ade_picture(folder, name, {{0, 7, 1}, {0, 7, 1}, {0, 7, 1}, {0, 7, 1}});
    folder.write(std::string(name) + ".json", ade_json({{7, "bed", 0}}));
  }
  folder.write("3.jpg", encode_jpeg(Array2<image::Rgb>(2, 2)));
  write_png(folder / "4_seg.png", Array2<image::Rgb>(2, 2));
  const ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].name, "02");
  EXPECT_THAT(plan.notes, ElementsAre("without image or labels, and left out: 3, 4"));
}

TEST(ImportAde20k, WhatIsNearlyItIsASentence) {
  const TestFolder folder;
  add_ade_picture(folder, "a", {{0, 7, 1}, {0, 7, 1}, {0, 7, 1}, {0, 7, 1}});
  folder.write("a.json", std::string(R"({"annotation": {"objects": []}})"));
  const auto plan = [&] { return plan_import("ade20k", {.in = folder.path()}); };
  testdata::expect_refused(ErrorKind::kData, plan);
  folder.write("a.json", ade_json({{7, "bed", 0}}).substr(0, 60));
  testdata::expect_refused(ErrorKind::kData, plan);
  folder.write("a.json", ade_json({{7, "bed", 0}}));
  folder.write("a_seg.png", PngFile(2, 2, 8, PngFile::kGrey).pixels({{7, 7}, {7, 7}}).finish());
  testdata::expect_refused(ErrorKind::kData, [&] { names_of_pixels(plan(), 0, 2, 2); });
  write_png(folder / "a_seg.png", Array2<image::Rgb>(2, 2, {0, 7, 1}));
  fs::resize_file(folder / "a_seg.png", fs::file_size(folder / "a_seg.png") - 20);
  testdata::expect_refused(ErrorKind::kData, [&] { names_of_pixels(plan(), 0, 2, 2); });
  fs::create_directories(folder / "empty");
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("ade20k", {.in = folder / "empty"}); });
}

// ---- ADEChallengeData2016 ----

void add_scene(const TestFolder& folder, const std::string& name, const Bytes& numbers) {
  folder.write("images/" + name + ".jpg", encode_jpeg(Array2<image::Rgb>(1, 2, {90, 120, 30})));
  folder.write("annotations/" + name + ".png", PngFile(2, 1, 8, PngFile::kGrey).pixels({numbers}).finish());
}

const std::string kObjectInfo =
    "Idx\tRatio\tTrain\tVal\tStuff\tName\n1\t0.15\t11664\t1172\t1\twall\n22 \t0.01\t709\t75\t1\twater \n"
    "13\t0.01\t5075\t526\t0\tperson, individual\n";

TEST(ImportSceneParsing, NumbersAreThoseOfObjectInfoAnd0IsVoid) {
  const TestFolder folder;
  add_scene(folder, "training/ADE_train_2", {0, 22});
  add_scene(folder, "validation/ADE_val_1", {13, 1});
  folder.write("images/training/ADE_train_3.jpg", encode_jpeg(Array2<image::Rgb>(1, 2)));
  folder.write("objectInfo150.txt", kObjectInfo);
  const ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_THAT(names_of_pixels(plan, 0, 1, 2), ElementsAre("-", "water"));
  EXPECT_THAT(names_of_pixels(plan, 1, 1, 2), ElementsAre("person, individual", "wall"));
  EXPECT_EQ(plan.frames[0].split, "train");
  EXPECT_EQ(plan.frames[1].split, "val");
  EXPECT_EQ(plan.frames[1].name, "ADE_val_1");
  testdata::expect_sentence(join(plan.notes, "\n"));
}

TEST(ImportSceneParsing, OtherNumbersAndMissingListsAreTold) {
  const TestFolder folder;
  add_scene(folder, "training/a", {0, 150});
  ImportPlan plan = plan_import("ade20k", {.in = folder.path()});
  EXPECT_THAT(names_of_pixels(plan, 0, 1, 2), ElementsAre("-", "class 150"));
  testdata::expect_sentence(join(plan.notes, "\n"));
  folder.write("objectInfo150.txt", kObjectInfo);
  plan = plan_import("ade20k", {.in = folder.path()});
  testdata::expect_refused(ErrorKind::kData, [&] { names_of_pixels(plan, 0, 1, 2); });
  fs::remove_all(folder / "annotations/training");
  testdata::expect_refused(ErrorKind::kData, [&] { plan_import("ade20k", {.in = folder.path()}); });
}

}  // namespace
}  // namespace fernwood::formats
