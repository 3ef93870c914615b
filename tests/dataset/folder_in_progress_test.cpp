// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/folder_in_progress.h"

#include <unistd.h>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file) {
  write_file_atomically(file, NamedBy::kFernwood, [](std::ostream& out) { out << "x"; });
}

/// Writes a folder with one file.
void make_whole(const fs::path& out) {
  FolderInProgress folder(out);
  put(folder.path() / "file");
  folder.finish();
}

TEST(FolderInProgress, ALinkStaysAndItsFolderIsFilled) {
  const TestFolder folder;
  fs::create_directory(folder / "disk");
  fs::create_directory_symlink("disk", folder / "link");
  make_whole(folder / "link");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::exists(folder / "disk/file"));
  EXPECT_FALSE(fs::exists(folder / "link.part"));
  fs::create_directory_symlink("nowhere", folder / "dangling");
  testdata::expect_refused(ErrorKind::kUsage, [&] { make_whole(folder / "dangling"); });
}

TEST(FolderInProgress, AFolderOfSomebodyElseBesideItIsNotTaken) {
  const TestFolder folder;
  const auto refused = [&] {
    testdata::expect_refused(ErrorKind::kUsage, [&] { make_whole(folder / "out"); });
    EXPECT_FALSE(fs::exists(folder / "out"));
  };
  fs::create_directory(folder / "other");
  put(folder / "other/.fernwood_import");
  put(folder / "other/private");
  fs::create_directory_symlink("other", folder / "out.part");
  refused();
  EXPECT_TRUE(fs::exists(folder / "other/private"));
  if (::geteuid() != 0) return;  // folders of other users are made by root alone
  fs::remove(folder / "out.part");
  fs::rename(folder / "other", folder / "out.part");
  ASSERT_EQ(::chown((folder / "out.part").c_str(), 1234, 5678), 0);
  refused();
  EXPECT_TRUE(fs::exists(folder / "out.part/private"));
}

TEST(FolderInProgress, OtherSpellingsOfAFolderAreThatFolder) {
  const TestFolder folder;
  fs::create_directory(folder / "here");
  const fs::path before = fs::current_path();
  fs::current_path(folder / "here");
  EXPECT_NO_THROW(make_whole("."));
  EXPECT_TRUE(fs::exists("file")) << "the current folder is still this one";
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(folder / "here/file"));
  for (const char* name : {"a/", "b/.", "c/x/.."}) make_whole(folder / name);
  for (const char* file : {"a/file", "b/file", "c/file"}) EXPECT_TRUE(fs::exists(folder / file)) << file;
}

TEST(FolderInProgress, AnEmptyFolderIsFilledOrLeftEmptyWithItsPermissions) {
  const TestFolder folder;
  fs::create_directory(folder / "out");
  fs::permissions(folder / "out", fs::perms::owner_all);
  { const FolderInProgress unfinished(folder / "out"); }
  EXPECT_TRUE(fs::is_empty(folder / "out"));
  EXPECT_FALSE(fs::exists(folder / "out.part"));
  EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms::owner_all);
  make_whole(folder / "out");
  EXPECT_TRUE(fs::exists(folder / "out/file"));
  EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms::owner_all);
  testdata::expect_refused(ErrorKind::kUsage, [&] { make_whole(folder / "out"); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { make_whole(folder / "out/file"); });
}

}  // namespace
}  // namespace fernwood::dataset
