// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "dataset/test_files.h"

namespace fernwood::apps {
namespace {

/// Frames that are valid but probably not as intended.
class InputWarnings : public CommandLine {
 protected:
  /// Rooms whose depth is stored in 1/5000 m.
  fs::path tum_rooms() const {
    const fs::path data = copy_of_rooms();
    for (const auto& entry : fs::directory_iterator(data)) {
      if (!entry.path().string().ends_with("_depth.png")) continue;
      Array2<std::uint16_t> depth = dataset::read_depth(entry.path());
      for (std::uint16_t& value : depth) value = static_cast<std::uint16_t>(5 * value);
      dataset::write_png16(entry.path(), depth);
    }
    return data;
  }
  std::string err_of(const Words& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  }
};

TEST_F(InputWarnings, EachCommandThatReadsFramesSaysOnceThatTheirDepthIsImplausible) {
  const fs::path data = tum_rooms(), model = out("model");
  const std::vector<Words> commands = {
      small_training(data, model),
      {"evaluate", "--model", model, "--data", data},
      {"predict", "--model", model, "--data", data, "--out", out("labels")},
      {"explain", "--model", model, "--data", data, "--frame", "scene0000", "--at", "20,40"},
      {"importance", "--model", model, "--data", data}};
  for (const Words& command : commands) {
    const std::string err = err_of(command);
    testdata::expect_sentence(err);
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  }
  testdata::expect_sentence(
      err_of({"live", "--model", model, "--source", "frames:" + data.string(), "--headless", "--every-frame"}));
  testdata::expect_sentence(err_of({"predict", "--model", model, "--color", data / "scene0000_colors.png", "--depth",
                                    data / "scene0000_depth.png", "--out", out("one")}));
  const std::string config = text_of(data / "dataset.toml");
  std::ofstream(data / "dataset.toml") << "depth_scale = 0.2\n" << config;
  for (const Words& command : commands) EXPECT_EQ(err_of(command), "") << command.front();
}

TEST_F(InputWarnings, EachCommandOnDataSetsSaysOnceWhichFramesItLeavesOut) {
  const fs::path data = copy_of_rooms();
  std::ofstream(data / "times.txt") << "scene0000 0.0\nscene0001 0.1\nscene0002 0.2\n";
  std::ofstream(out("map")) << "floor, ground\n";
  const fs::path model = out("model");
  for (const Words& command :
       {small_training(data, model), Words{"dataset", "split", "--data", data, "--out", out("parted")},
        Words{"dataset", "sample", "--data", data, "--frames", "2", "--out", out("some")},
        Words{"dataset", "merge", data, "--out", out("merged")},
        Words{"dataset", "remap", "--data", data, "--map", out("map"), "--out", out("renamed")},
        Words{"dataset", "export", "--data", data, "--format", "coco", "--out", out("c.json")},
        Words{"verify", "--model", model, "--data", data}}) {
    const std::string err = err_of(command);
    testdata::expect_sentence(err);
  }
}

TEST_F(InputWarnings, AreSaidBeforeTheWorkThatFails) {
  const fs::path data = tum_rooms();
  std::ofstream(data / "scene0003_ground_truth.png") << "no image";
  const Outcome outcome = run(small_training(data, out("model")));
  EXPECT_EQ(outcome.exit_code, kData);
  EXPECT_LT(outcome.err.find("warning: "), outcome.err.find("error: ")) << outcome.err;
}

}  // namespace
}  // namespace fernwood::apps
