// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <fstream>

#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::apps {
namespace {

class DatasetImport : public CommandLine {};

TEST_F(DatasetImport, TakesScansOfAPhoneWhosePicturesAreAVideo) {
  if (!has_plugin("video")) GTEST_SKIP() << "this program has no plug-in for video";
  for (const char* folder : {"scan", "scan/depth", "scan/confidence"}) fs::create_directories(out(folder));
  fs::copy(FERNWOOD_VIDEO, out("scan/rgb.mp4"));  // 64 x 48 pixels
  for (int i = 0; i < 4; ++i) {
    const std::string name = "00000" + std::to_string(i) + ".png";
    dataset::write_png16(out("scan/depth") / name, Array2<std::uint16_t>(24, 32, static_cast<std::uint16_t>(1000 + i)));
    Array2<std::uint8_t> levels(24, 32, 2);
    levels(0, 0) = 0;
    dataset::write_palette_png(out("scan/confidence") / name, levels, std::vector<image::Rgb>(3));
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(out("scan") / name) << text;
  };
  write("camera_matrix.csv", "50.0, 0.0, 30.0\n0.0, 51.0, 20.0\n0.0, 0.0, 1.0\n");
  write("odometry.csv", "timestamp, frame, x, y, z, qx, qy, qz, qw\n0.1, 000002, 1, 2, 3, 0, 0, 0, 1\n");
  const Words words = {"dataset", "import", "stray-scanner", out("scan"), "--out", out("imported")};
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const dataset::Dataset data = dataset::Dataset::open(out("imported"), options, "train");
  EXPECT_EQ(data.config().camera->fx, 50);
  for (std::size_t i = 0; i < 4; ++i) {
    const image::Frame frame = data.read_frame(i);
    EXPECT_EQ(frame.depth_mm(0, 0), 0) << "of low confidence";
    EXPECT_EQ(frame.depth_mm(frame.rows() - 1, 0), 1000 + i) << "of the same number";
  }
  EXPECT_NE(text_of(out("imported/poses.txt")).find("\n000002 1 2 3 0 0 0 1\n"), std::string::npos);
  // Sources with the same frames: the scan's folder, and the video with a depth folder beside it.
  const auto live = [&](const std::string& source, const char* recorded) {
    return run({"live", "--model", model(), "--source", source, "--headless", "--every-frame", "--device", "cpu",
                "--record", out(recorded)});
  };
  const Outcome scanned = live(out("scan").string(), "scanned");
  ASSERT_EQ(scanned.exit_code, 0) << scanned.err;
  EXPECT_NE(text_of(out("scanned/poses.txt")).find("\nframe00000002 1 0 0 1 0 1 0 2 0 0 1 3\n"), std::string::npos);
  const Outcome beside = live(out("scan/rgb.mp4").string() + "?depth=" + out("scan/depth").string(), "beside");
  ASSERT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_FALSE(fs::exists(out("beside/poses.txt")));
  for (const char* folder : {"scanned", "beside"}) {
    const dataset::Dataset recorded = dataset::Dataset::open(out(folder), options, "train");
    ASSERT_EQ(recorded.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(recorded.read_frame(i).color, data.read_frame(i).color);
      EXPECT_EQ(recorded.read_frame(i).depth_mm(45, 0), 1000 + i);
    }
  }

  fs::copy(out("scan/depth/000003.png"), out("scan/depth/000009.png"));
  const Outcome ended = run({"dataset", "import", "stray-scanner", out("scan"), "--out", out("again")});
  EXPECT_EQ(ended.exit_code, kData);
  testdata::expect_sentence(ended.err);
  EXPECT_FALSE(fs::exists(out("again")));
}

}  // namespace
}  // namespace fernwood::apps
