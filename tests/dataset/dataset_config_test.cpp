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
ignored_colors = [[255, 255, 255], [1, 2, 3]]
[[classes]]
name = "floor"
color = [7, 54, 66]
[[classes]]
name = "wall"
color = [0, 0, 0]
)")));
  EXPECT_EQ(config.classes, (std::vector<image::ClassInfo>{{"floor", {7, 54, 66}}, {"wall", {0, 0, 0}}}));
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

struct BadToml {
  const char* name;
  const char* text;
  std::vector<std::string> parts;
};

class BadConfig : public testing::TestWithParam<BadToml> {};

TEST_P(BadConfig, NamesFileLineRuleAndRemedy) {
  const TestFolder folder;
  const auto file = folder.write("dataset.toml", std::string(GetParam().text));
  std::vector<std::string> parts = GetParam().parts;
  parts.push_back(file.string());
  testdata::expect_refused(ErrorKind::kData, [&] { read_dataset_config(file); });
}

INSTANTIATE_TEST_SUITE_P(
    Toml, BadConfig,
    testing::Values(
        BadToml{"Syntax", "\nclasses = [", {".toml:2", "not valid TOML"}},
        BadToml{"UnknownKey",
                "\ndepth_scal = 1",
                {".toml:2", "\"depth_scal\"", "did you mean \"depth_scale\"?", "known are classes, labels"}},
        BadToml{"FarKey", "zebra = 1", {"\"zebra\" is unknown; known are"}},
        BadToml{"ClassKey", "classes = [{name = \"a\", colour = [1, 2, 3]}]", {"did you mean \"color\"?"}},
        BadToml{"ClassesType", "classes = 3", {"classes is not a list", "write classes = "}},
        BadToml{"ClassType", "classes = [3]", {"not a table"}},
        BadToml{"NoName", "classes = [{color = [1, 2, 3]}]", {"no name or no color"}},
        BadToml{"NameType", "classes = [{name = 3, color = [1, 2, 3]}]", {"name is not a text"}},
        BadToml{"ColorSize", "classes = [{name = \"a\", color = [1, 2]}]", {"color is not a colour", "0 to 255"}},
        BadToml{"ColorRange", "classes = [{name = \"a\", color = [1, 2, 256]}]", {"color is not a colour"}},
        BadToml{"ColorType", "classes = [{name = \"a\", color = [1, 2, 3.5]}]", {"color is not a colour"}},
        BadToml{"SameName",
                "classes = [{name = \"a\", color = [1, 2, 3]}, {name = \"a\", color = [1, 2, 4]}]",
                {"two classes are named \"a\""}},
        BadToml{"SameColor",
                "classes = [{name = \"a\", color = [1, 2, 3]}, {name = \"b\", color = [1, 2, 3]}]",
                {"the classes a and b have the same colour (1, 2, 3)", "give each its own"}},
        BadToml{"IgnoredType", "ignored_colors = [1, 2, 3]", {"an entry of ignored_colors is not a colour"}},
        BadToml{"IgnoredClass",
                "ignored_colors = [[1, 2, 3]]\nclasses = [{name = \"a\", color = [1, 2, 3]}]",
                {"(1, 2, 3) is a class and an ignored colour"}},
        BadToml{"ScaleZero", "depth_scale = 0", {"depth_scale is not a number above 0"}},
        BadToml{"ScaleNan", "depth_scale = nan", {"depth_scale is not a number above 0"}},
        BadToml{"ScaleText", "depth_scale = \"1\"", {"depth_scale is not a number above 0"}},
        BadToml{"MissingRange", "depth_missing = 65536", {"depth_missing", "0 to 65535"}},
        BadToml{"MissingType", "depth_missing = 0.5", {"depth_missing", "0 to 65535"}},
        BadToml{"Background",
                "background = \"b\"\nclasses = [{name = \"a\", color = [1, 2, 3]}]",
                {"background is \"b\"", "a (1, 2, 3)"}}),
    [](const auto& info) { return info.param.name; });

