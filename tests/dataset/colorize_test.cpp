// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "dataset/files/image_file.h"
#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

const image::ClassMap kClasses{{{"red", kRed}, {"floor", kFloor}}, {}, {}};

/// The indices of a palette file, read as the red channel after the palette is replaced by a grey ramp.
Bytes indices_of(const std::filesystem::path& file) {
  const Bytes indexed = read_file(file);
  const ImageHeader header = inspect_image(file, indexed);
  Bytes ramp;
  for (int i = 0; i < 256; ++i) ramp.insert(ramp.end(), 3, static_cast<std::uint8_t>(i));
  const Bytes grey =
      PngFile(static_cast<std::uint32_t>(header.width), static_cast<std::uint32_t>(header.height), 8, PngFile::kPalette)
          .chunk("PLTE", ramp)
          .chunk("IDAT", png_content(indexed, "IDAT"))
          .finish();
  Bytes indices;
  for (const image::Rgb& pixel : decode_color(file, grey)) indices.push_back(pixel.r);
  return indices;
}

TEST(Colorize, LabelsTakeTheirClassColorAndVoidIsBlack) {
  EXPECT_EQ(colorize_labels(depth_image(1, 3, {1, image::kVoid, 0}), kClasses),
            rgb_image(1, 3, {kFloor, kBlack, kRed}));
  testdata::expect_refused(ErrorKind::kUsage, [] { colorize_labels(depth_image(1, 1, {2}), kClasses); });
}

/// `count` classes; the red value of class i is i % 256.
image::ClassMap classes_by_red(std::size_t count) {
  image::ClassMap map;
  for (std::size_t i = 0; i < count; ++i)
    map.classes.push_back({"c", {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 256), 9}});
  return map;
}

TEST(Colorize, LabelFilesHoldClassNumbersWith255ForVoidAndClassColorsAsPalette) {
  const TestFolder folder;
  const image::LabelImage labels = depth_image(2, 2, {1, image::kVoid, 0, 1});
  write_labels(folder / "a.png", labels, kClasses);
  EXPECT_EQ(indices_of(folder / "a.png"), (Bytes{1, 255, 0, 1}));
  Bytes palette(768);  // red, floor, then black
  const Bytes of_classes = {255, 0, 0, 7, 54, 66};
  std::copy(of_classes.begin(), of_classes.end(), palette.begin());
  EXPECT_EQ(png_content(read_file(folder / "a.png"), "PLTE"), palette);
}

TEST(Colorize, LabelsOfOtherClassesInAFolderAreRefused) {
  const TestFolder folder;
  EXPECT_NO_THROW(check_same_palette(folder / "none", kClasses));
  write_labels(folder / "a.png", depth_image(1, 1, {0}), classes_by_red(3));
  folder.write("b_labels.png", std::string("damaged"));
  write_png(folder / "c_labels.png", rgb_image(1, 1, {kRed}));
  EXPECT_NO_THROW(check_same_palette(folder.path(), kClasses)) << "none of them is from an earlier run";
  std::filesystem::remove(folder / "c_labels.png");
  write_labels(folder / "d_labels.png", depth_image(1, 1, {image::kVoid}), kClasses);
  EXPECT_NO_THROW(check_same_palette(folder.path(), kClasses));
  for (const std::size_t num_classes : {3, 256})
    testdata::expect_refused(ErrorKind::kUsage,
                             [&] { check_same_palette(folder.path(), classes_by_red(num_classes)); });
}

TEST(Colorize, OneLabelFileThatCanBeReadIsEnoughToKnowThePalette) {
  const TestFolder folder, other;
  write_labels(other / "labels.png", depth_image(1, 1, {0}), classes_by_red(3));
  for (const char* name : {"a_labels.png", "b_labels.png", "c_labels.png"})
    write_png(folder / name, rgb_image(1, 1, {kRed}));
  std::vector<std::filesystem::path> listed;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) listed.push_back(entry.path());
  for (std::size_t i = 1; i < listed.size(); ++i)  // in place, so that the order stays
    std::filesystem::copy_file(other / "labels.png", listed[i], std::filesystem::copy_options::overwrite_existing);
  EXPECT_NO_THROW(check_same_palette(folder.path(), kClasses));
}

