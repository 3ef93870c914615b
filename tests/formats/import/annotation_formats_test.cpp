// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Each format is tested with the contents of real files.

#include <gmock/gmock.h>

#include "fernwood/core/file.h"
#include "formats/import/imported.h"
#include "formats/label_runs.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

using testing::ElementsAre;

std::vector<std::string> class_names(const ImportPlan& plan) {
  std::vector<std::string> names;
  for (const image::ClassInfo& info : plan.config.classes) names.push_back(info.name);
  return names;
}

TEST(Coco, IdsHaveGapsPartsAreUnitedAndAreasMayBeWrong) {
  const TestFolder folder;
  add_pictures(folder, {"sub/a.png", "b.png"});
  const ImportPlan plan = import_text(folder, "coco", "x.json", R"({"info": {}, "images": [
    {"id": 0, "file_name": "sub/a.png", "width": 4, "height": 2}, {"id": 77, "file_name": "/elsewhere/b.png", "width": 4, "height": 2}],
    "categories": [{"id": 0, "name": "cup"}, {"id": 90, "name": "dog", "color": [9, 8, 7]}],
    "annotations": [{"id": 1, "image_id": 0, "category_id": 90, "area": -5, "segmentation": [[0,0, 1,0, 1,2, 0,2], [3,0, 4,0, 4,1, 3,1]]},
                    {"id": 2, "image_id": 0, "category_id": 0, "bbox": [1, 0, 1, 2]},
                    {"id": 3, "image_id": 77, "category_id": 0, "iscrowd": 1, "segmentation": {"size": [2, 4], "counts": [1, 2, 5]}}]})");
  EXPECT_THAT(class_names(plan), ElementsAre("cup", "dog"));
  EXPECT_EQ(plan.config.classes[1].color, (image::Rgb{9, 8, 7}));
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(letters(plan, 0, 2, 4), "dc-ddc--");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "12011200");
  EXPECT_EQ(letters(plan, 1, 2, 4), "-c--c---") << "runs go down the columns";
  EXPECT_EQ(instance_digits(plan, 1, 2, 4), "00000000") << "a crowd is not an object";
  testdata::expect_sentence(join(plan.all_notes(), "\n"));
}

TEST(Coco, PicturesThatAreMissingAreToldAndAllMissingIsAnError) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const std::string text =
      R"({"images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "gone.png"}], "categories": [], "annotations": []})";
  const ImportPlan plan = import_text(folder, "coco", "x.json", text);
  EXPECT_EQ(plan.frames.size(), 1u);
  testdata::expect_sentence(join(plan.all_notes(), "\n"));
  std::filesystem::remove(folder / "a.png");
  testdata::expect_refused(ErrorKind::kData, [&] { import_text(folder, "coco", "x.json", text); });
}

TEST(Coco, PanopticNumbersAreRPlus256G) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  std::filesystem::create_directories(folder / "pan");
  write_png(folder / "pan/a.png",
            rgb_image(2, 4, {{5, 1, 0}, {5, 1, 0}, {0, 0, 0}, {7, 0, 0}, {7, 0, 0}, {0, 0, 0}, {5, 1, 0}, {0, 0, 1}}));
  const std::string head =
      R"({"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 3, "name": "wall", "isthing": 0}, {"id": 8, "name": "cup", "isthing": 1}],
    "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 261, "category_id": 3}, {"id": 7, "category_id": 8})";
  const ImportPlan plan = import_text(folder, "coco", "pan.json", head + R"(, {"id": 65536, "category_id": 8}]}]})");
  EXPECT_EQ(letters(plan, 0, 2, 4), "ww-cc-wc");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "11022013");
  EXPECT_EQ(plan.config.classes[0].stated_thing, false);
  EXPECT_EQ(plan.config.classes[1].stated_thing, true);
  const ImportPlan lacking = import_text(folder, "coco", "pan.json", head + "]}]}");
  testdata::expect_refused(ErrorKind::kData, [&] { lacking.frames[0].truth({2, 4}); });
}

