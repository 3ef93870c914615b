// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fernwood/formats/export_labels.h"
#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

using testing::Contains;
using testing::ElementsAre;

/// A COCO file of pictures with one object that covers the upper left pixel.
std::string coco_of(const std::vector<std::string>& files) {
  nlohmann::json images, annotations;
  for (std::size_t i = 0; i < files.size(); ++i) {
    images.push_back({{"id", i}, {"file_name", files[i]}});
    annotations.push_back({{"id", i}, {"image_id", i}, {"category_id", 1}, {"bbox", {0, 0, 1, 1}}});
  }
  return nlohmann::json{
      {"images", images}, {"annotations", annotations}, {"categories", {{{"id", 1}, {"name", "cup"}}}}}
      .dump();
}

TEST(Annotations, APictureIsFoundByEverySpellingOfItsName) {
  const TestFolder folder;
  add_pictures(folder, {"pics/rooms/a.png", "pics/my room.png", "pics/K\u00fcche.png", "pics/Train/f.png",
                        "pics/Val/f.png", "pics/\uac00.JPG.png"});
  const ImportPlan plan =
      import_text(folder, "coco", "x.json",
                  coco_of({"images\\rooms\\A.PNG", "my%20room.png", "Ku\u0308che.png", "C:\\train\\f.png",
                           "s3://bucket/val/f.png?signed=1/2", "1a2b3c4d-\u1100\u1161.JPG.png"}));
  std::vector<std::string> files;
  for (const ImportedFrame& frame : plan.frames)
    files.push_back(frame.color.lexically_relative(folder.path()).string());
  EXPECT_THAT(files, ElementsAre("pics/rooms/a.png", "pics/my room.png", "pics/K\u00fcche.png", "pics/Train/f.png",
                                 "pics/Val/f.png", "pics/\uac00.JPG.png"));
  testdata::expect_refused(ErrorKind::kData, [&] { import_text(folder, "coco", "x.json", coco_of({"f.png"})); });
}

TEST(Cvat, SubsetsOfAProjectAreFolders) {
  const TestFolder folder;
  add_pictures(folder, {"images/Train/f.png", "images/Validation/f.png"});
  const ImportPlan plan = import_text(folder, "cvat", "x.xml", R"(<annotations>
      <image name="f.png" subset="Train" width="4" height="2"/>
      <image name="f.png" subset="Validation" width="4" height="2"/></annotations>)");
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(plan.frames[0].color, folder / "images/Train/f.png");
  EXPECT_EQ(plan.frames[1].color, folder / "images/Validation/f.png");
  EXPECT_EQ(plan.frames[1].split, "val");
}

/// A picture of 4 x 2 pixels with an EXIF orientation.
void add_turned_picture(const TestFolder& folder, const std::string& name, std::uint8_t orientation) {
  const std::vector<Bytes> pixels(2, Bytes(12, 7));
  folder.write(name, PngFile(4, 2, 8, PngFile::kRgb).chunk("eXIf", exif_of(orientation, true)).pixels(pixels).finish());
}

TEST(Annotations, OfTurnedPicturesAreTurnedBackToTheStoredPixels) {
  // The upper left pixel of what viewers show.
  const std::vector<std::string> stored = {"c-------", "---c----", "-------c", "----c---",
                                           "c-------", "----c---", "-------c", "---c----"};
  for (std::uint8_t orientation = 1; orientation <= 8; ++orientation) {
    const TestFolder folder;
    add_turned_picture(folder, "a.png", orientation);
    const ImportPlan plan = import_text(folder, "coco", "x.json", coco_of({"a.png"}));
    EXPECT_EQ(letters(plan, 0, 2, 4), stored[orientation - 1u]) << int{orientation};
    EXPECT_EQ(plan.all_notes().size(), orientation > 1 ? 2u : 1u) << "the box, and the orientation";
    // The same annotation for 4 x 2 pixels is of the stored picture if a viewer shows 2 x 4.
    std::string sized = coco_of({"a.png"});
    sized.insert(sized.find("\"file_name\""), R"("width": 4, "height": 2, )");
    const ImportPlan of_stored = import_text(folder, "coco", "x.json", sized);
    EXPECT_EQ(letters(of_stored, 0, 2, 4), orientation >= 5 ? "c-------" : stored[orientation - 1u]);
  }
}

TEST(Annotations, TurnedPicturesGoThroughEveryFormatAndBack) {
  for (const std::string format : {"coco", "cvat", "label-studio", "labelme", "supervisely"})
    for (const std::uint8_t orientation : {3, 6}) {
      const TestFolder folder, out;
      add_turned_picture(folder, "a_colors.png", orientation);
      add_truth(folder, "a", {kFloor, kProp, kProp, kProp, kProp, kProp, kProp, kProp}, 2, 4);
      ThreadPool pool(1);
      const Dataset data = Dataset::open(folder.path());
      export_labels(data, truth_of(data, pool), format, out / "labels", pool);
      ImportOptions options{.in = out / "labels"};
      if (format != "supervisely") options.images = folder.path();
      const ImportPlan plan = plan_import(format, options);
      const std::string labels = letters(plan, 0, 2, 4);
      EXPECT_EQ(labels, labels.substr(0, 1) + std::string(7, labels[1])) << format << int{orientation};
      EXPECT_NE(labels[0], labels[1]) << format << int{orientation};
    }
}

