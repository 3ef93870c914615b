// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

class BadModel : public CommandLine {
 protected:
  /// Expects the same refusal by all commands.
  void is_refused_everywhere(const fs::path& file, int exit_code) const {
    expect_each_refused({{"describe", file},
                         {"evaluate", "--model", file, "--data", rooms(), "--html", out("report.html")},
                         {"predict", "--model", file, "--data", rooms(), "--out", out("labels")},
                         {"bench", "predict", "--model", file, "--data", rooms()}},
                        exit_code);
  }
  fs::path color_only() const {
    const fs::path data = copy_of_rooms();
    for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_depth.png"));
    return data;
  }
};

TEST_F(BadModel, DamagedAndForeignFilesAreRefused) {
  std::string bytes = text_of(model());
  bytes[8] = 99;  // the format
  is_refused_everywhere(folder_.write("spoilt", bytes), kModel);
  is_refused_everywhere(rooms() / "train" / "scene0000_colors.png", kModel);
}

TEST_F(BadModel, MissingFileAndFolderCannotBeRead) {
  is_refused_everywhere(folder_ / "nowhere", kRuntime);
  is_refused_everywhere(folder_.path(), kRuntime);
}

TEST_F(BadModel, WhatTheDataLackIsRefused) {
  const fs::path data = color_only();
  const fs::path flat = folder_ / "flat", depth = rooms() / "test/scene0004_depth.png";
  EXPECT_EQ(run(small_training(data, flat, {"--channels", "lab"})).exit_code, 0);
  expect_each_refused(
      {{"evaluate", "--model", model(), "--data", data},
       {"predict", "--model", model(), "--color", data / "scene0000_colors.png", "--out", out("labels")},
       {"predict", "--model", flat, "--depth", depth, "--out", out("labels")}},
      kModel);
}

TEST_F(BadModel, DataWithOtherClassesIsRefused) {
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i) {
    const fs::path file = data / ("scene000" + std::to_string(i) + "_ground_truth.png");
    Array2<image::Rgb> truth = dataset::read_truth(file);
    for (image::Rgb& pixel : truth)
      if (pixel == image::Rgb{150, 195, 105}) pixel = image::Rgb{1, 1, 1};
    dataset::write_png(file, truth);
  }
  std::ofstream(data / "dataset.toml") << "[[classes]]\nname = \"lawn\"\ncolor = [1, 1, 1]\n";
  expect_refused({"evaluate", "--model", model(), "--data", data, "--html", out("report.html")}, kData);
}

}  // namespace
}  // namespace fernwood::apps