TEST(Coco, OtherFilesAreSentences) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const auto says = [&](const std::string& text) {
    testdata::expect_refused(ErrorKind::kData, [&] {
      import_text(folder, "coco", "x.json", text).frames[0].truth({2, 4});
    });
  };
  says("[]");
  says("{\"images\": [");
  const std::string images =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 4, "height": 2}], "categories": [{"id": 3, "name": "wall"}], "annotations": [)";
  says(images + R"({"id": 5, "image_id": 9, "category_id": 3}]})");
  says(images + R"({"id": 5, "image_id": 1, "category_id": 4}]})");
  says(images + R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": [[1, 2, 3]]}]})");
  says(images + R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": [2, 4], "counts": "~~~"}}]})");
  says(images + R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": [2, 4], "counts": [9]}}]})");
  for (const char* size : {"[4, 2]", "[2, 5]"})
    says(images + R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": )" + size +
         R"(, "counts": [8]}}]})");
  says(
      R"({"images": [{"id": 1, "file_name": "a.png"}, {"id": 1, "file_name": "b.png"}], "categories": [], "annotations": []})");
  for (const char* count : {"0.5", "-1", "null"})
    says(images + R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": [2, 4], "counts": [)" + count +
         "]}}]}");
  says(
      images +
      R"({"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": [99999999, 99999999], "counts": "0"}}]})");
}

TEST(Cvat, ShapesLieInTheOrderOfZAndMasksWithinTheirBox) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const ImportPlan plan =
      import_text(folder, "cvat", "x.xml", R"(<?xml version="1.0" encoding="utf-8"?><annotations><version>1.1</version>
    <meta><task><labels><label><name>wall</name><color>#0a0b0c</color><type>any</type></label><label><name>cup &amp; dish</name></label></labels></task></meta>
    <image id="0" name="a.png" width="4" height="2">
      <polygon label="cup &amp; dish" z_order="3" points="0.0,0.0;2.0,0.0;2.0,1.0;0.0,1.0"/>
      <box label="wall" z_order="-1" xtl="0" ytl="0" xbr="4" ybr="2"/>
      <mask label="cup &amp; dish" z_order="0" rle="1, 1, 1, 1" left="2" top="0" width="2" height="2"/>
      <points label="wall" points="1,1"/><tag label="wall"/>
    </image></annotations>)");
  EXPECT_EQ(plan.config.classes[0].color, (image::Rgb{10, 11, 12}));
  EXPECT_EQ(letters(plan, 0, 2, 4), "ccwcwwwc");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "11232223") << "in the order of the file, whatever lies above";
  EXPECT_THAT(plan.all_notes(), testing::IsSupersetOf({"left out: points, which cover no pixel (1)",
                                                       "left out: tag, which cover no pixel (1)"}));
}

TEST(Cvat, BoxesAreTurnedAboutTheirMiddle) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const ImportPlan plan =
      import_text(folder, "cvat", "x.xml", R"(<annotations><image id="0" name="a.png" width="4" height="2">
      <box label="b" xtl="1" ytl="0.5" xbr="3" ybr="1.5" rotation="90"/></image></annotations>)");
  EXPECT_EQ(letters(plan, 0, 2, 4), "-b---b--")
      << "2 x 1 about (2, 1) becomes 1 x 2 from 1.5 to 2.5: the middle of column 1, on its left edge";
}

TEST(Cvat, ShapesOfAGroupAreOneObject) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const ImportPlan plan =
      import_text(folder, "cvat", "x.xml", R"(<annotations><image id="0" name="a.png" width="4" height="2">
      <box label="b" group_id="7" xtl="0" ytl="0" xbr="1" ybr="1"/><box label="b" group_id="0" xtl="1" ytl="0" xbr="2" ybr="1"/>
      <box label="b" xtl="2" ytl="0" xbr="3" ybr="1"/><box label="b" group_id="7" xtl="3" ytl="0" xbr="4" ybr="1"/>
      </image></annotations>)");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "12310000");
}

TEST(Cvat, TracksEndWhereTheyAreOutside) {
  const TestFolder folder;
  add_pictures(folder, {"frame_000000.png", "frame_000001.png", "frame_000002.png"});
  const ImportPlan plan = import_text(folder, "cvat", "x.xml",
                                      R"(<annotations><meta><task><original_size><width> 4 </width><height>
2</height></original_size></task></meta>
    <track id="0" label="cup"><polygon frame="0" outside="0" points="0,0;1,0;1,2;0,2"/><polygon frame="2" outside="1" points="0,0;1,0;1,2;0,2"/></track>
    <track id="1" label="dog"><polygon frame="1" outside="0" points="3,0;4,0;4,2;3,2"/></track></annotations>)");
  ASSERT_EQ(plan.frames.size(), 2u);
  EXPECT_EQ(letters(plan, 0, 2, 4), "c---c---");
  EXPECT_EQ(letters(plan, 1, 2, 4), "---d---d");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "10001000");
  EXPECT_EQ(instance_digits(plan, 1, 2, 4), "00020002") << "a track has one number in all frames";
}

