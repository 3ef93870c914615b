// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/index_labels.h"

#include <gmock/gmock.h>

#include <set>

#include "dataset/frame_files.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/check.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const image::ClassMap& classes) {
  std::vector<std::string> names;
  for (const image::ClassInfo& info : classes.classes) names.push_back(info.name);
  return names;
}

/// Writes a frame of 2 x 3 pixels with colour, and with class numbers as a grey PNG.
void add_grey_frame(const TestFolder& folder, const std::string& frame, const Bytes& numbers) {
  add_color(folder, frame, 2, 3, {static_cast<std::uint8_t>(frame.back()), 1, 2});
  folder.write(frame + "_ground_truth.png",
               PngFile(3, 2, 8, PngFile::kGrey)
                   .pixels({Bytes(numbers.begin(), numbers.begin() + 3), Bytes(numbers.begin() + 3, numbers.end())})
                   .finish());
}

struct Read {
  Dataset data;
  Dataset::Scan scan;
};
Read read(const TestFolder& folder) {
  ThreadPool pool(2);
  Dataset data = Dataset::open(folder.path());
  Dataset::Scan scan = data.scan_truth(pool);
  return {std::move(data), std::move(scan)};
}

constexpr std::uint16_t kVoid = image::kVoid;

std::vector<std::uint16_t> labels_of(const Dataset& data, const image::ClassMap& classes) {
  const image::LabelImage labels = data.read_labels(0, classes);
  return {labels.begin(), labels.end()};
}

TEST(IndexColors, AreThoseOfPascalVocForTheNumberAfterAndNeverBlack) {
  EXPECT_EQ(index_color(0), (image::Rgb{128, 0, 0}));
  EXPECT_EQ(index_color(14), (image::Rgb{192, 128, 128}));
  EXPECT_EQ(index_color(254), (image::Rgb{224, 224, 192}));
  std::set<std::uint32_t> colors = {0};
  for (std::uint32_t index = 0; index <= 65535; ++index) {
    EXPECT_TRUE(colors.insert(packed(index_color(index))).second) << index;
    ASSERT_EQ(index_of(index_color(index)), index);
  }
  EXPECT_EQ(index_of({}), std::nullopt);
}

TEST(IndexLabels, GreyImagesAreReadAsTheyAreAndItIsSaid) {
  const TestFolder folder;
  add_grey_frame(folder, "a", {0, 10, 2, 255, 2, 0});
  add_grey_frame(folder, "b", {2, 2, 2, 2, 2, 2});
  const Read found = read(folder);
  EXPECT_THAT(names_of(found.scan.classes), ElementsAre("0", "2", "10")) << "by their numbers, not by their colours";
  EXPECT_THAT(found.scan.class_pixels, ElementsAre(2, 8, 1));
  EXPECT_EQ(found.scan.void_pixels, 1u);
  EXPECT_THAT(labels_of(found.data, found.scan.classes), ElementsAre(0, 2, 1, kVoid, 1, 0));
  testdata::expect_sentence(join(found.data.file_warnings(), "\n"));
}

TEST(IndexLabels, AllBitDepthsOfGreyAndOfPalettesAreTheSameNumbers) {
  const auto numbers_of = [](PngFile file, bool with_toml) {
    const TestFolder folder;
    add_color(folder, "a", 1, 4);
    folder.write("a_ground_truth.png", file.finish());
    if (with_toml) folder.write("dataset.toml", std::string("labels = \"index\"\n"));
    const Read found = read(folder);
    std::vector<std::string> numbers;
    for (const std::uint16_t label : labels_of(found.data, found.scan.classes))
      numbers.push_back(label == kVoid ? "void" : found.scan.classes.classes[label].name);
    return numbers;
  };
  const auto wanted = ElementsAre("0", "1", "3", "2");
  EXPECT_THAT(numbers_of(PngFile(4, 1, 2, PngFile::kGrey).pixels({{0b00011110}}), false), wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 4, PngFile::kGrey).pixels({{0x01, 0x32}}), false), wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 8, PngFile::kGrey).pixels({{0, 1, 3, 2}}), false), wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 16, PngFile::kGrey).pixels({{0, 0, 0, 1, 0, 3, 0, 2}}), false), wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 8, PngFile::kGreyAlpha).pixels({{0, 9, 1, 9, 3, 9, 2, 0}}), false), wanted);
  EXPECT_THAT(
      numbers_of(PngFile(4, 1, 16, PngFile::kGreyAlpha).pixels({{0, 0, 9, 9, 0, 1, 9, 9, 0, 3, 9, 9, 0, 2, 0, 0}}),
                 false),
      wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 8, PngFile::kRgb).pixels({{0, 0, 0, 1, 1, 1, 3, 3, 3, 2, 2, 2}}), true), wanted);
  EXPECT_THAT(numbers_of(PngFile(4, 1, 16, PngFile::kGrey).pixels({{0x12, 0x34, 0xff, 0xff, 0, 255, 0, 0}}), false),
              ElementsAre("4660", "void", "255", "0"))
      << "255 is a class among numbers wider than a byte";
}

