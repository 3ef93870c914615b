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

TEST(ListFolder, RefusesRecordingsThatGiveTwoFramesOneName) {
  const TestFolder folder;
  for (const std::string recording : {"a", "a_b"}) folder.write(recording + "/times.txt", std::string("f 0\nb_f 1\n"));
  folder.write("a/f_colors.png", std::string());
  folder.write("a_b/f_colors.png", std::string());
  EXPECT_EQ(list_folder(folder.path()).frames.size(), 2u);
  folder.write("a/b_f_colors.png", std::string());
  expect_error([&] { list_folder(folder.path()); }, ErrorKind::kData,
               {folder.path().string(), "the recordings a and a_b both give a frame the name a_b_f",
                "rename one of the two folders"});
}

}  // namespace
}  // namespace fernwood::dataset
