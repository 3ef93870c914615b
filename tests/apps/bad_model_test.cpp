// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

class BadModel : public CommandLine {
 protected:
  /// Writes a copy of the model with its bytes changed by `spoil`.
  fs::path spoilt(const std::function<void(std::string&)>& spoil) const {
    std::string bytes = text_of(model());
    spoil(bytes);
    std::ofstream(folder_ / "spoilt", std::ios::binary) << bytes;
    return folder_ / "spoilt";
  }
  void expect_refused_everywhere(const fs::path& file, int exit_code, const Words& parts) const {
    expect_refused({"describe", file}, exit_code, parts);
    expect_refused({"evaluate", "--model", file, "--data", rooms(), "--html", out("report.html")}, exit_code, parts);
    expect_refused({"predict", "--model", file, "--data", rooms(), "--out", out("labels")}, exit_code, parts);
    expect_refused({"bench", "predict", "--model", file, "--data", rooms()}, exit_code, parts);
  }
  fs::path color_only() const {
    const fs::path data = copy_of_rooms();
    for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_depth.png"));
    return data;
  }
};

TEST_F(BadModel, OneFlippedBitIsFound) {
  expect_refused_everywhere(spoilt([](std::string& bytes) { bytes[bytes.size() - 20] ^= 1; }), kModel,
                            {"spoilt: the checksum of array", "the file is damaged: copy it again or train it again"});
}

TEST_F(BadModel, TruncationIsFoundWithBothSizes) {
  const auto size = fs::file_size(model());
  expect_refused_everywhere(
      spoilt([](std::string& bytes) { bytes.resize(bytes.size() - 1); }), kModel,
      {"spoilt: is truncated: has " + std::to_string(size - 1) + " bytes, " + std::to_string(size) + " were expected"});
}

TEST_F(BadModel, NewerFormatSaysUpdate) {
  expect_refused_everywhere(spoilt([](std::string& bytes) { bytes[8] = 99; }), kModel,
                            {"written by a newer fernwood (format 99)", "update fernwood"});
}

TEST_F(BadModel, EmptyAndForeignFilesAreNone) {
  expect_refused_everywhere(spoilt([](std::string& bytes) { bytes.clear(); }), kModel, {"spoilt: is empty"});
  expect_refused_everywhere(rooms() / "train" / "scene0000_colors.png", kModel,
                            {"is not a fernwood model", "fernwood train wrote"});
}

TEST_F(BadModel, MissingFileAndFolderCannotBeRead) {
  expect_refused_everywhere(folder_ / "nowhere", kRuntime, {"nowhere: cannot be read: No such file", "check the name"});
  expect_refused_everywhere(folder_.path(), kRuntime, {": is a folder; name a file"});
}

TEST_F(BadModel, DepthModelRefusesColourOnlyData) {
  const fs::path data = color_only();
  const Words parts = {"the model reads lab, depth; there are no depth images; add them, or train"};
  expect_refused({"evaluate", "--model", model(), "--data", data}, kModel, parts);
  expect_refused({"predict", "--model", model(), "--data", data, "--out", out("labels")}, kModel, parts);
  expect_refused({"bench", "predict", "--model", model(), "--data", data}, kModel, parts);
  expect_refused({"predict", "--model", model(), "--color", data / "scene0000_colors.png", "--out", out("labels")},
                 kModel, parts);
}

TEST_F(BadModel, ColourModelRefusesDepthAlone) {
  EXPECT_EQ(run(small_training(color_only(), folder_ / "flat", {"--channels", "lab"})).exit_code, 0);
  expect_refused({"predict", "--model", folder_ / "flat", "--depth", rooms() / "test" / "scene0004_depth.png", "--out",
                  out("labels")},
                 kModel, {"flat: the model reads lab; there are no colour images"});
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
  expect_refused({"evaluate", "--model", model(), "--data", data, "--html", out("report.html")}, kData,
                 {"none of its classes, lawn (1, 1, 1)", "which has floor (150, 195, 105)"});
}

}  // namespace
}  // namespace fernwood::apps
