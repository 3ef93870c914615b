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
  void expect_refusals(const Words& arguments) const {
    constexpr int kEnough = 40;
    for (int most = 0; most <= kEnough; most += most < 12 ? 1 : kEnough - 12) {
      const Outcome outcome = run_with(most, arguments);
      fs::remove_all(out("recorded"));
      if (outcome.exit_code == 0) continue;
      EXPECT_LT(most, kEnough) << outcome.err;
      EXPECT_EQ(outcome.exit_code, kResource) << arguments[0] << " with " << most << ": " << outcome.err;
      EXPECT_NE(outcome.err.find("fewer --threads"), std::string::npos) << most << outcome.err;
    }
    EXPECT_EQ(run_with(0, arguments).exit_code, kResource);
  }
};

TEST_F(RefusedThreads, AreRefusedByTraining) {
  expect_refusals(small_training(rooms() / "train", out("model"), {"--threads", "8", "--device", "cpu"}));
}

TEST_F(RefusedThreads, AreRefusedByLabelling) {
  expect_refusals({"evaluate", "--model", model(), "--data", rooms() / "test", "--threads", "8", "--device", "cpu"});
}

TEST_F(RefusedThreads, AreRefusedByLiveWork) {
  expect_refusals({"live", "--model", model(), "--source", "frames:" + (rooms() / "test").string(), "--threads", "4",
                   "--device", "cpu", "--headless", "--every-frame", "--record", out("recorded")});
}

TEST_F(RefusedThreads, AreRefusedByTeaching) {
  // `timeout` sends SIGINT after 5 seconds, if all threads could be started.
  const Words teach = {"--preserve-status",
                       "--signal=INT",
                       "5",
                       program(),
                       "teach",
                       "--data",
                       (rooms() / "train").string(),
                       "--out",
                       out("taught"),
                       "--device",
                       "cpu",
                       "--no-browser",
                       "--threads",
                       "4"};
  int num_refused = 0;
  for (int most = 0; most < 12; ++most) {
    Words words = {"LD_PRELOAD=" FERNWOOD_FAILING_THREADS, "MOST_THREADS=" + std::to_string(most), "/usr/bin/timeout"};
    words.insert(words.end(), teach.begin(), teach.end());
    const Outcome outcome = run_program("/usr/bin/env", words);
    // On a busy machine, start-up may take longer than 5 seconds; the signal then arrives before the command waits for
    // users.
    if (outcome.exit_code == 0 || outcome.exit_code == kInterrupted) break;
    ++num_refused;
    EXPECT_EQ(outcome.exit_code, kResource) << most << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("fewer --threads"), std::string::npos) << most << outcome.err;
  }
  EXPECT_GT(num_refused, 2) << "the pool's, the learner's and the server's";
  EXPECT_LT(num_refused, 12);
}

TEST_F(RefusedThreads, AreRefusedByTheServer) {
  expect_refusals({"live", "--model", model(), "--source", "frames:" + (rooms() / "test").string(), "--threads", "4",
                   "--device", "cpu", "--serve", "--every-frame"});
}

}  // namespace
}  // namespace fernwood::apps

#endif
