// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/output_files.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"

namespace fernwood::report {
namespace {

namespace fs = std::filesystem;

TEST(IsSameFile, KnowsOneNewFileByAnyOfItsNames) {
  const dataset::TestFolder folder;
  fs::create_directory(folder / "new");
  fs::create_directory_symlink(".", folder / "new/here");
  fs::create_symlink("z.ply", folder / "new/link.ply");
  const fs::path file = folder / "new/z.ply", here = fs::current_path();
  fs::current_path(folder / "new");
  for (const fs::path& name : {fs::path("./z.ply"), fs::path("z.ply"), file, fs::path("here/z.ply"),
                               fs::path("link.ply"), fs::path("../new/z.ply")}) {
    EXPECT_TRUE(is_same_file(name, "z.ply")) << name;
    EXPECT_TRUE(is_same_file("z.ply", name)) << name;
    EXPECT_TRUE(is_same_file(file, name)) << name;
  }
  EXPECT_FALSE(is_same_file("z.ply", "y.ply"));
  EXPECT_FALSE(is_same_file("z.ply", "../z.ply"));
  fs::current_path(here);
}

}  // namespace
}  // namespace fernwood::report
