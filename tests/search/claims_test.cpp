// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/claims.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "test_folder.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::search {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(SearchClaims, AUnitIsOfOneAtATimeAndNothingStays) {
  const testdata::TestFolder folder;
  {
    Claims ours(folder / "search"), theirs(folder / "search");
    std::optional<Claim> claim = ours.claim(3, 1);
    ASSERT_TRUE(claim);
    EXPECT_FALSE(theirs.claim(3, 1));
    EXPECT_TRUE(theirs.claim(3, 2));
    claim.reset();
    EXPECT_TRUE(theirs.claim(3, 1));
  }
  EXPECT_TRUE(fs::is_empty(folder / "search"));
}

TEST(SearchClaims, GoOnWhenAnotherProcessRemovedTheFolder) {
  const testdata::TestFolder folder;
  Claims ours(folder / "search");
  { const Claims theirs(folder / "search"); }
  ASSERT_FALSE(fs::exists(folder / "search" / "claims"));
  EXPECT_FALSE(ours.claim(0, 0)) << "the folder is made again";
  EXPECT_TRUE(ours.claim(0, 0));
}

/// As after a kill, and next to files of other programs.
TEST(SearchClaims, OnlyTheirOwnFilesAreRemoved) {
  const testdata::TestFolder folder;
  for (const char* name : {"0-0", "12-3"}) folder.write("search/claims/" + std::string(name), "");
  for (const char* name : {"letter.txt", "1-", "-1", "1-2-3", "2026-11", "1-x"})
    folder.write("search/claims/" + std::string(name), "of value");
  folder.write("search/claims/notes", "");
  { const Claims claims(folder / "search"); }
  EXPECT_FALSE(fs::exists(folder / "search" / "claims" / "0-0"));
  EXPECT_FALSE(fs::exists(folder / "search" / "claims" / "12-3"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "search" / "claims"), fs::directory_iterator()), 7);
  EXPECT_EQ(read_text(folder / "search" / "claims" / "2026-11"), "of value");
}

TEST(SearchClaims, ALinkInAFolderOfSomebodyElseIsNotFollowed) {
  const testdata::TestFolder folder;
  folder.write("victim/0-0", "");
  fs::create_directories(folder / "search");
  fs::create_directory_symlink(folder / "victim", folder / "search" / "claims");
  try {
    const Claims claims(folder / "search");
    FAIL() << "the link was followed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
    EXPECT_THAT(error.what(), HasSubstr((folder / "search" / "claims").string() + ": is a link or a file"));
  }
  EXPECT_TRUE(fs::exists(folder / "victim" / "0-0"));
  EXPECT_TRUE(fs::is_symlink(folder / "search" / "claims"));
}

TEST(SearchClaims, WhatIsNoClaimUnderTheNameOfOneIsASentence) {
  const testdata::TestFolder folder;
  folder.write("search/claims/0-0", "of value");
  Claims claims(folder / "search");
  ::mkfifo((folder / "search" / "claims" / "0-1").c_str(), 0600);
  fs::create_symlink(folder / "victim", folder / "search" / "claims" / "0-2");
  for (const std::size_t fold : {0, 1, 2}) EXPECT_THROW(claims.claim(0, fold), Error);
  EXPECT_EQ(read_text(folder / "search" / "claims" / "0-0"), "of value");
  EXPECT_FALSE(fs::exists(folder / "victim"));
}

}  // namespace
}  // namespace fernwood::search