TEST(Cvat, OtherFilesAreSentences) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const auto says = [&](const std::string& text) {
    testdata::expect_refused(ErrorKind::kData, [&] {
      import_text(folder, "cvat", "x.xml", text).frames[0].truth({2, 4});
    });
  };
  says("<annotations><image");
  says("<annotation><filename>a.png</filename></annotation>");
  says(R"(<annotations><image name="a.png" width="8" height="4"><tag/></image></annotations>)");
  says(R"(<annotations><image name="a.png"><polygon points="1,2;x"/></image></annotations>)");
  says(R"(<annotations><meta><task><original_size><width>4px</width></original_size></task></meta>
          <track label="cup"><polygon frame="0" outside="0" points="0,0;1,0;1,2"/></track></annotations>)");
  says(
      R"(<annotations><image name="a.png"><mask rle="9" left="0" top="0" width="2" height="2"/></image></annotations>)");
  says(
      R"(<annotations><image name="a.png"><mask rle="0" left="0" top="0" width="1e9" height="2"/></image></annotations>)");
}

std::string rle_text(const image::LabelImage& labels) {
  std::string text = "[";
  for (const std::uint8_t byte : brush_runs(labels, 1)) text += (text.size() > 1 ? "," : "") + std::to_string(byte);
  return text + "]";
}

