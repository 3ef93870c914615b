// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/camera_capture.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "dataset/test_files.h"
#include "fernwood/teach/project.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

using namespace std::chrono_literals;

/// A camera that delivers some frames and then fails as if its cable were unplugged.
class ShortCable : public recordings::FrameSource {
 public:
  explicit ShortCable(int frames) : left_(frames) {}
  std::optional<recordings::CapturedFrame> next() override {
    if (left_-- == 0) throw Error(ErrorKind::kDevice, "the cable is pulled");
    auto frame = std::make_shared<image::Frame>();
    frame->color = Array2<image::Rgb>(2, 3);
    return recordings::CapturedFrame{std::move(frame), 0.1, "x/" + std::to_string(left_)};
  }
  bool has_color() const override { return true; }
  bool has_depth() const override { return false; }
  bool is_live() const override { return true; }
  std::string name() const override { return "a camera"; }

 private:
  int left_;
};

class Seen {
 public:
  WatchHooks hooks() {
    return {[this](recordings::CapturedFrame frame) { note([&] { frames.push_back(std::move(frame)); }); },
            [this](const std::string& sentence) { note([&] { troubles.push_back(sentence); }); }};
  }
  bool wait(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, is_so);
  }
  std::vector<recordings::CapturedFrame> frames;
  std::vector<std::string> troubles;

 private:
  void note(const std::function<void()>& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST(CameraCapture, APulledCableIsToldAndTheCameraIsOpenedAgain) {
  Seen seen;
  recordings::CaptureOptions options;
  options.reopen = [] { return std::make_shared<ShortCable>(1'000'000'000); };
  const std::jthread watch = capture_camera(std::make_shared<ShortCable>(1), options, seen.hooks());
  ASSERT_TRUE(seen.wait([&] { return seen.troubles.size() >= 2; }));
  EXPECT_NE(seen.troubles[0].find("the cable is pulled"), std::string::npos);
  EXPECT_EQ(seen.troubles[1], "") << "it is back";
}

TEST(CameraCapture, ACameraThatIsLostForGoodEndsNothingElse) {
  Seen seen;
  recordings::CaptureOptions options;
  options.reconnect_s = 0;
  const std::jthread watch = capture_camera(std::make_shared<ShortCable>(3), options, seen.hooks());
  ASSERT_TRUE(seen.wait([&] { return !seen.troubles.empty(); }));
  EXPECT_EQ(seen.troubles[0], "the cable is pulled");
}

TEST(CameraView, KeepsTheNewestFramesAndTheirPictures) {
  CameraView view;
  testdata::expect_refused(ErrorKind::kUsage, [&] { view.find(1); });
  ShortCable camera(40);
  for (std::uint64_t number = 1; number <= 40; ++number) EXPECT_EQ(view.take(*camera.next()), number);
  EXPECT_EQ(view.find(38).captured.name, "x/2");
  EXPECT_EQ(view.find(2).captured.name, "x/0") << "it is gone; the newest stands for it";
  EXPECT_EQ(view.get("/camera/40/color").type, "image/jpeg");
  for (const char* address : {"/camera/40/depth", "/camera/40", "/camera/x/color", "/camera/40/labels"})
    testdata::expect_refused(ErrorKind::kUsage, [&] { view.get(address); });
}

TEST(FrameNames, ArePlainAndNew) {
  const auto none = [](const std::string&) { return false; };
  EXPECT_EQ(frame_name_like("a/b c.7", none), "a_b_c_7");
  EXPECT_EQ(frame_name_like("", none), "frame");
  EXPECT_EQ(frame_name_like("a", [](const std::string& tried) { return tried != "a_4"; }), "a_4");
}

}  // namespace
}  // namespace fernwood::teach
