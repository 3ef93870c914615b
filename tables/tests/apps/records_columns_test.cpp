// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

/// Models of the attributes a and b, used on tables with other columns.
class RecordColumns : public CommandLine {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  void train(const std::string& text, const Words& more = {}) const {
    Words words = {"train", "--data", write("train.csv", text), "--out", folder_ / "m.records", "--trees", "3"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome trained = run(words);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  Words use(const char* command, const fs::path& data) const {
    return {command, "--model", folder_ / "m.records", "--data", data};
  }
  /// Number of lines that a command writes.
  std::ptrdiff_t count_lines(const char* command, const fs::path& data) const {
    Words words = use(command, data);
    words.insert(words.end(), {"--out", "-"});
    const Outcome done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return std::ranges::count(done.out, '\n');
  }
};

TEST_F(RecordColumns, OnlyEvaluateReadsAnUnrelatedLastColumn) {
  const fs::path unrelated = write("new.csv", "a,b,id\n1,2,k17\n4,5,k18\n");
  train("a,b,label\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n");
  EXPECT_EQ(count_lines("predict", unrelated), 3);
  expect_refused(use("evaluate", unrelated), kData,
                 {"the class is \"k17\", which the model does not know", "name the column with --label"});
  train("a,b,y\n1,2,10\n3,4,20\n5,6,30\n7,8,40\n", {"--task", "regression"});
  EXPECT_EQ(count_lines("predict", unrelated), 3);
  expect_refused(use("evaluate", write("ids.csv", "a,b,id\n1,2,17\n4,5,18\n")), kData,
                 {"no record has a value of \"y\" to compare with; name its column with --label"});
}

TEST_F(RecordColumns, ExplainWritesOneHeaderForAllBlocks) {
  train("a,b,y\n1,2,10\n3,4,20\n5,6,30\n7,8,40\n", {"--task", "regression"});
  const fs::path data = write("new.csv", "a,b\n1,2\n4,5\n7,8\n");
  const std::ptrdiff_t all = count_lines("explain", data);
  Words words = use("explain", data);
  words.insert(words.end(), {"--out", "-", "--block", "1"});
  EXPECT_EQ(std::ranges::count(run(words).out, '\n'), all);
}

TEST_F(RecordColumns, AModelIsEvaluatedOnATableWithAColumnWithoutAName) {
  const std::string text = ",a,label\n0,1,x\n1,2,y\n2,5,y\n";
  train(text);
  const Outcome evaluated = run(use("evaluate", folder_ / "train.csv"));
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

}  // namespace
}  // namespace fernwood::apps
