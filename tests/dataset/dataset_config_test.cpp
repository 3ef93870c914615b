// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

TEST(DatasetConfig, ReadsEveryKey) {
  const TestFolder folder;
  const DatasetConfig config = read_dataset_config(folder.write("dataset.toml", std::string(R"(
description = "whatever"
depth_scale = 0.2
depth_missing = 65535
background = "wall"
things = ["wall"]
ignored_colors = [[255, 255, 255], [1, 2, 3]]
[[classes]]
name = "floor"
color = [7, 54, 66]
[[classes]]
name = "wall"
color = [0, 0, 0]
)")));
  EXPECT_EQ(config.classes, (std::vector<image::ClassInfo>{{"floor", {7, 54, 66}, false}, {"wall", {0, 0, 0}, true}}));
  EXPECT_EQ(config.ignored_colors, (std::vector<image::Rgb>{{255, 255, 255}, {1, 2, 3}}));
  EXPECT_EQ(config.depth_scale_to_mm, 0.2);
  EXPECT_EQ(config.depth_missing, 65535);
  EXPECT_EQ(config.background, "wall");
}

TEST(DatasetConfig, RefusesKeysOfThousandsOfParts) {
  const TestFolder folder;
  std::string key = "a";
  for (int i = 0; i < 200000; ++i) key += ".a";
  const auto file = folder.write("dataset.toml", "depth_scale = 1\n" + key + " = 1\n");
  testdata::expect_refused(ErrorKind::kData, [&] { read_dataset_config(file); });
}

TEST(DatasetConfig, TakesInlineClassesAndWholeScales) {
  const TestFolder folder;
  const DatasetConfig config = read_dataset_config(
      folder.write("dataset.toml", std::string("depth_scale = 2\nclasses = [{name = \"a\", color = [1, 2, 3]}]\n")));
  EXPECT_EQ(config.classes, (std::vector<image::ClassInfo>{{"a", {1, 2, 3}}}));
  EXPECT_EQ(config.depth_scale_to_mm, 2.0);
}

TEST(DatasetConfig, EveryKeyIsOptional) {
  const TestFolder folder;
  const DatasetConfig config = read_dataset_config(folder.write("dataset.toml", std::string()));
  EXPECT_TRUE(config.classes.empty());
  EXPECT_EQ(config.depth_scale_to_mm, std::nullopt);
  EXPECT_EQ(config.depth_missing, 0);
}

DatasetConfig config_of(const TestFolder& folder, const std::string& text) {
  return read_dataset_config(folder.write("dataset.toml", text));
}

TEST(DatasetConfig, WhatIsWrongIsNamedWithItsLineAndTheRemedy) {
  const TestFolder folder;
  EXPECT_THROW(config_of(folder, "\nclasses = ["), Error);  // with words of the parser
  for (const char* text : {"\ndepth_scal = 1",
                           "zebra = 1",
                           "classes = [{name = \"a\", colour = [1, 2, 3]}]",
                           "classes = 3",
                           "classes = [3]",
                           "classes = [{color = [1, 2, 3]}]",
                           "classes = [{name = 3, color = [1, 2, 3]}]",
                           "classes = [{name = \"a\", color = [1, 2]}]",
                           "classes = [{name = \"a\", color = [1, 2, 256]}]",
                           "classes = [{name = \"a\", color = [1, 2, 3.5]}]",
                           "classes = [{name = \"a\", color = [1, 2, 3]}, {name = \"a\", color = [1, 2, 4]}]",
                           "classes = [{name = \"a\", color = [1, 2, 3]}, {name = \"b\", color = [1, 2, 3]}]",
                           "ignored_colors = [1, 2, 3]",
                           "ignored_colors = [[1, 2, 3]]\nclasses = [{name = \"a\", color = [1, 2, 3]}]",
                           "depth_scale = 0",
                           "depth_scale = nan",
                           "depth_scale = \"1\"",
                           "depth_missing = 65536",
                           "depth_missing = 0.5",
                           "things = \"a\"",
                           "things = [\"a\"]",
                           "things = [1]\nclasses = [{name = \"a\", color = [1, 2, 3]}]",
                           "things = [\"b\"]\nclasses = [{name = \"a\", color = [1, 2, 3]}]",
                           "background = \"b\"\nclasses = [{name = \"a\", color = [1, 2, 3]}]"})
    testdata::expect_refused(ErrorKind::kData, [&] { config_of(folder, text); });
}

TEST(CameraConfig, NothingSaidIsNothingKnown) {
  const TestFolder folder;
  const DatasetConfig config = config_of(folder, "depth_scale = 1\n");
  EXPECT_FALSE(config.camera.has_value());
  EXPECT_EQ(config.up, image::kImageUp);
}

TEST(CameraConfig, ReadsEverySensor) {
  const TestFolder folder;
  for (const image::KnownSensor& sensor : image::known_sensors())
    EXPECT_EQ(config_of(folder, "sensor = \"" + std::string(sensor.name) + "\"\n").camera, sensor.camera);
}

TEST(CameraConfig, ReadsNumbersWholeOrNot) {
  const TestFolder folder;
  const DatasetConfig config = config_of(
      folder, "camera = {width = 320, height = 200, fx = 262.5, fy = 260, cx = -3, cy = 99.25}\nup = [0, 1, -0.5]\n");
  EXPECT_EQ(config.camera, (image::Camera{320, 200, 262.5f, 260.0f, -3.0f, 99.25f}));
  EXPECT_EQ(config.up, (image::Vector3{0.0f, 1.0f, -0.5f}));
}

TEST(CameraConfig, ReadsWhatIsWritten) {
  const TestFolder folder;
  const image::Camera odd = {641, 479, 1.0f / 3, 518.8579f, 0.1f, -1e-7f};
  EXPECT_EQ(config_of(folder, "camera = " + image::to_string(odd) + "\n").camera, odd);
}

TEST(CameraConfig, TheLongFormMeansTheSame) {
  const TestFolder folder;
  const std::string text = "[camera]\nwidth = 64\nheight = 48\nfx = 50\nfy = 51\ncx = 31\ncy = 23\n";
  EXPECT_EQ(config_of(folder, text).camera, (image::Camera{64, 48, 50.0f, 51.0f, 31.0f, 23.0f}));
}

TEST(CameraConfig, WhatIsWrongIsNamedWithItsLineAndTheRemedy) {
  const TestFolder folder;
  for (const std::string text :
       {"sensor = \"kinekt\"", "sensor = 3",
        "camera = {width = 64, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}\nsensor = \"nyu\"",
        "camera = \"kinect\"", "camera = {width = 64, height = 48, fy = 51, cx = 31, cy = 23}",
        "camera = {with = 64, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
        "camera = {width = 64.5, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
        "camera = {width = 4294967360, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
        "camera = {width = 64, height = 0, fx = 50, fy = 51, cx = 31, cy = 23}",
        "camera = {width = 64, height = 48, fx = \"50\", fy = 51, cx = 31, cy = 23}",
        "camera = {width = 64, height = 48, fx = 50, fy = -51, cx = 31, cy = 23}",
        "camera = {width = 64, height = 48, fx = 50, fy = 51, cx = nan, cy = 23}", "up = [0, 0, 0]", "up = [0, 1]",
        "up = [0, 1, 0, 0]", "up = [0, \"1\", 0]", "up = \"down\"", "up = [0, nan, 1]"})
    testdata::expect_refused(ErrorKind::kData, [&] { config_of(folder, "depth_scale = 1\n" + text); });
}

TEST(UpFile, HoldsThreeNumbers) {
  const TestFolder folder;
  EXPECT_EQ(read_up_file(folder.write("a_up.txt", std::string("0.25 -9.5\n1e-1\n"))),
            (image::Vector3{0.25f, -9.5f, 0.1f}));
  for (const char* text : {"", "0 -1", "0 -1 0 0", "0, -1, 0", "0 0 0", "up", "nan -1 0", "0 -1 0 # held upright"})
    testdata::expect_refused(ErrorKind::kData, [&] { read_up_file(folder.write("a_up.txt", std::string(text))); });
}

}  // namespace
}  // namespace fernwood::dataset