TEST(LabelStudio, RegionsOfOneIdAreOneAndPercentIsOfThePicture) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  image::LabelImage brush(2, 4);
  brush(1, 3) = 1;
  const ImportPlan plan = import_text(folder, "label-studio", "x.json",
                                      R"([{"data": {"image": "/data/upload/1/1a2b3c4d-a.png"}, "annotations": [
    {"was_cancelled": true, "result": [{"id": "q", "type": "brushlabels", "value": {"brushlabels": ["never"]}}]},
    {"result": [{"id": "p", "type": "polygonlabels", "value": {"points": [[0, 0], [50, 0], [50, 100], [0, 100]], "polygonlabels": ["wall"]}},
                {"id": "r", "type": "rectangle", "value": {"x": 0, "y": 0, "width": 25, "height": 50}},
                {"id": "r", "type": "labels", "value": {"labels": ["cup"]}},
                {"id": "b", "type": "brushlabels", "original_width": 4, "original_height": 2, "value": {"format": "rle", "rle": )" +
                                          rle_text(brush) + R"(, "brushlabels": ["dog"]}}]}]}])");
  EXPECT_THAT(class_names(plan), ElementsAre("wall", "cup", "dog"));
  EXPECT_EQ(letters(plan, 0, 2, 4), "cw--ww-d");
}

TEST(LabelStudio, WhereABrushIsHalfThereItCounts) {
  const TestFolder folder;
  write_png(folder / "a.png", Array2<image::Rgb>(1, 2, {1, 2, 3}));
  // 8 values of 8 bits; run lengths of 3, 4, 8 or 16 bits; one block of 8 different values: two pixels with opacities
  // 127 and 128.
  std::string bits;
  const auto put = [&](unsigned value, int count) {
    for (int bit = count - 1; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  };
  put(8, 32), put(7, 5), put(2, 4), put(3, 4), put(7, 4), put(15, 4);
  put(0, 1), put(0, 2), put(7, 3);
  for (const unsigned value : {0u, 0u, 0u, 127u, 0u, 0u, 0u, 128u}) put(value, 8);
  bits.resize((bits.size() + 7) / 8 * 8, '0');
  std::string bytes = "[";
  for (std::size_t i = 0; i < bits.size(); i += 8)
    bytes += (i > 0 ? "," : "") + std::to_string(std::stoi(bits.substr(i, 8), nullptr, 2));
  const ImportPlan plan = import_text(
      folder, "label-studio", "x.json",
      R"([{"data": {"image": "a.png"}, "annotations": [{"result": [{"id": "b", "original_width": 2, "original_height": 1,
    "value": {"rle": )" +
          bytes + R"(], "brushlabels": ["dog"]}}]}]}])");
  EXPECT_EQ(letters(plan, 0, 1, 2), "-d");
}

TEST(LabelStudio, OtherFilesAreSentences) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const auto says = [&](const std::string& text) {
    testdata::expect_refused(ErrorKind::kData,
                             [&] { letters(import_text(folder, "label-studio", "x.json", text), 0, 2, 4); });
  };
  says("[]");
  says("[{\"image\": \"a.png\"}]");
  const std::string head = R"([{"data": {"image": "a.png"}, "annotations": [{"result": [{"id": "b", )";
  says(head + R"("original_width": 4, "original_height": 2, "value": {"rle": [1, 2, 3], "brushlabels": ["x"]}}]}]}])");
  for (const char* byte : {"257", "-1", "0.5", "1e300", "null", "\"7\""})
    says(head + R"("original_width": 4, "original_height": 2, "value": {"rle": [0, 0, )" + byte +
         R"(], "brushlabels": ["x"]}}]}]}])");
  says(head + R"("value": {"rle": [1], "brushlabels": ["x"]}}]}]}])");
  says(head + R"("image_rotation": 90, "value": {}}]}]}])");
}

TEST(Labelme, PathsMayBeWrongAndFieldsMissing) {
  const TestFolder folder;
  add_pictures(folder, {"in/a.png", "in/b.png", "in/c.png"});
  folder.write(
      "in/a.json",
      std::string(R"({"imagePath": "C:\\data\\a.png", "imageData": null, "imageHeight": 2, "imageWidth": 4, "shapes": [
    {"label": "w\u00e4nde", "points": [[0, 0], [4, 0], [4, 1], [0, 1]], "group_id": 3},
    {"label": "__ignore__", "points": [[0.2, 0.2], [0.9, 0.9]], "shape_type": "rectangle"},
    {"label": "cup", "points": [[3.1, 1.4], [4.9, 3.2]], "shape_type": "rectangle"},
    {"label": "p", "points": [[1, 1]], "shape_type": "point"}]})"));
  folder.write("in/b.json", std::string(R"({"version": "5.0.1", "shapes": [], "imagePath": "gone/renamed.png"})"));
  folder.write(
      "in/c.json",
      std::string(
          R"({"shapes": [{"label": "dot", "shape_type": "circle", "points": [[2, 1], [3, 1]]}], "imagePath": "c.png"})"));
  const ImportPlan plan = plan_import("labelme", {.in = folder / "in"});
  ASSERT_EQ(plan.frames.size(), 3u);
  EXPECT_THAT(class_names(plan), ElementsAre("w\u00e4nde", "cup", "dot"));
  EXPECT_EQ(letters(plan, 0, 2, 4), "-www---c");
  EXPECT_EQ(letters(plan, 1, 2, 4), "--------");
  EXPECT_EQ(letters(plan, 2, 2, 4), "-dd--dd-");
  testdata::expect_sentence(join(plan.all_notes(), "\n"));
}

TEST(Labelme, ShapesOfALabelAndAGroupAreOneObjectAndOthersAreTheirOwn) {
  const TestFolder folder;
  add_pictures(folder, {"a.png"});
  const auto box = [](int col, const std::string& label, const std::string& group) {
    return R"({"label": ")" + label + R"(", "group_id": )" + group + R"(, "shape_type": "rectangle", "points": [[)" +
           std::to_string(col % 4) + ", " + std::to_string(col / 4) + "], [" + std::to_string(col % 4 + 1) + ", " +
           std::to_string(col / 4 + 1) + "]]}";
  };
  const ImportPlan plan =
      import_text(folder, "labelme", "a.json",
                  R"({"imagePath": "a.png", "shapes": [)" + box(0, "cup", "null") + ", " + box(1, "cup", "5") + ", " +
                      box(2, "cup", "null") + ", " + box(3, "cup", "5") + ", " + box(4, "dog", "5") + ", " +
                      box(5, "__ignore__", "null") + "]}");
  EXPECT_EQ(letters(plan, 0, 2, 4), "ccccd---");
  EXPECT_EQ(instance_digits(plan, 0, 2, 4), "12324000");
  ThreadPool pool(1);
  write_import(plan, folder / "out", pool);
  const Dataset out = Dataset::open(folder / "out");
  EXPECT_EQ(out.read_instances(0), depth_image(2, 4, {1, 2, 3, 2, 4, 0, 0, 0}));
}

TEST(Annotations, OfPicturesOfTheNativeLayoutKeepTheFilesBesideThem) {
  const TestFolder folder;
  write_files(folder, "a_colors.png", "a_depth.png", 1000);
  write_files(folder, "b_colors.png", "b_depth.png", 1000);
  folder.write("a_up.txt", "1 0 0\n");
  folder.write("poses.txt", "a 1 2 3 0 0 0 1\n");
  folder.write("dataset.toml", "camera = {width = 2, height = 2, fx = 5, fy = 5, cx = 1, cy = 1}\n");
  const std::string images =
      R"({"id":1,"file_name":"a_colors.png","width":2,"height":2},{"id":2,"file_name":"b_colors.png","width":2,"height":2})";
  const std::string text = "{\"images\":[" + images + R"(],"annotations":[],"categories":[{"id":1,"name":"cup"}]})";
  for (const std::string depth : {"", "{}_depth.png"}) {
    const ImportPlan plan =
        plan_import("coco", {.in = folder.write("coco.json", text), .images = folder.path(), .depth = depth});
    ASSERT_EQ(plan.frames.size(), 2u);
    EXPECT_EQ(plan.frames[0].depth, folder / "a_depth.png");
    EXPECT_EQ(plan.frames[0].up_file, folder / "a_up.txt");
    EXPECT_TRUE(plan.frames[1].up_file.empty());
    ASSERT_TRUE(plan.frames[0].pose);
    EXPECT_EQ(plan.frames[0].pose->position_m, (std::array<double, 3>{1, 2, 3}));
    EXPECT_FALSE(plan.frames[1].pose);
  }
}

TEST(Labelme, PicturesAndMasksMayBeInTheFile) {
  const TestFolder folder;
  const auto base64 = [](const std::vector<std::uint8_t>& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::uint32_t bits = 0;
      for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
      for (int k = 3; k >= 0; --k)
        text += i + static_cast<std::size_t>(3 - k) <= bytes.size() ? kDigits[bits >> 6 * k & 63] : '=';
    }
    return text;
  };
  const std::vector<std::uint8_t> mask = PngFile(2, 1, 8, PngFile::kGrey).pixels({{0, 255}}).finish();
  const std::string text =
      R"({"imagePath": "none.png", "imageHeight": 2, "imageWidth": 4, "imageData": ")" +
      base64(encode_png(Array2<image::Rgb>(2, 4, {1, 2, 3}))) +
      R"(", "shapes": [{"label": "m", "shape_type": "mask", "points": [[1, 1], [2, 1]], "mask": ")" + base64(mask) +
      R"("}]})";
  const ImportPlan plan = import_text(folder, "labelme", "a.json", text);
  ASSERT_EQ(plan.frames.size(), 1u);
  EXPECT_EQ(plan.frames[0].name, "a");
  EXPECT_EQ(plan.frames[0].read_color(), Array2<image::Rgb>(2, 4, {1, 2, 3}));
  EXPECT_EQ(letters(plan, 0, 2, 4), "------m-");
}

