// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

constexpr std::size_t kRows = 48, kCols = 64;

using BadData = CommandLine;

TEST_F(BadData, MissingFolderIsNamed) {
  expect_training_refused(folder_ / "nowhere", kData, {"nowhere: the folder does not exist", "<name>_depth.png"});
}

TEST_F(BadData, EmptyFolderIsNamedWithTheSubFolderTried) {
  fs::create_directories(folder_ / "empty");
  expect_training_refused(folder_ / "empty", kData,
                          {"empty: holds no frames", "(train)", "expected are <name>_colors.png"});
}

TEST_F(BadData, AFolderOfOtherNamesSaysWhichAreRead) {
  const fs::path data = copy_of_rooms();
  for (const std::string kind : {"colors", "depth", "ground_truth"})
    for (int i = 0; i < 4; ++i) {
      const std::string frame = "scene000" + std::to_string(i);
      fs::rename(data / (frame + "_" + kind + ".png"), data / (frame + "." + kind + ".png"));
    }
  expect_training_refused(data, kData, {"holds no frames", "scene0000.colors.png and 3 more", "scene0000_colors.png"});
}

TEST_F(BadData, DepthThatIsNotReadIsNamed) {
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i) {
    const std::string frame = "scene000" + std::to_string(i);
    fs::rename(data / (frame + "_depth.png"), data / (frame + "_depth.npz"));
  }
  const Outcome outcome = run(small_training(data, out("model"), {"--channels", "lab"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, testing::HasSubstr("warning: " + data.string() + ": scene0000_depth.npz and 3 more "));
  const Outcome check = run({"dataset", "check", "--data", data});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.out, testing::HasSubstr("scene0000_depth.npz and 3 more (*_depth.npz) look like depth images"));
}

TEST_F(BadData, TruthAsJpegIsRefusedByTrainingAndCheck) {
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i) {
    const std::string frame = "scene000" + std::to_string(i);
    fs::rename(data / (frame + "_ground_truth.png"), data / (frame + "_ground_truth.jpg"));
  }
  expect_training_refused(data, kData, {"scene0000_ground_truth.jpg is there, but JPEG changes the class colours"});
  const Outcome check = run({"dataset", "check", "--data", data});
  EXPECT_EQ(check.exit_code, kData);
  EXPECT_THAT(check.out, testing::HasSubstr("scene0000_ground_truth.jpg and 3 more"));
}

TEST_F(BadData, AFileIsNoFolder) {
  expect_training_refused(rooms() / "train" / "scene0000_colors.png", kData,
                          {"scene0000_colors.png: is a file, a folder"});
}

TEST_F(BadData, MissingDepthNamesFrameAndFile) {
  const fs::path data = copy_of_rooms();
  fs::remove(data / "scene0002_depth.png");
  expect_training_refused(data, kData,
                          {"data/scene0002: the frame has no depth image", "scene0002_depth.png is missing"});
}

TEST_F(BadData, WhatTheSystemRefusesIsNoSurprise) {
  expect_training_refused(std::string(300, 'a'), kRuntime, {"aaa: File name too long; check"});
}

TEST_F(BadData, MissingTruthNamesFrameAndFile) {
  const fs::path data = copy_of_rooms();
  fs::remove(data / "scene0003_ground_truth.png");
  const Words parts = {"data/scene0003: the frame has no ground truth", "scene0003_ground_truth.png is missing"};
  expect_training_refused(data, kData, parts);
  expect_refused({"evaluate", "--model", model(), "--data", data}, kData, parts);
}

TEST_F(BadData, SizesThatDifferWithinAFrameAreToldWithBoth) {
  const fs::path data = copy_of_rooms();
  dataset::write_png16(data / "scene0001_depth.png", Array2<std::uint16_t>(kRows + 2, kCols, 2000));
  expect_training_refused(data, kData,
                          {"scene0001_depth.png: is 64 x 50 pixels", "scene0001_colors.png is 64 x 48", "scale"});
}

