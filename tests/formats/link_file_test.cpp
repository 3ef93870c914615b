// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/link_file.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;

TEST(LinkFile, OnAnotherFileSystemItIsACopyThatReplacesNothing) {
  const TestFolder folder;
  const bool is_in_memory = folder.path().string().starts_with("/dev/shm");
  const fs::path other =
      (is_in_memory ? "/var/tmp/fernwood_link_" : "/dev/shm/fernwood_link_") + std::to_string(::getpid());
  folder.write("a", "picture");
  if (fs::create_directory(other); !fs::exists(other)) GTEST_SKIP() << other << " cannot be made";
  link_or_copy(folder / "a", other / "b");
  EXPECT_EQ(read_text(other / "b"), "picture");
  EXPECT_FALSE(fs::exists(other / "b.part"));
  EXPECT_THROW(link_or_copy(folder / "a", other / "b"), Error);
  fs::remove_all(other);
}

TEST(LinkFile, LinksThatLeadOutOfTheFolderAreTold) {
  const TestFolder folder;
  fs::create_directories(folder / "set/more");
  fs::create_directory(folder / "private");
  for (const char* name : {"set/a", "set/more/b", "private/c"}) folder.write(name, "x");
  fs::create_symlink("more/b", folder / "set/inside");
  fs::create_symlink("../private/c", folder / "set/outside");
  fs::create_directory_symlink("../private", folder / "set/folder");
  fs::create_directory_symlink("set", folder / "link");
  const auto told = [&](const char* from, std::vector<fs::path> files) {
    for (fs::path& file : files) file = folder / file;
    return links_out_of(folder / from, files);
  };
  EXPECT_EQ(told("set", {"set/a", "set/more/b", "set/inside", "set/missing"}), "");
  EXPECT_EQ(told("link", {"link/a", "link/inside"}), "") << "the user named this link";
  EXPECT_EQ(told("set", {"set/../private/c"}), "") << "no link";
  testdata::expect_sentence(told("set", {"set/a", "set/outside", "set/folder/c"}));
  testdata::expect_sentence(told("link", {"link/outside"}));
}

}  // namespace
}  // namespace fernwood::formats
