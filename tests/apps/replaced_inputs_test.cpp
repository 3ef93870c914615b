// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "shell/output_files.h"

namespace fernwood::apps {
namespace {

/// No command may overwrite its inputs with its output.
class ReplacedInputs : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    data_ = copy_of_rooms();
    model_ = folder_ / "copy.fernwood";
    fs::copy_file(model(), model_);
  }
  /// Expects a refusal and an unchanged file.
  void keeps(const fs::path& file, const Words& arguments) const {
    const std::string before = text_of(file);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, kUsage) << arguments[0] << ": " << outcome.err;
    testdata::expect_sentence(outcome.err);
    EXPECT_EQ(text_of(file), before) << arguments[0];
  }

  fs::path data_, model_;
};

TEST_F(ReplacedInputs, AreRefusedByEveryCommand) {
  const fs::path frame = data_ / "scene0000_depth.png", config = data_ / "dataset.toml";
  const std::string source = "frames:" + data_.string();
  keeps(model_, {"evaluate", "--model", model_, "--data", data_, "--html", model_});
  keeps(config, {"evaluate", "--model", model_, "--data", data_, "--html", config});
  keeps(model_,
        {"explain", "--model", model_, "--data", data_, "--frame", "scene0000", "--at", "3,4", "--html", model_});
  keeps(model_, {"dataset", "export", "--model", model_, "--data", data_, "--format", "coco", "--out", model_});
  keeps(frame, {"dataset", "export", "--model", model_, "--data", data_, "--format", "coco", "--out", frame});
  keeps(config, {"dataset", "check", "--data", data_, "--html", config});
  keeps(frame, small_training(data_, frame));
  keeps(frame, {"study", "--data", data_, "--test", data_, "--out", frame});
  keeps(model_, {"backbone", "import", model_, "--out", model_});
  keeps(model_, {"map", "--model", model_, "--source", source, "--out", model_});
  keeps(frame, {"map", "--model", model_, "--source", source, "--page", frame});
  keeps(model_, {"live", "--headless", "--model", model_, "--source", source, "--map-file", model_});
}

TEST_F(ReplacedInputs, ASearchKeepsThem) {
  const fs::path found = folder_ / "found";
  fs::create_directory(found);
  std::ofstream(found / "journal.jsonl") << "";
  std::ofstream(found / "best.toml") << "[trees]\nlow = 1\nhigh = 2\n";
  std::ofstream(found / "search.json") << R"({"configuration": {"trees": "1"}})"
                                       << "\n";
  const Words search = {"search", "--data", data_, "--out", found};
  const auto with = [&](const std::string& option, const fs::path& file) {
    Words words = search;
    words.insert(words.end(), {option, file});
    return words;
  };
  keeps(found / "best.toml", with("--space", found / "best.toml"));
  keeps(found / "search.json", with("--external-sampler", found / "search.json"));
}

TEST_F(ReplacedInputs, AMapThatIsContinuedMayBeWrittenWhereItWasAndNothingElse) {
  const fs::path kept = folder_ / "room.map", beside = folder_ / "x.mcap";
  const std::string source = "frames:" + data_.string();
  std::ofstream poses(data_ / "poses.txt");
  for (const char* name : {"scene0000", "scene0001", "scene0002", "scene0003"})
    poses << name << " 1 0 0 0 0 1 0 0 0 0 1 0\n";
  poses.close();
  const auto map = [&](const Words& more) {
    Words words = {"map", "--model", model_, "--source", source, "--frames", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run(map({"--map-file", kept})).exit_code, 0);
  EXPECT_EQ(run(map({"--continue", kept, "--map-file", kept})).exit_code, 0);
  keeps(kept, map({"--continue", kept, "--out", kept}));
  keeps(kept, map({"--continue", kept, "--page", kept}));
  const Outcome both =
      run({"live", "--headless", "--model", model_, "--source", source, "--record", beside, "--map-file", beside});
  EXPECT_EQ(both.exit_code, kUsage);
  testdata::expect_sentence(both.err);
}

TEST_F(ReplacedInputs, TheFileOfOptionsIsAnInputOfEveryCommand) {
  const fs::path options = folder_.write("options.toml", "[train]\ntrees = 1\n");
  keeps(options, {"--config", options, "evaluate", "--model", model_, "--data", data_, "--html", options});
  Words train = {"--config", options};
  for (const std::string& word : small_training(data_, options)) train.push_back(word);
  keeps(options, train);
}

TEST_F(ReplacedInputs, OtherFilesInAFolderOfFramesMayBeWritten) {
  const fs::path inside = data_ / "model.fernwood";
  const Words labels = {"dataset", "export", "--data", data_, "--format", "coco", "--out", data_ / "labels.json"};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(small_training(data_, inside)).exit_code, 0);
    EXPECT_EQ(run(labels).exit_code, 0);
  }
  fs::create_hard_link(model_, folder_ / "link.fernwood");
  keeps(model_, {"evaluate", "--model", folder_ / "link.fernwood", "--data", data_, "--html", model_});
}

TEST_F(ReplacedInputs, AFileThatAnotherRunWritesIsLeftToIt) {
  const fs::path page = folder_ / "page.html";
  const OutputLock lock(page);
  for (const Words& command : {Words{"evaluate", "--model", model_, "--data", data_},
                               {"explain", "--model", model_, "--data", data_, "--frame", "scene0000", "--at", "3,4"},
                               {"dataset", "check", "--data", data_}}) {
    Words words = command;
    words.insert(words.end(), {"--html", page});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, kRuntime) << words[0] << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("is writing it"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(page)) << words[0];
  }
}

TEST(PathOfSource, IsTheFileOrFolderThatAUrlNames) {
  EXPECT_EQ(path_of_source("mcap:room.mcap?color=/rgb"), "room.mcap");
  EXPECT_EQ(path_of_source("frames:rooms/test"), "rooms/test");
  EXPECT_EQ(path_of_source("rooms"), "rooms");
}

}  // namespace
}  // namespace fernwood::apps
