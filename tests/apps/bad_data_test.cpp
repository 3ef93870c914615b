// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

constexpr std::size_t kRows = 48, kCols = 64;

class BadData : public CommandLine {
 protected:
  /// Renames the images of one kind, for example "_depth.png", in a copy of the training frames.
  fs::path renamed(const std::string& from, const std::string& to) const {
    const fs::path data = copy_of_rooms();
    for (int i = 0; i < 4; ++i) {
      const std::string frame = "scene000" + std::to_string(i);
      fs::rename(data / (frame + from), data / (frame + to));
    }
    return data;
  }
};

TEST_F(BadData, WhatIsNoFolderOfFramesIsRefused) {
  expect_training_refused(folder_ / "nowhere", kData);
  fs::create_directories(folder_ / "empty");
  expect_training_refused(folder_ / "empty", kData);
  expect_training_refused(rooms() / "train" / "scene0000_colors.png", kData);
  expect_training_refused(std::string(300, 'a'), kRuntime);
}

TEST_F(BadData, DepthThatIsNotReadIsNamed) {
  const fs::path data = renamed("_depth.png", "_depth.npz");
  const Outcome outcome = run(small_training(data, out("model"), {"--channels", "lab"}));
  EXPECT_EQ(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
  const Outcome check = run({"dataset", "check", "--data", data});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.out, testing::HasSubstr("scene0000_depth.npz and 3 more"));
}

TEST_F(BadData, TruthAsJpegIsRefusedByTrainingAndCheck) {
  const fs::path data = renamed("_ground_truth.png", "_ground_truth.jpg");
  expect_training_refused(data, kData);
  EXPECT_EQ(run({"dataset", "check", "--data", data}).exit_code, kData);
}

TEST_F(BadData, DamageIsRefusedWithItsPlace) {
  using Spoil = std::function<void(const fs::path& data)>;
  const std::vector<Spoil> all = {
      [](const fs::path& data) { fs::remove(data / "scene0002_depth.png"); },
      [](const fs::path& data) { fs::remove(data / "scene0003_ground_truth.png"); },
      [](const fs::path& data) {
        dataset::write_png16(data / "scene0001_depth.png", Array2<std::uint16_t>(kRows + 2, kCols, 2000));
      },
      [](const fs::path& data) {
        dataset::write_png16(data / "scene0001_ground_truth.png", Array2<std::uint16_t>(kRows, kCols, 1));
      },
      [](const fs::path& data) { std::ofstream(data / "dataset.toml") << "depth_scal = 1\n"; },
      [](const fs::path& data) {
        for (int i = 0; i < 4; ++i)
          dataset::write_png(data / ("scene000" + std::to_string(i) + "_ground_truth.png"),
                             Array2<image::Rgb>(kRows, kCols, image::Rgb{}));
      }};
  for (const Spoil& spoil : all) {
    fs::remove_all(folder_ / "data");
    const fs::path data = copy_of_rooms();
    spoil(data);
    expect_training_refused(data, kData);
  }
}

TEST_F(BadData, UnknownClassColourIsRefusedWithARemedyThatWorks) {
  const fs::path data = copy_of_rooms();
  Array2<image::Rgb> truth = dataset::read_truth(data / "scene0001_ground_truth.png");
  truth(30, 20) = image::Rgb{9, 8, 7};
  dataset::write_png(data / "scene0001_ground_truth.png", truth);
  expect_training_refused(data, kData);
  expect_refused({"evaluate", "--model", model(), "--data", data}, kData);
  EXPECT_EQ(run(small_training(data, out("model"), {"--ignored-colors", "9,8,7"})).exit_code, 0);
}

TEST_F(BadData, ClassWithoutPixelsIsWarnedOfAndTheRestTrained) {
  const fs::path data = copy_of_rooms();
  std::ofstream(data / "dataset.toml", std::ios::app) << "\n[[classes]]\nname = \"ghost\"\ncolor = [1, 2, 3]\n";
  const Outcome outcome = run(small_training(data, out("model")));
  EXPECT_EQ(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.report.json"}));
}

TEST_F(BadData, FramesOfDifferingSizesTrain) {
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0001_colors.png", Array2<image::Rgb>(kRows + 5, kCols, image::Rgb{1, 2, 3}));
  dataset::write_png(data / "scene0001_ground_truth.png",
                     Array2<image::Rgb>(kRows + 5, kCols, image::Rgb{150, 195, 105}));
  dataset::write_png16(data / "scene0001_depth.png", Array2<std::uint16_t>(kRows + 5, kCols, 2000));
  EXPECT_EQ(run(small_training(data, out("model"))).exit_code, 0);
}

TEST_F(BadData, DamageKeepsTheModelThatWasThere) {
  const fs::path data = copy_of_rooms();
  fs::resize_file(data / "scene0000_depth.png", 100);
  std::ofstream(out("model")) << "precious";
  EXPECT_EQ(run(small_training(data, out("model"))).exit_code, kData);
  EXPECT_EQ(text_of(out("model")), "precious");
  EXPECT_EQ(written(), std::set<std::string>{"model"});
  const Outcome check = run({"dataset", "check", "--data", data});
  EXPECT_EQ(check.exit_code, kData);
  EXPECT_THAT(check.out, testing::HasSubstr("scene0000_depth.png"));
  testdata::expect_sentence(check.err);
}

}  // namespace
}  // namespace fernwood::apps
