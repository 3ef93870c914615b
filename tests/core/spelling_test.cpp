// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/spelling.h"

#include <gtest/gtest.h>

#include <array>

namespace fernwood {
namespace {

constexpr std::array<std::string_view, 4> kCommands = {"train", "predict", "describe", "dataset"};

TEST(NearestName, NeedsTheFewestEdits) {
  EXPECT_EQ(nearest_name("trian", kCommands), "train");       // two letters replaced
  EXPECT_EQ(nearest_name("predic", kCommands), "predict");    // one inserted
  EXPECT_EQ(nearest_name("dattaset", kCommands), "dataset");  // one removed
  EXPECT_EQ(nearest_name("describe", kCommands), "describe");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("label", kCommands), "");
  EXPECT_EQ(nearest_name("", kCommands), "");
  EXPECT_EQ(nearest_name("train", {}), "");
}

TEST(NearestName, OfAShortWordKeepsHalfOfIt) {
  constexpr std::array<std::string_view, 2> kShort = {"xyz", "ay"};
  EXPECT_EQ(nearest_name("ab", kShort), "ay");  // 1 of 2 letters
  EXPECT_EQ(nearest_name("a", kShort), "");     // even "ay" is 1 edit of 1 letter
}

TEST(NearestName, OfSeveralIsTheFirst) {
  constexpr std::array<std::string_view, 2> kTied = {"tray", "trap"};
  EXPECT_EQ(nearest_name("trax", kTied), "tray");
}

}  // namespace
}  // namespace fernwood
