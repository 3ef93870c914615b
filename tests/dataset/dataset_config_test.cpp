// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_config.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"

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
  EXPECT_EQ(config.depth_scale_to_mm, 1.0);
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
  expect_error([&] { read_dataset_config(file); }, ErrorKind::kData, parts);
}

INSTANTIATE_TEST_SUITE_P(
    Toml, BadConfig,
    testing::Values(
        BadToml{"Syntax", "\nclasses = [", {".toml:2", "not valid TOML"}},
        BadToml{"UnknownKey",
                "\ndepth_scal = 1",
                {".toml:2", "\"depth_scal\"", "did you mean \"depth_scale\"?", "known are classes, ignored_colors"}},
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
                {"two classes have the colour (1, 2, 3)"}},
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

}  // namespace
}  // namespace fernwood::dataset
