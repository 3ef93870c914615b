// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using testing::IsEmpty;

/// Training and labelling with channels that need the camera's intrinsics.
class CameraNote : public CommandLine {
 protected:
  std::string err_of(const Words& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  }
  /// Standard error of each command.
  std::vector<std::string> all_say(const fs::path& model, const fs::path& data) const {
    return {err_of({"predict", "--model", model, "--data", data, "--out", out("labels")}),
            err_of({"evaluate", "--model", model, "--data", data}),
            err_of({"live", "--model", model, "--source", "frames:" + data.string(), "--headless", "--every-frame"})};
  }
  const fs::path model_ = out("model"), data_ = copy_of_rooms();
  const Words training_ = small_training(data_, model_, {"--channels", "depth,height,upright,facing"});
};

TEST_F(CameraNote, EachCommandSaysOnceWhatItAssumes) {
  EXPECT_EQ(err_of(training_), "");
  EXPECT_THAT(all_say(model_, data_), testing::Each(IsEmpty())) << "the data set names the camera";
  fs::remove(data_ / "dataset.toml");
  for (const std::string& text : all_say(model_, data_)) {
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    testdata::expect_sentence(text);
  }
  testdata::expect_sentence(
      err_of({"predict", "--model", model_, "--depth", data_ / "scene0000_depth.png", "--out", out("one")}));
}

}  // namespace
}  // namespace fernwood::apps
