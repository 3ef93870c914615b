// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/stat.h>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

class BadUsage : public CommandLine {
 protected:
  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Words train(const Words& options = {}) const {
    return joined({"train", "--data", rooms(), "--out", out("model")}, options);
  }
  /// Expects that training refuses each of these options.
  void expect_options_refused(const std::vector<Words>& all) const {
    for (const Words& options : all) expect_refused(train(options), kUsage);
  }
};

TEST_F(BadUsage, NamesTheCommandOrOptionThatWasMeant) {
  expect_each_refused({{"--config", "/dev/null"},
                       {"dataset"},
                       {"trian", "--data", rooms()},
                       {"dataset", "chck"},
                       {"train", "--dta", rooms(), "--out", out("model")},
                       {"describe", model(), "--jsn=1"}});
  expect_options_refused({{"--colour"}, {"-x"}});
}

TEST_F(BadUsage, WordsNeedTheirPlace) {
  expect_each_refused({{"train", rooms(), "--out", out("model")}, {"--data", rooms(), "train", "--out", out("model")}});
  expect_options_refused({{"extra"}});
}

TEST_F(BadUsage, OptionsThatWouldChangeNothingAreRefused) {
  const fs::path file = rooms().parent_path() / "options.toml";
  std::ofstream(file) << "[evaluate]\npictures = 2\n";
  const Words live = {"live", "--model", model(), "--source", rooms()};
  const Words map = {"map", "--model", model(), "--source", rooms()};
  const Words evaluate = {"evaluate", "--model", model(), "--data", rooms()};
  expect_each_refused({
      {"--config", file, "evaluate", "--model", model(), "--data", rooms()},
      joined(evaluate, {"--pictures", "2"}),
      joined(evaluate, {"--every", "2"}),
      {"dataset", "export", "--data", rooms(), "--format", "coco", "--out", out("c"), "--layout", "auto"},
      {"teach", "--source", rooms(), "--out", out("project"), "--max-frames", "2"},
      {"teach", "--data", rooms(), "--out", out("project"), "--background", "wall"},
      joined(live, {"--port", "80"}),
      joined(live, {"--frame-id", "head"}),
      joined(live, {"--memory-budget", "1 GiB"}),
      joined(live, {"--map-file", out("live.map"), "--min-weight", "2"}),
      joined(live, {"--map-file", out("live.map"), "--render-cell", "0.05"}),
      joined(map, {"--map-file", out("mapped"), "--render-cell", "0.05"}),
      joined(map, {"--map-file", out("mapped"), "--min-weight", "2"}),
      train({"--folds", "5"}),
      train({"--score", "information-gain"}),
      train({"--preset", "forest", "--learning-rate", "0.1"}),
      {"bench", "train", "--data", rooms(), "--folds", "5"},
      {"study", "--data", rooms(), "--test", rooms(), "--score", "information-gain"},
      {"dataset", "generate", "--out", out("made"), "--fps", "5"},
      {"backbone", "import", "a.pth", "--out", out("b"), "--max-frames", "5"},
  });
  EXPECT_FALSE(fs::exists(out("project")));
}

TEST_F(BadUsage, TellsWhatIsMissing) {
  const Words predict = {"predict", "--model", model(), "--out", out("labels")};
  expect_each_refused({{"train", "--out", out("model")},
                       {"train", "--data", rooms()},
                       {"describe"},
                       predict,
                       joined(predict, {"--data", rooms(), "--color", "x.png"})});
  expect_options_refused({{"--trees"}, {"--trees", "1", "--trees", "2"}});
}

TEST_F(BadUsage, ValuesOutOfTheirRangeAreRefused) {
  expect_options_refused({{"--trees", "0"},
                          {"--class-weights", "balancd"},
                          {"--algorithm", "bushes"},
                          {"--algorithm", "ferns", "--max-depth", "26"},
                          {"--trees", "many"},
                          {"--trees", "1.5"},
                          {"--trees", "99999999999"},
                          {"--seed", "-1"},
                          {"--channels", "lab,edges"},
                          {"--memory-budget", "lots"},
                          {"--ignored-colors", "red"},
                          {"--device", "gpu"}});
  const std::string in = out("scan"), there = out("there");
  expect_each_refused(
      {{"predict", "--model", model(), "--data", rooms(), "--out", out("labels"), "--smooth", "-1"},
       {"dataset", "sample", "--data", rooms(), "--frames", "-1", "--out", out("some")},
       {"dataset", "import", "record3d", in, "--out", there, "--min-confidence", "3"},
       {"teach", "--data", rooms(), "--out", there, "--no-browser", "--import", "coco", "--depth-scale", "-1"},
       {"dataset", "import", "nyu", "--labeled", in, "--splits", in, "--out", there, "--classes", "37"},
       {"dataset", "split", "--data", rooms(), "--out", there, "--test", "1"},
       {"dataset", "generate", "--out", out("new"), "--size", "0x48"},
       {"dataset", "generate", "--out", rooms(), "--frames", "1", "--size", "64x48"},
       {"bench", "predict", "--model", model(), "--data", rooms(), "--seconds", "-1"},
       {"backbone", "bench", in, "--size", "-640x480"},
       {"backbone", "import", in, "--out", there, "--normalization", "imagnet"}});
}

