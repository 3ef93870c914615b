// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

#ifdef FERNWOOD_FAILING_THREADS

namespace fernwood::apps {
namespace {

/// Runs with a limit on the threads beside the main thread.
class RefusedThreads : public CommandLine {
 protected:
  Outcome run_with(int most_threads, const Words& arguments) const {
    Words words = {"LD_PRELOAD=" FERNWOOD_FAILING_THREADS, "MOST_THREADS=" + std::to_string(most_threads), program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program("/usr/bin/env", words);
  }

  /// With too few threads, expects an error message; with enough, success.
  void expect_sentences(const Words& arguments) const {
    constexpr int kEnough = 40;
    for (int most = 0; most <= kEnough; most += most < 12 ? 1 : kEnough - 12) {
      const Outcome outcome = run_with(most, arguments);
      fs::remove_all(out("recorded"));
      if (outcome.exit_code == 0) continue;
      EXPECT_LT(most, kEnough) << outcome.err;
      EXPECT_EQ(outcome.exit_code, kResource) << arguments[0] << " with " << most << ": " << outcome.err;
      EXPECT_TRUE(outcome.err.starts_with("error: ")) << most << ": " << outcome.err;
    }
    EXPECT_EQ(run_with(0, arguments).exit_code, kResource);
  }
};

TEST_F(RefusedThreads, AreASentenceOfRecords) {
  const std::string table = folder_.write("table.csv", "a,b,class\n1,2,x\n2,3,y\n4,4,y\n");
  ASSERT_EQ(run({"train", "--data", table, "--out", out("forest")}).exit_code, 0);
  expect_sentences({"predict", "--model", out("forest"), "--data", table, "--out", out("classes.csv"), "--threads", "6",
                    "--block", "1", "--device", "cpu"});
}

}  // namespace
}  // namespace fernwood::apps

#endif
