// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Files that commands on records read and write.

#include "apps/command_line.h"
#include "fernwood/core/file.h"

namespace fernwood::apps {
namespace {

using testing::HasSubstr;
using testing::Not;

class TableFiles : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    table_ = folder_ / "table.csv";
    std::ofstream(table_) << "a,b,label\n1,2,x\n2,1,y\n3,2,x\n4,1,y\n";
    model_ = folder_ / "records.fernwood";
    ASSERT_EQ(run({"train", "--data", table_, "--out", model_, "--trees", "2"}).exit_code, 0);
  }
  /// Expects a refusal and an unchanged file.
  void keeps(const fs::path& file, const Words& arguments) const {
    const std::string before = text_of(file);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, kUsage) << arguments[0] << ": " << outcome.err;
    testdata::expect_sentence(outcome.err);
    EXPECT_EQ(text_of(file), before) << arguments[0];
  }

  fs::path table_, model_;
};

TEST_F(TableFiles, ThatAreReadAreNotReplaced) {
  keeps(table_, {"predict", "--model", model_, "--data", table_, "--out", table_});
  keeps(model_, {"predict", "--model", model_, "--data", table_, "--out", model_});
  keeps(table_, {"explain", "--model", model_, "--data", table_, "--out", table_});
  keeps(table_, {"train", "--data", table_, "--out", table_});
  keeps(table_, {"stream", "train", "--data", table_, "--out", table_});
}

TEST_F(TableFiles, TheFileOfOptionsIsAnInputOfEveryCommand) {
  const fs::path options = folder_.write("options.toml", "[train]\ntrees = 1\n");
  keeps(options, {"train", "--data", table_, "--out", options, "--config", options});
  keeps(options, {"--config=" + options.string(), "stream", "train", "--data", table_, "--out", options});
  keeps(options, {"--config", options, "generate", "--records", "9", "--out", options});
  keeps(options, {"--config", options, "export", "--as", "cpp", "--model", model_, "--out", options});
}

TEST_F(TableFiles, StandardInputMayBeAFile) {
  const std::string before = text_of(table_);
  for (const Words& command :
       {Words{"train"}, {"stream", "train"}, {"predict", "--model", model_}, {"explain", "--model", model_}}) {
    Words words = command;
    words.insert(words.end(), {"--data", "-", "--out", table_});
    const Outcome outcome = RunningCommand(folder_.path(), words, {}, program(), table_).wait();
    EXPECT_EQ(outcome.exit_code, kUsage) << outcome.err;
    testdata::expect_sentence(outcome.err);
  }
  EXPECT_EQ(text_of(table_), before);
}

TEST_F(TableFiles, AClosedInputIsNoEmptyTable) {
  const Words words = {"-c",    "exec \"$@\" <&-", "sh", program(), "stream",
                       "train", "--data",          "-",  "--out",   out("tree")};
  const Outcome outcome = run_program("/bin/sh", words);
  EXPECT_NE(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
}

TEST_F(TableFiles, PathsDoNotSteerTheTerminal) {
  const auto steering = [&](const std::string& name) { return folder_ / ("\033]0;title\a\033[2J" + name); };
  for (const Words& words :
       std::vector<Words>{{"train", "--data", table_, "--out", steering("forest")},
                          {"predict", "--model", steering("forest"), "--data", table_, "--out", steering("classes")},
                          {"export", "--as", "cpp", "--model", steering("forest"), "--out", steering("forest.h")},
                          {"generate", "--records", "100", "--out", steering("records")},
                          {"stream", "train", "--data", steering("records"), "--out", steering("tree")}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\033"))) << words[0];
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\a"))) << words[0];
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("?]0;title??[2J")) << words[0];
  }
}

}  // namespace
}  // namespace fernwood::apps
