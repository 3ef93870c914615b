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

TEST(FrameGroups, AreNumberedInOrderOfTheFrames) {
  const std::string text = "# scenes\na kitchen\nb office\n\nc kitchen\nnot-here attic\n";
  EXPECT_THAT(parse_groups(text, "groups.txt", {"b", "a", "c"}), ElementsAre(0, 1, 1));
  EXPECT_THAT(parse_groups(text, "groups.txt", {"b", "d", "a", "c"}, /*needs_all=*/false), ElementsAre(0, 1, 2, 2));
}

TEST(FrameGroups, WrongLinesAreNamed) {
  const TestFolder folder;
  const auto expect_refused = [&](const char* text, const std::vector<std::string>& names) {
    testdata::expect_refused(ErrorKind::kData, [&] { parse_groups(text, folder / "groups.txt", names); });
  };
  for (const char* text : {"a kitchen\nb\n", "a kitchen sink\n", "a kitchen\na bath\n"}) expect_refused(text, {"a"});
  expect_refused("a kitchen\n", {"a", "b"});
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
