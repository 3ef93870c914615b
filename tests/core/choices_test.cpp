// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;

/// Sets FERNWOOD_CACHE to an empty folder for each test.
class Choices : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("FERNWOOD_CACHE")) before_ = before;
    ::setenv("FERNWOOD_CACHE", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("FERNWOOD_CACHE") : ::setenv("FERNWOOD_CACHE", before_.c_str(), 1);
  }
  const testdata::TestFolder folder_;
  std::string before_;
};

TEST_F(Choices, AreThereInLaterRuns) {
  EXPECT_EQ(read_choices(), "");
  remember_choice("a", {{"way", "this"}, {"rate", "3"}});
  remember_choice("b", {{"way", "that"}});
  remember_choice("b", {{"way", "other"}});
  EXPECT_EQ(find_choice(read_choices(), "a"), (TunedChoice{{"way", "this"}, {"rate", "3"}}));
  EXPECT_EQ(find_choice(read_choices(), "b"), (TunedChoice{{"way", "other"}}));
  EXPECT_EQ(find_choice(read_choices(), "c"), std::nullopt);
}

TEST_F(Choices, FilesThatAreNoneAreAsGoodAsNone) {
  for (const char* text : {"", "[", "[]", "7", "{\"a\": 3}", "{\"a\": [[[[[[[[]]]]]]]]}"})
    EXPECT_EQ(find_choice(text, "a"), std::nullopt) << text;
  EXPECT_EQ(find_choice("{\"a\": {\"way\": \"this\", \"rate\": 3}}", "a"), (TunedChoice{{"way", "this"}}));
  fs::create_directories(folder_ / "cache");
  std::ofstream(folder_ / "cache" / "choices.json") << "{\"a\"";
  remember_choice("a", {{"way", "this"}});
  EXPECT_EQ(find_choice(read_choices(), "a"), (TunedChoice{{"way", "this"}}));
}

TEST_F(Choices, AFolderThatCannotBeWrittenIsNoError) {
  std::ofstream(folder_ / "cache") << "a file";
  remember_choice("a", {{"way", "this"}});
  EXPECT_EQ(read_choices(), "");
}

}  // namespace
}  // namespace fernwood