TEST(IndexLabels, NumbersMayBeInOneChannelOfAllPixels) {
  const auto read_rgb = [](const Bytes& pixels, bool with_toml) {
    const TestFolder folder;
    add_color(folder, "a", 1, 2);
    folder.write("a_ground_truth.png", PngFile(2, 1, 8, PngFile::kRgb).pixels({pixels}).finish());
    if (with_toml) folder.write("dataset.toml", std::string("labels = \"index\"\n"));
    return read(folder).scan;
  };
  for (const Bytes& pixels : {Bytes{0, 0, 0, 7, 0, 0}, Bytes{0, 0, 0, 0, 7, 0}, Bytes{0, 0, 0, 0, 0, 7}}) {
    EXPECT_THAT(names_of(read_rgb(pixels, true).classes), ElementsAre("0", "7"));
    testdata::expect_sentence(join(read_rgb(pixels, false).warnings, "\n"));
  }
  testdata::expect_sentence(join(read_rgb({0, 0, 0, 7, 7, 7}, false).warnings, "\n"));
  EXPECT_THAT(read_rgb({0, 0, 0, 200, 0, 0}, false).warnings, IsEmpty()) << "a mask in a colour that people see";
  testdata::expect_refused(ErrorKind::kData, [&] { read_rgb({7, 0, 0, 0, 7, 0}, true); });
}

TEST(IndexLabels, TransparentPixelsOfAColourAreTold) {
  const auto is_warned_of = [](PngFile file) {
    const TestFolder folder;
    add_color(folder, "a", 1, 2);
    folder.write("a_ground_truth.png", file.finish());
    ThreadPool pool(1);
    const std::string warnings = join(Dataset::open(folder.path()).file_warnings());
    const bool is_said = warnings.find("transparent") != std::string::npos;
    EXPECT_EQ(is_said,
              messages_of(check_dataset(folder.path(), {}, pool).problems).find("transparent") != std::string::npos);
    if (is_said) testdata::expect_sentence(warnings);
    return is_said;
  };
  EXPECT_TRUE(is_warned_of(PngFile(2, 1, 8, PngFile::kRgba).pixels({{255, 255, 255, 0, 9, 9, 90, 255}})));
  EXPECT_FALSE(is_warned_of(PngFile(2, 1, 8, PngFile::kRgba).pixels({{0, 0, 0, 0, 9, 9, 90, 255}}))) << "black is void";
  const Bytes palette = {90, 9, 9, 9, 90, 9};
  EXPECT_TRUE(is_warned_of(
      PngFile(2, 1, 8, PngFile::kPalette).chunk("PLTE", palette).chunk("tRNS", Bytes{0}).pixels({{0, 1}})));
  EXPECT_FALSE(is_warned_of(PngFile(2, 1, 8, PngFile::kPalette).chunk("PLTE", palette).pixels({{0, 1}})));
}

TEST(IndexLabels, AMaskOf0And255HasTwoClasses) {
  const TestFolder folder;
  add_grey_frame(folder, "a", {0, 0, 0, 255, 255, 0});
  const Read found = read(folder);
  EXPECT_THAT(names_of(found.scan.classes), ElementsAre("0", "255"));
  EXPECT_THAT(found.scan.class_pixels, ElementsAre(4, 2));
  EXPECT_THAT(labels_of(found.data, found.scan.classes), ElementsAre(0, 0, 0, 1, 1, 0));
  testdata::expect_sentence(join(found.data.file_warnings(), "\n"));
  ThreadPool pool(1);
  testdata::expect_sentence(messages_of(check_dataset(folder.path(), {}, pool).problems));
}

TEST(IndexLabels, WhatIsAssumedOf255IsTrueOfListedClasses) {
  const auto warning_with = [](std::size_t num_classes) {
    const TestFolder folder;
    add_grey_frame(folder, "a", {0, 1, 1, 1, 1, 255});
    std::string toml = "classes = [";
    for (std::size_t c = 0; c < num_classes; ++c)
      toml += "{name = \"c" + std::to_string(c) + "\", color = [" + std::to_string(c / 200) + ", " +
              std::to_string(c % 200) + ", 7]},\n";
    folder.write("dataset.toml", toml + "]\n");
    const Read found = read(folder);
    EXPECT_EQ(labels_of(found.data, found.scan.classes)[5], num_classes > 255 ? 255 : kVoid);
    return found.data.file_warnings().at(0);
  };
  for (const std::size_t num_classes : {2, 256}) testdata::expect_sentence(warning_with(num_classes));
}

