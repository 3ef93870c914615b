// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ThesisSearch : public CommandLine {
 protected:
  /// Frames are few and small, because the search space is that of the thesis.
  Outcome search(const Words& more) const {
    EXPECT_EQ(run({"dataset", "generate", "--out", folder_ / "scenes", "--frames", "4", "--test-frames", "1", "--size",
                   "32x32"})
                  .exit_code,
              0);
    Words words = {"thesis-search", "--data", folder_ / "scenes/train", "--out", folder_ / "found", "--trials", "1",
                   "--device",      "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(lab_program(), words);
  }
};

TEST_F(ThesisSearch, WritesModelPageAndReport) {
  const Outcome outcome = search({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Maximum tree depth"), HasSubstr("1 trials in ")));
  for (const char* file : {"best.fernwood", "thesis_search.html", "search.json"})
    EXPECT_TRUE(fs::exists(folder_ / "found" / file)) << file;
}

TEST_F(ThesisSearch, NoTrialsAreRefused) {
  expect_refusal(
      run_program(lab_program(), {"thesis-search", "--data", rooms(), "--out", out("found"), "--trials", "0"}), kUsage,
      {"--trials is 0; use a number from 1 to 100000"});
}

}  // namespace
}  // namespace fernwood::apps