TEST_F(BadData, TruthOfAnotherSizeIsToldWithBoth) {
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0001_ground_truth.png",
                     Array2<image::Rgb>(kRows, kCols / 2, image::Rgb{150, 195, 105}));
  expect_training_refused(data, kData,
                          {"scene0001_ground_truth.png: is 32 x 48 pixels", "scene0001_colors.png is 64 x 48"});
}

TEST_F(BadData, DepthOfEightBitsIsRefused) {
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0001_depth.png", Array2<image::Rgb>(kRows, kCols, image::Rgb{200, 200, 200}));
  expect_training_refused(data, kData,
                          {"scene0001_depth.png", "8 bits and 3 channels", "16 bits and 1 channel, in millimetres"});
}

TEST_F(BadData, TruncatedImageIsRefused) {
  for (const std::string kind : {"colors", "depth", "ground_truth"}) {
    fs::remove_all(folder_ / "data");
    const fs::path data = copy_of_rooms(), image = data / ("scene0001_" + kind + ".png");
    fs::resize_file(image, fs::file_size(image) / 2);
    expect_training_refused(data, kData, {image.string(), "is cut off after", "copy it again"});
  }
}

TEST_F(BadData, GreyLabelImageIsRefused) {
  const fs::path data = copy_of_rooms();
  dataset::write_png16(data / "scene0001_ground_truth.png", Array2<std::uint16_t>(kRows, kCols, 1));
  expect_training_refused(data, kData,
                          {"scene0001_ground_truth.png: the ground truth is a grey label image", "labels = \"index\""});
}

TEST_F(BadData, UnknownClassColourNamesPixelColourAndClasses) {
  const fs::path data = copy_of_rooms();
  Array2<image::Rgb> truth = dataset::read_truth(data / "scene0001_ground_truth.png");
  truth(30, 20) = image::Rgb{9, 8, 7};
  dataset::write_png(data / "scene0001_ground_truth.png", truth);
  const Words parts = {"scene0001_ground_truth.png: pixel (20, 30) has the colour (9, 8, 7)",
                       "the classes are floor (150, 195, 105)", "--ignored-colors 9,8,7"};
  expect_training_refused(data, kData, parts);
  expect_refused({"evaluate", "--model", model(), "--data", data}, kData, parts);
  // The remedy named in the error message works.
  EXPECT_EQ(run(small_training(data, out("model"), {"--ignored-colors", "9,8,7"})).exit_code, 0);
}

TEST_F(BadData, MisspeltKeyOfDatasetTomlIsRefused) {
  const fs::path data = copy_of_rooms();
  std::ofstream(data / "dataset.toml") << "depth_scal = 1\n";
  expect_training_refused(data, kData, {"dataset.toml:1", "depth_scal", "did you mean \"depth_scale\"?"});
}

TEST_F(BadData, DataWithoutALabelledPixelIsRefused) {
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i)
    dataset::write_png(data / ("scene000" + std::to_string(i) + "_ground_truth.png"),
                       Array2<image::Rgb>(kRows, kCols, image::Rgb{}));
  expect_training_refused(data, kData, {"no pixel has a class, all are void"});
}

TEST_F(BadData, ClassWithoutPixelsIsWarnedOfAndTheRestTrained) {
  const fs::path data = copy_of_rooms();
  std::ofstream(data / "dataset.toml", std::ios::app) << "\n[[classes]]\nname = \"ghost\"\ncolor = [1, 2, 3]\n";
  const Outcome outcome = run(small_training(data, out("model")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "warning: " + data.string() + ": class ghost has no pixel; it will never be predicted\n");
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
}

TEST_F(BadData, CheckListsWhatIsWrongAndSaysSo) {
  const fs::path data = copy_of_rooms();
  fs::resize_file(data / "scene0000_depth.png", 100);
  const Outcome outcome = run({"dataset", "check", "--data", data});
  EXPECT_EQ(outcome.exit_code, kData);
  EXPECT_THAT(outcome.out, testing::HasSubstr("scene0000_depth.png"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("1 error was found"));
}

}  // namespace
}  // namespace fernwood::apps
