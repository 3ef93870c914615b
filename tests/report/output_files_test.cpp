// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/description.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::report {
namespace {

namespace fs = std::filesystem;

TEST(RefuseReplacedFiles, OnlyFilesThatADataSetReadsBelongToIt) {
  const dataset::TestFolder folder;
  fs::create_directories(folder / "rooms/train");
  fs::create_directory(folder / "other");
  const auto is_refused = [&](const std::string& name, const char* input) {
    folder.write(name, std::string("of value"));
    try {
      refuse_replaced_files({{"--out", folder / name}}, {{"--data", folder / input}}, &is_read_with);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
      return true;
    }
  };
  folder.write("rooms/train/a_depth.png", std::string("depth"));
  for (const char* name : {"a_colors.jpg", "other.PNG", "a_depth.npy", "maps.npz", "groups.txt", "poses.txt",
                           "times.txt", "classes.txt", "dataset.toml"})
    EXPECT_TRUE(is_refused("rooms/train/" + std::string(name), "rooms/train")) << name;
  EXPECT_TRUE(is_refused("rooms/dataset.toml", "rooms/train"));
  for (const char* name : {"labels.json", "labels.xml", "map.ply", "page.html", "scores.csv"}) {
    EXPECT_FALSE(is_refused("rooms/train/" + std::string(name), "rooms/train")) << name;
    EXPECT_FALSE(is_refused("rooms/train/" + std::string(name), "rooms")) << name;
  }
  folder.write("other/0001.png", std::string("an image"));
  EXPECT_TRUE(is_refused("other/labels.json", "other")) << "a program may have written it, to be imported";
}

}  // namespace
}  // namespace fernwood::report