TEST(Colorize, LabelFilesAreReadAsTheColorsOfTheirClasses) {
  const TestFolder folder;
  for (const std::size_t num_classes : {1, 2, 255, 256, 700}) {
    const image::ClassMap classes = classes_by_red(num_classes);
    const image::LabelImage labels = depth_image(1, 3, {0, image::kVoid, static_cast<std::uint16_t>(num_classes - 1)});
    write_labels(folder / "a.png", labels, classes);
    EXPECT_EQ(read_truth(folder / "a.png"), colorize_labels(labels, classes)) << num_classes;
    EXPECT_EQ(inspect_image("a.png", read_file(folder / "a.png")).is_palette, num_classes <= 255) << num_classes;
  }
}

TEST(Colorize, LabelFilesTakeNoLabelThatIsNoClass) {
  const TestFolder folder;
  for (const std::size_t num_classes : {2, 300})
    testdata::expect_refused(ErrorKind::kUsage, [&] {
      write_labels(folder / "a.png", depth_image(1, 1, {static_cast<std::uint16_t>(num_classes)}),
                   classes_by_red(num_classes));
    });
}

TEST(Colorize, NearIsWarmFarIsCoolUnknownIsBlack) {
  const Array2<image::Rgb> image = colorize_depth(depth_image(1, 6, {0, 400, 10000, 100, 20000, 40000}));
  EXPECT_EQ(image(0, 0), kBlack);
  EXPECT_EQ(image(0, 1), (image::Rgb{190, 30, 30}));  // the first colour up to 0.4 m
  EXPECT_EQ(image(0, 2), (image::Rgb{40, 60, 150}));  // the last colour from 10 m on
  EXPECT_EQ(image(0, 3), image(0, 1));
  EXPECT_EQ(image(0, 4), image(0, 2));
  EXPECT_EQ(image(0, 5), kBlack);  // above kMaxDepthMm
}

TEST(Colorize, DepthIsMixedOnALogarithmicScale) {
  // The geometric mean of 0.4 and 10 m, 2 m, is midway between the third and the fourth of the six colours: (245 + 110)
  // / 2 = 177.5, (220 + 200) / 2 = 210, (90 + 130) / 2 = 110.
  const image::Rgb middle = colorize_depth(depth_image(1, 1, {2000}))(0, 0);
  EXPECT_NEAR(middle.r, 177.5, 0.6);
  EXPECT_EQ(middle.g, 210);
  EXPECT_EQ(middle.b, 110);
}

TEST(Colorize, OverlayMixesByOpacityAndLeavesVoidAlone) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(1, 3, image::Rgb{100, 200, 40});
  const image::LabelImage labels = depth_image(1, 3, {0, image::kVoid, 1});
  // An opacity of 1/4 for (255, 0, 0): 100 + 155 / 4 = 138.75, 200 - 50, 40 - 10. For (7, 54, 66): 76.75, 163.5, 46.5.
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 0.25f),
            rgb_image(1, 3, {{139, 150, 30}, {100, 200, 40}, {77, 164, 47}}));
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 0.0f), frame.color);
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 1.0f), rgb_image(1, 3, {kRed, {100, 200, 40}, kFloor}));
}

TEST(Colorize, OverlayOfADepthOnlyFrameIsOnGrey) {
  image::Frame frame;
  frame.depth_mm = depth_image(1, 3, {0, 400, 10000});
  const Array2<image::Rgb> image = overlay_labels(frame, image::LabelImage(1, 3, image::kVoid), kClasses);
  EXPECT_EQ(image, rgb_image(1, 3, {kBlack, {235, 235, 235}, {40, 40, 40}}));
}

TEST(Colorize, OverlayChecksItsArguments) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(1, 3);
  testdata::expect_refused(ErrorKind::kUsage, [&] { overlay_labels(frame, image::LabelImage(2, 3), kClasses); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { overlay_labels(frame, image::LabelImage(1, 3), kClasses, 1.5f); });
}

}  // namespace
}  // namespace fernwood::dataset