TEST(Annotations, CuboidsAndTurnedBoxesCoverPixelsAndTheRestIsCounted) {
  const TestFolder folder;
  add_pictures(folder, {"a.png", "ds/img/a.png"});
  const ImportPlan cvat = import_text(folder, "cvat", "x.xml", R"(<annotations><image name="ds/img/a.png">
      <cuboid label="c" xtl1="0" ytl1="0" xbl1="0" ybl1="2" xtr1="1" ytr1="0" xbr1="1" ybr1="2"
                        xtl2="2" ytl2="0" xbl2="2" ybl2="2" xtr2="1" ytr2="0" xbr2="1" ybr2="2"/>
      <polyline label="c" points="0,0;1,1"/><box label="c" xtl="3.6" ytl="0" xbr="3.9" ybr="2"/></image></annotations>)");
  EXPECT_EQ(letters(cvat, 0, 2, 4), "cc--cc--");
  EXPECT_THAT(cvat.all_notes(), testing::IsSupersetOf({"left out: polyline, which cover no pixel (1)",
                                                       "left out: shapes that cover no pixel (1)"}));
  const ImportPlan labelme = import_text(folder, "labelme", "a.json", R"({"imagePath": "a.png", "shapes": [
      {"label": "box", "shape_type": "oriented_rectangle", "points": [[0, 0], [2, 0], [2, 1], [0, 1]]},
      {"label": "l", "shape_type": "linestrip", "points": [[0, 0], [2, 0], [2, 1]]}]})");
  EXPECT_EQ(letters(labelme, 0, 2, 4), "bb------");
  testdata::expect_sentence(join(labelme.all_notes(), "\n"));
  const ImportPlan studio = import_text(folder, "label-studio", "s.json", R"([{"data": {"image": "ds/img/a.png",
      "image2": "b.png"}, "annotations": [{"result": [
      {"id": "k", "type": "keypointlabels", "to_name": "image", "value": {"x": 1, "y": 1, "width": 9, "keypointlabels": ["k"]}},
      {"id": "r", "type": "rectanglelabels", "to_name": "image", "value": {"x": 0, "y": 0, "width": 25, "height": 50, "rectanglelabels": ["r"]}},
      {"id": "o", "type": "rectanglelabels", "to_name": "image2", "value": {"x": 0, "y": 0, "width": 99, "height": 99, "rectanglelabels": ["o"]}}]}]}])");
  EXPECT_EQ(letters(studio, 0, 2, 4), "r-------");
  EXPECT_THAT(studio.all_notes(), testing::IsSupersetOf({"left out: second images of a task (1)",
                                                         "left out: annotations of second images of a task (1)",
                                                         "left out: keypointlabels, which cover no pixel (1)"}));
  folder.write("meta.json", std::string("{}"));
  folder.write("ds/ann/a.png.json", std::string(R"({"objects": [
      {"classTitle": "c", "geometryType": "cuboid", "points": [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]]},
      {"classTitle": "l", "geometryType": "polyline", "points": {"exterior": [[0, 0], [4, 0], [4, 2]], "interior": []}}]})"));
  const ImportPlan supervisely = plan_import("supervisely", {.in = folder.path()});
  EXPECT_EQ(letters(supervisely, 0, 2, 4), "cc--cc--");
  EXPECT_THAT(supervisely.all_notes(), Contains("left out: polyline, which cover no pixel (1)"));
}

TEST(Labelme, FollowsTheRelativePathOfAPictureAndSaysThatItLeadsOut) {
  const TestFolder folder;
  add_pictures(folder, {"data/a.png"});
  folder.write("data/secret.txt", std::string("s"));
  folder.write("own/lm/a.json", std::string(R"({"imagePath": "..\\..\\data/a.png", "shapes": []})"));
  const ImportPlan plan = plan_import("labelme", {.in = folder / "own"});
  EXPECT_TRUE(std::filesystem::equivalent(plan.frames.at(0).color, folder / "data/a.png"));
  testdata::expect_sentence(join(plan.all_notes(), "\n"));
  for (const std::string& path : {std::string("../../data/secret.txt"), (folder / "data/a.png").string()}) {
    folder.write("own/lm/a.json", nlohmann::json{{"imagePath", path}, {"shapes", nlohmann::json::array()}}.dump());
    testdata::expect_refused(ErrorKind::kData, [&] { plan_import("labelme", {.in = folder / "own"}); });
  }
}

TEST(CheckImport, RefusesWhatTheImportWouldAndCountsWhatItWouldLeaveOut) {
  const TestFolder folder;
  folder.write("a.png", PngFile(4, 2, 8, PngFile::kGrey).pixels(std::vector<Bytes>(2, Bytes(4, 9))).finish());
  ThreadPool pool(1);
  ImportPlan plan = import_text(folder, "coco", "x.json", coco_of({"a.png"}));
  check_import(plan, pool);
  EXPECT_THAT(plan.all_notes(), Contains("written as RGB: grey images (1)"));
  write_import(plan, folder / "out", pool);
  EXPECT_EQ(read_color(folder / "out/a_colors.png"), Array2<image::Rgb>(2, 4, {9, 9, 9}));
  std::string wrong = coco_of({"a.png"});
  wrong.insert(wrong.find("\"file_name\""), R"("width": 9, )");
  plan = import_text(folder, "coco", "x.json", wrong);
  testdata::expect_refused(ErrorKind::kData, [&] { check_import(plan, pool); });
}

}  // namespace
}  // namespace fernwood::formats
