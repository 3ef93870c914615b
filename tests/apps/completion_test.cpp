// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

class ShellCompletion : public CommandLine {
 protected:
  /// Completions of a command line: their kind first, then the words.
  std::vector<std::string> told(const Words& line) const {
    Words words = {"completion", "words", "--"};
    words.insert(words.end(), line.begin(), line.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::vector<std::string> parts;
    for (std::string one; std::getline(lines, one);) parts.push_back(one.substr(0, one.find('\t')));
    return parts;
  }
};

TEST_F(ShellCompletion, TellsTheCommandsThatBeginAsTheWordDoes) {
  EXPECT_THAT(told({"fernwood", "st"}), ElementsAre("words", "study"));
}

TEST_F(ShellCompletion, TellsTheOptionsOfACommandThatWereNotGiven) {
  EXPECT_THAT(told({"fernwood", "train", "--"}),
              AllOf(IsSupersetOf({"--data", "--out", "--mirror-augmentation", "--no-mirror-augmentation"}),
                    Not(Contains("--model"))));
  const Words given = {"fernwood", "train", "--out", "--data", "--ignored-colors", "1,2,3", "--"};
  EXPECT_THAT(told(given), AllOf(Contains("--data"), Not(Contains("--out")), Contains("--ignored-colors")))
      << "--data is the name of a file here, and colours may be repeated";
}

TEST_F(ShellCompletion, TellsWhatAnOptionMayBe) {
  const std::vector<std::string> all = {"words", "forest", "ferns", "boosted"};
  EXPECT_EQ(told({"fernwood", "train", "--algorithm", ""}), all);
  EXPECT_EQ(told({"fernwood", "train", "--algorithm="}), all);
  EXPECT_EQ(told({"fernwood", "train", "--algorithm", "="}), all) << "as bash has it";
  EXPECT_THAT(told({"fernwood", "train", "--algorithm", "=", "b"}), ElementsAre("words", "boosted"));
  EXPECT_THAT(told({"fernwood", "live", "--rate", ""}), ElementsAre("words", "recorded")) << "HZ is a number's place";
}

TEST_F(ShellCompletion, TellsWhereFilesAndFoldersGo) {
  EXPECT_THAT(told({"fernwood", "train", "--data", ""}), ElementsAre("folders"));
  EXPECT_THAT(told({"fernwood", "train", "--out", ""}), ElementsAre("files"));
  EXPECT_THAT(told({"fernwood", "describe", ""}), ElementsAre("files"));
}

TEST_F(ShellCompletion, PassesOverWhatNobodyUnderstands) {
  EXPECT_THAT(told({}), Contains("train"));
  EXPECT_THAT(told({"fernwood", "--nothing", "trian", "--", "tra"}), ElementsAre("words", "train"));
}

TEST_F(ShellCompletion, BashAsksTheProgram) {
  std::ofstream(folder_ / "ask") << "PATH=" << fs::path(program()).parent_path().string() << ":$PATH\n"
                                 << "source <(fernwood completion bash)\n"
                                    "COMP_WORDS=(fernwood train --algorithm = f) COMP_CWORD=4\n"
                                    "_fernwood fernwood && echo \"${COMPREPLY[@]}\"\n";
  RunningCommand running(folder_.path(), {(folder_ / "ask").string()}, {}, "/bin/bash");
  EXPECT_EQ(running.wait().out, "forest ferns\n");
}

TEST_F(ShellCompletion, IsInstalledForAllShells) {
  ASSERT_EQ(run({"completion", "--install", folder_ / "prefix"}).exit_code, 0);
  const fs::path share = folder_ / "prefix" / "share";
  for (const auto& [shell, place] :
       {std::pair{"bash", "bash-completion/completions/fernwood"}, std::pair{"zsh", "zsh/site-functions/_fernwood"},
        std::pair{"fish", "fish/vendor_completions.d/fernwood.fish"}})
    EXPECT_EQ(text_of(share / place), run({"completion", shell}).out) << shell;
}

TEST_F(ShellCompletion, RefusesWhatItCannotDo) {
  expect_each_refused({{"completion"}, {"completion", "csh"}, {"completion", "bash", "more"}});
}

}  // namespace
}  // namespace fernwood::apps
