// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/name_lookup.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const TestFolder& folder, const std::string& pattern) {
  std::vector<std::string> found;
  for (const auto& [name, file] : match_option(folder.path(), "colors", pattern)) found.push_back(name);
  return found;
}

TEST(NamePattern, NamesAreWhatTheBracesStandFor) {
  const TestFolder folder;
  for (const char* file : {"rgb/10.png", "rgb/2.png", "rgb/2.jpg", "rgb/notes.txt", "depth/2.png", "rgb/a/7.png"})
    folder.write(file, std::string("x"));
  EXPECT_THAT(names(folder, "rgb/{}.png"), ElementsAre("2", "10", "a/7"))
      << "numbers by value; names reach over folders";
  EXPECT_THAT(names(folder, "{}.jpg"), ElementsAre("rgb/2"));
}

TEST(NamePattern, AStarStandsForAnythingWithinAFolder) {
  const TestFolder folder;
  for (const char* file : {"aachen/a_1_left.png", "bonn/b_2_left.png", "bonn/deep/c_3_left.png"})
    folder.write(file, std::string("x"));
  EXPECT_THAT(names(folder, "*/{}_left.png"), ElementsAre("a_1", "b_2", "deep/c_3"));
}

TEST(NamePattern, TwoFilesOfOneNameAreAnErrorThatNamesBoth) {
  const TestFolder folder;
  for (const char* file : {"rgb/a/1.png", "rgb/b/1.png", "rgb/b/2.png"}) folder.write(file, std::string("x"));
  testdata::expect_refused(ErrorKind::kData, [&] { names(folder, "rgb/*/{}.png"); });
  EXPECT_THAT(names(folder, "rgb/{}.png"), ElementsAre("a/1", "b/1", "b/2"));
}

TEST(NamePattern, WhatIsNoPatternIsASentence) {
  const TestFolder folder;
  folder.write("rgb/1.png", std::string("x"));
  testdata::expect_refused(ErrorKind::kUsage, [&] { names(folder, "rgb/*.png"); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { names(folder, "{}/{}.png"); });
  testdata::expect_refused(ErrorKind::kData, [&] { names(folder, "color/{}.png"); });
  testdata::expect_refused(ErrorKind::kData, [&] { match_option(folder / "none", "depth", "{}.png"); });
}

TEST(NaturalOrder, IsThatOfNumbers) {
  const NaturalOrder less;
  EXPECT_TRUE(less("f2", "f10"));
  EXPECT_TRUE(less("f2a", "f2b"));
  EXPECT_TRUE(less("f", "f1"));
  EXPECT_TRUE(less("01", "1")) << "different names";
  EXPECT_TRUE(less("1", "02"));
  EXPECT_FALSE(less("f10", "f2"));
  EXPECT_FALSE(less("a", "a"));
}

}  // namespace
}  // namespace fernwood::dataset
