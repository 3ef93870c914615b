// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;

constexpr const char* kFakenect = "/usr/lib/x86_64-linux-gnu/fakenect/libfreenect.so";

/// Cameras that are absent or simulated.
class LiveCamera : public CommandLine {
 protected:
  static Words live(const fs::path& model, const std::string& source, const Words& more = {}) {
    Words words = {"live", "--model", model, "--source", source, "--headless", "--device", "cpu", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(LiveCamera, AMissingCameraIsADeviceError) {
  for (const auto& [plugin, source] :
       {std::pair{"video", "video:99"}, {"openni2", "openni2:none"}, {"freenect", "freenect:99"}})
    if (has_plugin(plugin)) {
      EXPECT_EQ(run(live(model(), source)).exit_code, kDevice) << source;
    }
}

/// A camera that fails after three frames; see unsteady_camera.cpp.
class LiveReconnect : public LiveCamera {
 protected:
  void SetUp() override {
    LiveCamera::SetUp();
    const fs::path plugin = FERNWOOD_TEST_PLUGIN;
    if (!fs::exists(plugin)) GTEST_SKIP() << plugin << " is not there";
    ::setenv("FERNWOOD_PLUGINS", plugin.parent_path().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("FERNWOOD_PLUGINS"); }
  static Words unsteady(const std::string& what, const Words& more) {
    Words words = {"--every-frame"};
    words.insert(words.end(), more.begin(), more.end());
    return live(model(), "unsteady:" + what, words);
  }
  dataset::Dataset recorded(const char* name) const {
    dataset::DatasetOptions options;
    options.needs_truth = false;
    return dataset::Dataset::open(out(name), options);
  }
};

TEST_F(LiveReconnect, CameraThatComesBackGoesOnAndItsRecordingReplays) {
  const Outcome outcome = run(unsteady("cut", {"--record", out("rec")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("frames"), 6);
  EXPECT_EQ(result.at("reconnects"), 1);
  testdata::expect_sentence(outcome.err);
  const auto replay = [&](const std::string& rate) {
    Words words = live(model(), "frames:" + out("rec").string(), {"--every-frame", "--rate", rate});
    return Json::parse(run(words).out);
  };
  const Json fast = replay("0"), recorded = replay("recorded");
  EXPECT_EQ(fast.at("labels_checksum"), result.at("labels_checksum"));
  EXPECT_EQ(recorded.at("labels_checksum"), result.at("labels_checksum"));
  EXPECT_LT(fast.at("seconds"), 1.0);
  EXPECT_GT(recorded.at("seconds"), 1.0) << "the second that the camera was away";
}

/// Camera plug-ins with stand-ins for their SDKs; see realsense/fake_realsense.cpp and orbbec/fake_orbbec.cpp.
class LiveSdkCamera : public LiveReconnect, public testing::WithParamInterface<const char*> {
 protected:
  static Words camera(const std::string& serial, const Words& more = {}) {
    Words words = {"--every-frame"};
    words.insert(words.end(), more.begin(), more.end());
    return live(model(), std::string(GetParam()) + ":" + serial, words);
  }
};
INSTANTIATE_TEST_SUITE_P(Cameras, LiveSdkCamera, testing::Values("realsense", "orbbec"),
                         [](const auto& info) { return std::string(info.param); });

// The depth camera is 0.1 m to the right of the colour camera: at 1 m and a focal length of 20 pixels, 2 pixels. Its
// principal point is at column 11.5 and the colour camera's at 15.5, so its 24 columns begin at column 4 + 2; its 16
// rows begin at row 4.
TEST_P(LiveSdkCamera, DepthIsAlignedToColourByTheCalibration) {
  const Outcome outcome = run(camera("", {"--frames", "4", "--record", out("rec")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const dataset::Dataset data = recorded("rec");
  ASSERT_EQ(data.size(), 4u);
  const image::Frame frame = data.read_frame(1);
  EXPECT_EQ(frame.color(0, 0), (image::Rgb{2, 90, 30})) << "the first set had no colour, and is passed over";
  EXPECT_EQ(frame.camera, (image::Camera{32, 24, 20, 20, 15.5f, 11.5f}));
  for (std::size_t row = 0; row < 24; ++row)
    for (std::size_t col = 0; col < 32; ++col)
      ASSERT_EQ(frame.depth_mm(row, col), row >= 4 && row < 20 && col >= 6 && col < 30 ? 1000 : 0) << row << " " << col;
  EXPECT_EQ(text_of(out("rec") / "times.txt").substr(0, 36), "frame00000000 1.04\nframe00000001 1.0");
}

TEST_P(LiveSdkCamera, AnUnpluggedCameraIsOpenedAgain) {
  const Outcome outcome = run(camera("cut", {"--frames", "5"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("reconnects"), 1);
  testdata::expect_sentence(outcome.err);
  const Outcome silent = run(camera("silent", {"--stall-timeout", "0.5", "--reconnect", "0"}));
  EXPECT_EQ(silent.exit_code, kDevice) << silent.out;
}

TEST_P(LiveSdkCamera, OtherModesAreTriedAndWhatIsWrongIsADeviceError) {
  EXPECT_EQ(run(camera("usb2", {"--frames", "2"})).exit_code, 0);
  expect_each_refused({camera("none"), camera("fisheye")}, kDevice);
}

TEST_F(LiveReconnect, ACameraThatStaysAwayIsADeviceError) {
  const Outcome gone = run(unsteady("gone", {"--reconnect", "1.2"}));
  EXPECT_EQ(gone.exit_code, kDevice);
  testdata::expect_sentence(gone.err);
  EXPECT_EQ(gone.out, "");
  expect_each_refused(
      {unsteady("cut", {"--reconnect", "0"}), live(model(), "orbbec:short", {"--every-frame", "--reconnect", "0"})},
      kDevice);
}

TEST_F(LiveReconnect, StalledCameraIsLeftBehind) {
  const Outcome back = run(unsteady("stalled", {"--stall-timeout", "0.5"}));
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(Json::parse(back.out).at("frames"), 6);
  const Outcome ended = run(unsteady("stalled", {"--stall-timeout", "0.5", "--reconnect", "0"}));
  EXPECT_EQ(ended.exit_code, kDevice);
  testdata::expect_sentence(ended.err);
}

TEST_F(LiveCamera, OpenNi2DeliversFrames) {
  if (!has_plugin("openni2")) GTEST_SKIP() << "this program has no plug-in for OpenNI2";
  ASSERT_EQ(run(small_training(rooms() / "train", out("depth"), {"--channels", "depth"})).exit_code, 0);
  const Outcome outcome = run(live(out("depth"), "openni2:Dummy", {"--frames", "3"}));
  if (outcome.exit_code == kDevice) GTEST_SKIP() << "OpenNI2 here is without its dummy: " << outcome.err;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("frames"), 3);
}

TEST_F(LiveCamera, KinectRecordingReplays) {
  if (!has_plugin("freenect")) GTEST_SKIP() << "this program has no plug-in for the Kinect";
  if (!fs::exists(kFakenect)) GTEST_SKIP() << kFakenect << " is not there (libfreenect-bin)";
  std::string index;
  for (int i = 0; i < 3; ++i) {
    const std::string at = std::to_string(100.0 + i * 0.01) + "-" + std::to_string(60000000 * (i + 1));
    // Disparity 500 + i, low byte first.
    std::string depth = "P5 640 480 65535\n", color = "P6 640 480 255\n";
    for (int pixel = 0; pixel < 640 * 480; ++pixel) {
      depth += {static_cast<char>((500 + i) & 255), 1};
      color += {static_cast<char>(10 + i), 20, 30};
    }
    folder_.write("kinect/d-" + at + ".pgm", depth);
    folder_.write("kinect/r-" + at + ".ppm", color);
    index += "d-" + at + ".pgm\nr-" + at + ".ppm\n";
  }
  folder_.write("kinect/INDEX.txt", index);
  ::setenv("FAKENECT_PATH", (folder_ / "kinect").c_str(), 1);
  ::setenv("LD_PRELOAD", kFakenect, 1);
  const Outcome outcome = run(live(model(), "freenect:", {"--every-frame", "--record", out("recorded")}));
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("FAKENECT_PATH");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"frames\": 3,"), std::string::npos) << "after a line printed by fakenect";
  // 123.6 mm tan(501 / 2842.5 + 1.1863) = 123.6 mm tan(1.3626) = 123.6 mm * 4.7325 = 585 mm
  EXPECT_NEAR(dataset::read_depth(out("recorded/frame00000001_depth.png"))(100, 100), 585, 1);
  EXPECT_EQ(dataset::read_color(out("recorded/frame00000001_colors.png"))(479, 639), (image::Rgb{11, 20, 30}));
}

}  // namespace
}  // namespace fernwood::apps
