// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "apps/command_line.h"
#include "dataset/test_files.h"

namespace fernwood::apps {
namespace {

using ImageRefusals = CommandLine;

constexpr std::uint32_t kFileRows = 48, kFileCols = 64;

void write_file(const fs::path& path, const dataset::Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST_F(ImageRefusals, FloatDepthIsCalledSoAndCheckInventsNoDepth) {
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i) {
    const std::string frame = "scene000" + std::to_string(i);
    fs::remove(data / (frame + "_depth.png"));
    write_file(data / (frame + "_depth.tiff"), dataset::TiffFile().image(kFileCols, kFileRows, 64, 3).finish());
  }
  expect_training_refused(data, kData);
  const Outcome check = run({"dataset", "check", "--data", data});
  EXPECT_EQ(check.exit_code, kData);
  EXPECT_EQ(check.out.find("median 0.00 m"), std::string::npos) << check.out;
}

TEST_F(ImageRefusals, ATurnedPictureIsRefusedWithItsTag) {
  const fs::path data = copy_of_rooms();
  fs::remove(data / "scene0001_colors.png");
  const dataset::Bytes upright = dataset::encode_jpeg(Array2<image::Rgb>(kFileCols, kFileRows));
  write_file(data / "scene0001_colors.jpg", dataset::with_exif(upright, dataset::exif_of(6)));
  const Outcome outcome = run(small_training(data, out("model")));
  EXPECT_EQ(outcome.exit_code, kData);
  testdata::expect_sentence(outcome.err);
}

TEST_F(ImageRefusals, ATurnedPictureOfTheSameSizeIsWarnedOf) {
  const fs::path data = copy_of_rooms();
  const Array2<image::Rgb> colors = dataset::read_color(data / "scene0001_colors.png");
  fs::remove(data / "scene0001_colors.png");
  const fs::path jpeg = data / "scene0001_colors.jpg";
  write_file(jpeg, dataset::with_exif(dataset::encode_jpeg(colors), dataset::exif_of(3)));
  const Outcome outcome = run(small_training(data, out("model")));
  EXPECT_EQ(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
  const Outcome predicted = run({"predict", "--model", out("model"), "--color", jpeg, "--depth",
                                 data / "scene0001_depth.png", "--out", out("labels")});
  EXPECT_EQ(predicted.exit_code, 0);
  testdata::expect_sentence(predicted.err);
}

}  // namespace
}  // namespace fernwood::apps
