// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::string& text, const std::vector<std::string>& names) {
  const TestFolder folder;
  folder.write("groups.txt", text);
  try {
    read_groups(folder / "groups.txt", names);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "no error";
}

TEST(FrameGroups, AreNumberedInOrderOfTheFrames) {
  const TestFolder folder;
  folder.write("groups.txt", std::string("# scenes\na kitchen\nb office\n\nc kitchen\nnot-here attic\n"));
  EXPECT_THAT(read_groups(folder / "groups.txt", {"b", "a", "c"}), ElementsAre(0, 1, 1));
}

TEST(FrameGroups, WrongLinesAreNamed) {
  EXPECT_THAT(refusal_of("a kitchen\nb\n", {"a"}),
              HasSubstr("groups.txt:2: is not the name of a frame and of its group"));
  EXPECT_THAT(refusal_of("a kitchen sink\n", {"a"}), HasSubstr("groups.txt:1: is not"));
  EXPECT_THAT(refusal_of("a kitchen\na bath\n", {"a"}), HasSubstr("groups.txt:2: the frame a has a group already"));
  EXPECT_THAT(refusal_of("a kitchen\n", {"a", "b"}), HasSubstr("the frame b has no group; add a line \"b GROUP\""));
}

}  // namespace
}  // namespace fernwood::dataset