TEST(Supervisely, HolesAndBitmapsAreRead) {
  const TestFolder folder;
  add_pictures(folder, {"ds/img/a.png"});
  folder.write("meta.json", std::string(R"({"classes": [{"title": "wall", "shape": "polygon", "color": "#0A0B0C"}]})"));
  folder.write(
      "ds/ann/a.png.json",
      std::string(R"({"size": {"height": 2, "width": 4}, "objects": [{"classTitle": "wall", "geometryType": "polygon",
    "points": {"exterior": [[0, 0], [4, 0], [4, 2], [0, 2]], "interior": [[[1, 0], [2, 0], [2, 1], [1, 1]]]}}]})"));
  const ImportPlan plan = plan_import("supervisely", {.in = folder.path()});
  EXPECT_EQ(letters(plan, 0, 2, 4), "w-wwwwww");
  EXPECT_EQ(plan.config.classes[0].color, (image::Rgb{10, 11, 12}));
  folder.write(
      "ds/ann/a.png.json",
      std::string(
          R"({"objects": [{"classTitle": "wall", "geometryType": "bitmap", "bitmap": {"data": "!!", "origin": [0, 0]}}]})"));
  testdata::expect_refused(ErrorKind::kData,
                           [&] { letters(plan_import("supervisely", {.in = folder.path()}), 0, 2, 4); });
  folder.write("ds/ann/a.png.json",
               std::string(R"({"objects": [{"classTitle": "wall", "bitmap": {"data": "AAAA", "origin": [0, 0]}}]})"));
  testdata::expect_refused(ErrorKind::kData,
                           [&] { letters(plan_import("supervisely", {.in = folder.path()}), 0, 2, 4); });
}

}  // namespace
}  // namespace fernwood::formats
