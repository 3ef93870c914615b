// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "fernwood/core/file.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

class Interrupt : public CommandLine {
 protected:
  /// A training slow enough to be interrupted after its first level.
  Words training(const Words& more = {}) const {
    Words words = {
        "train", "--data",      rooms(),  "--out",        out("model"), "--trees",     "2",  "--samples-per-frame",
        "400",   "--features",  "800",    "--thresholds", "50",         "--max-depth", "12", "--min-samples",
        "2",     "--algorithm", "forest", "--backbone",   "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Trains until a checkpoint exists, then sends the signal.
  Outcome interrupted_by(int signal) const {
    RunningCommand training_run(log(), training());
    EXPECT_TRUE(wait_for([&] { return training_run.has_ended() || fs::exists(out("model.checkpoint")); },
                         std::chrono::milliseconds(1)));
    training_run.signal(signal);
    return training_run.wait();
  }
  fs::path log() const {
    fs::create_directories(folder_ / "interrupted");
    return folder_ / "interrupted";
  }
};

class InterruptBy : public Interrupt, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, InterruptBy, testing::Values(SIGINT, SIGTERM));

TEST_P(InterruptBy, KeepsACheckpointThatResumesToTheSameModel) {
  const Outcome stopped = interrupted_by(GetParam());
  EXPECT_EQ(stopped.exit_code, kInterrupted);
  EXPECT_EQ(stopped.out, "");
  testdata::expect_sentence(stopped.err);
  ASSERT_EQ(written(), std::set<std::string>{"model.checkpoint"});

  const Outcome resumed = run(training({"--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.report.json"})) << "the checkpoint is gone";
  const std::string model = text_of(out("model"));
  EXPECT_EQ(run(training()).exit_code, 0);
  EXPECT_TRUE(model == text_of(out("model")));
}

TEST_F(Interrupt, LeavesTheOutputOfARunThatGoesOnAlone) {
  RunningCommand first(log(), training());
  ASSERT_TRUE(
      wait_for([&] { return first.has_ended() || fs::exists(out("model.checkpoint")); }, std::chrono::milliseconds(1)));
  for (const Words& more : {Words{"--seed", "7"}, Words{"--resume"}}) {
    const Outcome second = run(training(more));
    EXPECT_EQ(second.exit_code, kRuntime);
    EXPECT_NE(second.err.find("another run (process "), std::string::npos) << second.err;
  }
  ASSERT_FALSE(first.has_ended()) << "training was too short for this test";
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, kInterrupted);
  EXPECT_EQ(run(training({"--resume"})).exit_code, 0) << "the checkpoint is the first run's";
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.report.json"}));
}

TEST_F(Interrupt, AFolderOfADataSetIsWrittenByOneRunAlone) {
  const Words exported = {"dataset", "export", "--data", rooms() / "train", "--format"};
  Words coco = exported, voc = exported;
  coco.insert(coco.end(), {"coco", "--out", out("coco.json")});
  voc.insert(voc.end(), {"voc", "--out", out("set")});
  ASSERT_EQ(run(coco).exit_code, 0);
  const Words import = {"dataset",  "import",          "coco",  out("coco.json"),
                        "--images", rooms() / "train", "--out", out("made")};
  for (const auto& [words, folder] :
       {std::pair{Words{"dataset", "generate", "--out", out("set"), "--frames", "2", "--test-frames", "0"}, out("set")},
        {voc, out("set")},
        {import, out("made.part")}}) {
    fs::create_directories(folder);
    const OutputLock lock(folder);
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, kRuntime) << words[1] << outcome.err;
    testdata::expect_sentence(outcome.err);
    EXPECT_TRUE(fs::is_empty(folder)) << words[1];
  }
  EXPECT_EQ(run(import).exit_code, 0) << "what is left of a run that was killed is in nobody's way";
  EXPECT_FALSE(fs::exists(out("made.part")));
}

TEST_F(Interrupt, LabelsOfTwoRunsInOneFolderAreWarnedOf) {
  fs::create_directories(out("labels"));
  const OutputLock lock(out("labels"));
  const Outcome outcome = run({"predict", "--model", model(), "--data", rooms(), "--out", out("labels")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("labels: another run"), std::string::npos) << outcome.err;
}

TEST_F(Interrupt, KeepsTheModelThatWasThere) {
  std::ofstream(out("model")) << "precious";
  EXPECT_EQ(interrupted_by(SIGINT).exit_code, kInterrupted);
  EXPECT_EQ(text_of(out("model")), "precious");
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.checkpoint"}));
}

TEST_F(Interrupt, ResumesOnlyWhatTheOptionsBelongTo) {
  EXPECT_EQ(interrupted_by(SIGINT).exit_code, kInterrupted);
  const std::string checkpoint = text_of(out("model.checkpoint"));
  const Outcome other = run(training({"--resume", "--seed", "5"}));
  EXPECT_EQ(other.exit_code, kUsage);
  testdata::expect_sentence(other.err);
  fs::resize_file(out("model.checkpoint"), checkpoint.size() / 2);
  const Outcome damaged = run(training({"--resume"}));
  EXPECT_EQ(damaged.exit_code, kModel);
  EXPECT_EQ(written(), std::set<std::string>{"model.checkpoint"});
}

TEST_F(Interrupt, ForgottenResumeIsWarnedOf) {
  EXPECT_EQ(interrupted_by(SIGINT).exit_code, kInterrupted);
  const Outcome outcome = run(small_training(rooms(), out("model")));
  EXPECT_EQ(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
}

TEST_F(Interrupt, AFileWithTheNameOfACheckpointIsNotReplaced) {
  for (const std::string name : {"model.checkpoint", "model.checkpoint.left-out"}) {
    std::ofstream(out(name)) << "precious";
    const Outcome outcome = run(small_training(rooms(), out("model"), {"--optimize", "iou"}));
    EXPECT_EQ(outcome.exit_code, kUsage);
    testdata::expect_sentence(outcome.err);
    EXPECT_EQ(text_of(out(name)), "precious");
    EXPECT_EQ(written(), std::set<std::string>{name});
    fs::remove(out(name));
  }
}

TEST_F(Interrupt, ResumeWithoutACheckpointStartsAnew) {
  EXPECT_EQ(run(small_training(rooms(), out("model"), {"--resume"})).exit_code, 0);
  EXPECT_TRUE(text_of(out("model")) == text_of(model()));
}

}  // namespace
}  // namespace fernwood::apps
