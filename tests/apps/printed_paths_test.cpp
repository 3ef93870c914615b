// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

/// File names may contain control characters of terminals; messages show these as question marks.
class PrintedPaths : public CommandLine {
 protected:
  fs::path steering(const std::string& name) const { return folder_ / ("\033]0;title\a\033[2J" + name); }
  void expect_harmless(const Words& arguments, int exit_code = 0) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    const std::string text = outcome.out + outcome.err;
    EXPECT_EQ(text.find_first_of("\033\a"), std::string::npos) << text;
    EXPECT_NE(text.find("?]0;title??[2J"), std::string::npos) << text;
  }
};

TEST_F(PrintedPaths, DoNotSteerTheTerminal) {
  expect_harmless(
      {"dataset", "generate", "--out", steering("rooms"), "--frames", "3", "--test-frames", "1", "--size", "64x48"});
  expect_harmless(small_training(steering("rooms") / "train", steering("model")));
  expect_harmless({"predict", "--model", model(), "--data", steering("rooms") / "test", "--out", steering("labels")});
  expect_harmless(
      {"dataset", "export", "--data", steering("rooms") / "train", "--format", "npy", "--out", steering("exported")});
}

// Names in files of other people are one text on one line, on standard output as in an error.
TEST_F(PrintedPaths, NeitherDoNamesInFilesNorDoTheyAddLines) {
  std::string picture;
  for (const auto& entry : fs::directory_iterator(rooms() / "train"))
    if (entry.path().string().ends_with("_colors.png")) picture = entry.path().filename().string();
  const auto imported = [&](const std::string& class_name, const std::string& first) {
    const std::string json = R"({"images": [{"id": 1, "file_name": ")" + first +
                             R"("}, {"id": 2, "file_name": "b\nerror: b\u001b[2J"}],
      "categories": [{"id": 1, "name": ")" +
                             class_name + R"("}], "annotations": []})";
    return run(
        {"dataset", "import", "coco", folder_.write("a.json", json), "--images", rooms() / "train", "--dry-run"});
  };
  const auto expect_one_line = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
    EXPECT_EQ(text.find("\nerror: b"), std::string::npos) << text;
  };
  expect_one_line(imported("chair", picture).out, "b?error: b?[2J");
  expect_one_line(imported("chair", "none.png").err, "b?error: b?[2J");
  const Outcome refused = imported("chair\\nerror: b\\u001b[2J", picture);
  EXPECT_EQ(refused.exit_code, kData);
  expect_one_line(refused.err, "chair?error: b?[2J");
}

TEST_F(PrintedPaths, DoNotSteerTheTerminalWhereTheyAreRefused) {
  expect_harmless({"evaluate", "--model", steering("none"), "--data", rooms() / "test"}, kRuntime);
  expect_harmless({"evaluate", "--model", model(), "--data", steering("none")}, kData);
  expect_harmless({"train", "--data", rooms() / "train", "--out", model(), "--parallel", "\033]0;title\a\033[2J"},
                  kUsage);
}

}  // namespace
}  // namespace fernwood::apps
