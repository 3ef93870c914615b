// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/labels.h"

#include <gtest/gtest.h>

#include "sentences.h"

namespace fernwood::image {
namespace {

std::vector<bool> are_things(const std::vector<ClassInfo>& classes) {
  std::vector<bool> things;
  for (const ClassInfo& info : classes) things.push_back(info.is_thing());
  return things;
}

TEST(Things, AreClassesWithoutAUsualNameOfStuff) {
  EXPECT_EQ(
      are_things({{"floor", {}}, {"chair", {}}, {"Wall", {}}, {"wall clock", {}}, {"#010203", {}}, {"Carpet", {}}}),
      (std::vector<bool>{false, true, false, true, true, false}));
}

TEST(Things, AreThoseStatedAndNoOthers) {
  std::vector<ClassInfo> classes = {{"floor", {}}, {"chair", {}}, {"box", {}}};
  state_things({"box", "floor"}, classes);
  EXPECT_EQ(are_things(classes), (std::vector<bool>{true, false, true}));
  state_things({}, classes);
  EXPECT_EQ(are_things(classes), (std::vector<bool>{false, false, false}));
  testdata::expect_refused(ErrorKind::kUsage, [&] { state_things({"chair", "boxes"}, classes); });
}

}  // namespace
}  // namespace fernwood::image