TEST_F(BadUsage, EarlyStoppingNeedsFramesThatTreesHaveNotSeen) {
  for (const Words& more :
       {Words{"3"}, Words{"3", "--frames-per-tree", "4"}, Words{"3", "--max-frames", "1"}, Words{"-1"}})
    expect_refused(train(joined({"--algorithm", "forest", "--early-stopping-rounds"}, more)), kUsage);
}

TEST_F(BadUsage, AMissingDeviceIsADeviceErrorAndAnUnknownLayoutAUsageError) {
  const Words how = {"--model", model(), "--data", rooms(), "--device"};
  for (const Words& command :
       {Words{"evaluate"}, Words{"predict", "--out", out("labels")}, Words{"bench", "predict"}}) {
    expect_refused(joined(command, joined(how, {"cuda:99"})), kDevice, {"cuda:99"});
    expect_refused(joined(command, joined(how, {"cpu", "--layout", "fast"})), kUsage, {"fast"});
  }
  expect_refused(train({"--device", "cuda:99"}), kDevice, {"cuda:99"});
}

// The data are missing, too, so the output must be checked first for the error to name it.
TEST_F(BadUsage, UnwritableOutputIsFoundBeforeTheDataAreRead) {
  std::ofstream(folder_ / "file") << "precious";
  const std::string no_data = folder_ / "nowhere", pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_each_refused({{"train", "--data", no_data, "--out", folder_ / "missing" / "model"},
                       {"train", "--data", no_data, "--out", out("")},
                       {"train", "--data", no_data, "--out", folder_ / "file" / "model"},
                       {"train", "--data", no_data, "--out", pipe},
                       {"predict", "--model", model(), "--data", no_data, "--out", folder_ / "file"},
                       {"dataset", "check", "--data", no_data, "--html", folder_.path()}},
                      kRuntime);
  expect_each_refused({{"train", "--data", no_data, "--out", ""}});
  EXPECT_EQ(text_of(folder_ / "file"), "precious");
}

TEST_F(BadUsage, AFlagIsTrueOrFalse) {
  for (const std::string text : {"maybe", "nan", "0.5", "2", "99999999999999999999"})
    expect_options_refused({{"--mirror-augmentation=" + text}, {"--no-mirror-augmentation=" + text}});
  expect_options_refused({{"--mirror-augmentation", "--no-mirror-augmentation"}, {"--no-such=3"}});
  expect_refused({"describe", "--", "--no-json=3"}, kRuntime);
}

TEST_F(BadUsage, AnEmptyPathIsNotAnOptionThatIsNotGiven) {
  const Words live = {"live", "--headless", "--model", model(), "--source", "frames:" + rooms().string()};
  const std::string file = folder_.write("empty.toml", "[live]\nrecord = \"\"\n");
  expect_each_refused({joined(live, {"--map-out", ""}), {"describe", ""}, joined({"--config", file}, live)});
}

TEST_F(BadUsage, TheBackboneNoneResetsThatOfAConfigFile) {
  const std::string file = folder_.write("backbone.toml", "[train]\nbackbone = \"missing.backbone\"\n");
  const Words train = {"--config", file, "train", "--data", rooms() / "train", "--out", out("model"), "--trees", "1"};
  expect_refused(train, kRuntime);
  expect_refused(joined(train, {"--backbone", ""}), kUsage);
  const Outcome outcome = run(joined(train, {"--backbone", "none", "--max-depth", "2"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(BadUsage, AnUnknownBackboneIsRefusedWithTheNamesOfOthers) {
  for (const Words& words : {train({"--backbone", "nothing"}), Words{"backbone", "describe", "nothing"},
                             Words{"teach", "--data", rooms(), "--out", out("project"), "--backbone", "nothing"}})
    expect_refused(words, kUsage, {"there is no backbone \"nothing\""});
}

TEST_F(BadUsage, ConfigFilesAreHeldToTheSameRules) {
  for (const std::string text :
       {"tres = 2\n", "trees = \"many\"\n", "trees = 0\n", "trees = {}\n", "resume = 1.5\n", "resume = \"maybe\"\n",
        "no-mirror-augmentation = []\n", "json = [true, false]\n", "[trian]\ntrees = 2\n"})
    expect_each_refused({joined({"--config", folder_.write("fernwood.toml", "[train]\n" + text)}, train())});
  for (const std::string text : {"trees = 2\n", "[train\ntrees = 2\n"})
    expect_refused(joined({"--config", folder_.write("fernwood.toml", text)}, train()), kUsage, {"--config"});
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_each_refused(
      {{"--config", "/dev/zero", "describe", model()}, {"--config=" + pipe.string(), "describe", model()}});
  expect_each_refused(
      {{"--config", folder_ / "nowhere", "describe", model()}, {"--config", folder_.path(), "describe", model()}},
      kRuntime);
}

}  // namespace
}  // namespace fernwood::apps