TEST(IndexLabels, IgnoreIndexBesideColoursIsRefused) {
  const TestFolder folder;
  add_frame(folder, "a");
  folder.write("dataset.toml", std::string("ignore_index = [0, 255]\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });
  ThreadPool pool(1);
  const DatasetReport report = check_dataset(folder.path(), {}, pool);
  EXPECT_EQ(report.num_errors(), 1u);
  testdata::expect_sentence(messages_of(report.problems));
  DatasetOptions without_truth;
  without_truth.needs_truth = false;
  testdata::expect_sentence(join(Dataset::open(folder.path(), without_truth).file_warnings(), "\n"));
  std::filesystem::remove(folder / "a_depth.png");
  folder.write("a_ground_truth.png", std::string("damaged"));
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });  // its encoding is unknown
}

TEST(IndexLabels, DatasetTomlNamesThem) {
  const TestFolder folder;
  add_grey_frame(folder, "a", {1, 40, 2, 255, 0, 1});
  folder.write("dataset.toml",
               std::string("ignore_index = 0\nclasses = [{name = \"wall\", index = 1}, {name = \"other\", "
                           "index = 40, color = [1, 2, 3]}, {name = \"floor\", index = 2}]\n"));
  // Where it is said what is ignored, nothing else is.
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });
  folder.write("dataset.toml",
               std::string("ignore_index = [0, 255]\nclasses = [{name = \"wall\", index = 1}, {name = "
                           "\"other\", index = 40, color = [1, 2, 3]}, {name = \"floor\", index = 2}]\n"));
  const Read found = read(folder);
  EXPECT_THAT(names_of(found.scan.classes), ElementsAre("wall", "other", "floor"));
  EXPECT_EQ(found.scan.classes.classes[1].color, (image::Rgb{1, 2, 3}));
  EXPECT_THAT(labels_of(found.data, found.scan.classes), ElementsAre(0, 1, 2, kVoid, kVoid, 0));
  EXPECT_THAT(found.data.file_warnings(), IsEmpty()) << "nothing is assumed";
}

TEST(IndexLabels, NumbersThatAreShiftedByOneAreASentence) {
  const TestFolder folder;
  add_grey_frame(folder, "a", {1, 2, 1, 1, 1, 1});
  folder.write("dataset.toml",
               std::string("classes = [{name = \"wall\", color = [1, 2, 3]}, {name = \"floor\", color = [3, 2, "
                           "1]}]\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });
}

TEST(IndexLabels, ArraysAreRead) {
  const TestFolder folder;
  add_color(folder, "a");
  Array2<std::uint16_t> labels(2, 3, 7);
  labels(0, 1) = 65535;
  write_npy(folder / "a_ground_truth.npy", labels);
  const Read found = read(folder);
  EXPECT_THAT(names_of(found.scan.classes), ElementsAre("7"));
  EXPECT_EQ(found.scan.void_pixels, 1u);
}

TEST(IndexLabels, ColoursAmongNumbersAndNumbersAmongColoursAreSentences) {
  const TestFolder folder;
  add_grey_frame(folder, "a", {1, 2, 1, 1, 1, 1});
  add_frame(folder, "b");
  std::filesystem::remove(folder / "b_depth.png");
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });
  folder.write("dataset.toml", std::string("labels = \"colors\"\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { read(folder); });
}

TEST(IndexLabels, AModelOfTheirColoursKnowsThemAgain) {
  const TestFolder first, second;
  add_grey_frame(first, "a", {0, 1, 1, 5, 5, 255});
  add_grey_frame(second, "a", {1, 1, 1, 1, 255, 255});
  const image::ClassMap classes = read(first).scan.classes;
  EXPECT_THAT(labels_of(Dataset::open(second.path()), classes), ElementsAre(1, 1, 1, 1, kVoid, kVoid));
  add_grey_frame(second, "a", {1, 1, 1, 1, 1, 9});
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(second.path()).read_labels(0, classes); });
}

TEST(IndexLabels, ImpossibleNumbersInDatasetTomlAreRefused) {
  for (const char* text : {"labels = \"indices\"", "classes = [{name = \"a\", index = 65536}]",
                           "classes = [{name = \"a\", index = 3}, {name = \"b\", index = 3}]",
                           "ignore_index = 3\nclasses = [{name = \"a\", index = 3}]",
                           "labels = \"colors\"\nclasses = [{name = \"a\", index = 3}]",
                           "labels = \"colors\"\nignore_index = [3]", "classes = [{name = \"a\"}]"})
    testdata::expect_refused(ErrorKind::kData, [&] { parse_dataset_config(text, "dataset.toml"); });
}

TEST(IndexLabels, ClassesMayHaveNamesAlone) {
  const DatasetConfig config =
      parse_dataset_config("labels = \"index\"\nclasses = [{name = \"a\"}, {name = \"b\"}]", "dataset.toml");
  EXPECT_THAT(config.class_indices, ElementsAre(0, 1));
  EXPECT_EQ(config.classes[1].color, index_color(1));
}

}  // namespace
}  // namespace fernwood::dataset
