// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "sentences.h"

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
  testdata::expect_sentence(refusal_of("a kitchen\nb\n", {"a"}));
  testdata::expect_sentence(refusal_of("a kitchen sink\n", {"a"}));
  testdata::expect_sentence(refusal_of("a kitchen\na bath\n", {"a"}));
  testdata::expect_sentence(refusal_of("a kitchen\n", {"a", "b"}));
}

TEST(ListFolder, RefusesRecordingsThatGiveTwoFramesOneName) {
  const TestFolder folder;
  for (const std::string recording : {"a", "a_b"}) folder.write(recording + "/times.txt", std::string("f 0\nb_f 1\n"));
  folder.write("a/f_colors.png", std::string());
  folder.write("a_b/f_colors.png", std::string());
  EXPECT_EQ(list_folder(folder.path()).frames.size(), 2u);
  folder.write("a/b_f_colors.png", std::string());
  testdata::expect_refused(ErrorKind::kData, [&] { list_folder(folder.path()); });
}

}  // namespace
}  // namespace fernwood::dataset