DatasetConfig config_of(const TestFolder& folder, const std::string& text) {
  return read_dataset_config(folder.write("dataset.toml", text));
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

struct BadCamera {
  const char* name;
  const char* text;
  std::vector<std::string> parts;
};

class BadCameraConfig : public testing::TestWithParam<BadCamera> {};

TEST_P(BadCameraConfig, NamesFileLineRuleAndRemedy) {
  const TestFolder folder;
  std::vector<std::string> parts = GetParam().parts;
  parts.push_back((folder / "dataset.toml").string() + ":2: ");
  testdata::expect_refused(ErrorKind::kData,
                           [&] { config_of(folder, std::string("depth_scale = 1\n") + GetParam().text); });
}

INSTANTIATE_TEST_SUITE_P(
    Toml, BadCameraConfig,
    testing::Values(
        BadCamera{"UnknownSensor",
                  "sensor = \"kinekt\"",
                  {"the sensor \"kinekt\" is unknown, did you mean \"kinect\"?",
                   "known are kinect, nyu, kinect2, azure, d435", "write camera = {width"}},
        BadCamera{"SensorType", "sensor = 3", {"sensor is not a text", "sensor = \"kinect\""}},
        BadCamera{"Both",
                  "camera = {width = 64, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}\nsensor = \"nyu\"",
                  {"sensor and camera are both given", "remove one"}},
        BadCamera{"CameraType", "camera = \"kinect\"", {"camera is not a table", "write camera = {width = 640"}},
        BadCamera{"NoFx",
                  "camera = {width = 64, height = 48, fy = 51, cx = 31, cy = 23}",
                  {"camera has no fx", "write camera = {"}},
        BadCamera{"Misspelt",
                  "camera = {with = 64, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
                  {"\"with\" is unknown, did you mean \"width\"?", "known are width, height, fx, fy, cx, cy"}},
        BadCamera{"WidthType",
                  "camera = {width = 64.5, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
                  {"width is not a whole number"}},
        BadCamera{"WidthWraps",
                  "camera = {width = 4294967360, height = 48, fx = 50, fy = 51, cx = 31, cy = 23}",
                  {"width is not a whole number"}},
        BadCamera{"HeightZero",
                  "camera = {width = 64, height = 0, fx = 50, fy = 51, cx = 31, cy = 23}",
                  {"camera: height is 0", "1 to 65535"}},
        BadCamera{"FocalType",
                  "camera = {width = 64, height = 48, fx = \"50\", fy = 51, cx = 31, cy = 23}",
                  {"fx is not a number"}},
        BadCamera{"FocalNegative",
                  "camera = {width = 64, height = 48, fx = 50, fy = -51, cx = 31, cy = 23}",
                  {"camera: fy is -51", "focal length"}},
        BadCamera{"CenterNan",
                  "camera = {width = 64, height = 48, fx = 50, fy = 51, cx = nan, cy = 23}",
                  {"camera: cx is nan", "principal point"}},
        BadCamera{"UpZero", "up = [0, 0, 0]", {"up is not a direction", "not all 0", "[0, -1, 0]"}},
        BadCamera{"UpSize", "up = [0, 1]", {"up is not a direction"}},
        BadCamera{"UpLong", "up = [0, 1, 0, 0]", {"up is not a direction"}},
        BadCamera{"UpText", "up = [0, \"1\", 0]", {"up is not a direction"}},
        BadCamera{"UpType", "up = \"down\"", {"up is not a direction"}},
        BadCamera{"UpNan", "up = [0, nan, 1]", {"up is not a direction"}}),
    [](const auto& info) { return info.param.name; });

TEST(UpFile, HoldsThreeNumbers) {
  const TestFolder folder;
  EXPECT_EQ(read_up_file(folder.write("a_up.txt", std::string("0.25 -9.5\n1e-1\n"))),
            (image::Vector3{0.25f, -9.5f, 0.1f}));
  for (const char* text : {"", "0 -1", "0 -1 0 0", "0, -1, 0", "0 0 0", "up", "nan -1 0", "0 -1 0 # held upright"})
    testdata::expect_refused(ErrorKind::kData, [&] { read_up_file(folder.write("a_up.txt", std::string(text))); });
}

}  // namespace
}  // namespace fernwood::dataset
