// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in video: the source `video:` by OpenCV; only this file uses its videoio.

#include <algorithm>
#include <atomic>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/videoio.hpp>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "plugins/source_plugin.h"

namespace fernwood::apps {

namespace {

/// A video file, or a camera of the system by its number; only colour.
class VideoSource : public recordings::FrameSource {
 public:
  VideoSource(std::string place, const recordings::SourceOptions& options)
      : place_(std::move(place)), options_(options) {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    open();
    while (decoded_.size() < options_.max_decoded) {
      std::optional<recordings::CapturedFrame> frame = decode();
      if (!frame) break;
      decoded_.push_back(std::move(*frame));
    }
  }

  std::optional<recordings::CapturedFrame> next() override {
    if (stopped_) return std::nullopt;
    std::optional<recordings::CapturedFrame> frame = following();
    if (!frame && options_.loop && !is_live()) {
      rewind();
      frame = following();
    }
    FW_CHECK(frame || !is_live(), Device,
             "video:" << place_ << ": the camera delivers no more frames; check its cable");
    return frame;
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return true; }
  bool has_depth() const override { return false; }
  bool is_live() const override {
    return std::ranges::all_of(place_, [](char c) { return c >= '0' && c <= '9'; });
  }
  std::string name() const override { return place_; }
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  void open() {
    FW_CHECK(!place_.empty(), Usage, "video: lacks the file; write video:FILE, or video:0 for the first camera");
    const bool opened = is_live() ? capture_.open(std::stoi(place_)) : capture_.open(place_);
    FW_CHECK(opened || !is_live(), Device,
             "video:" << place_ << ": there is no such camera; see /dev/video*, and whether another program uses it");
    FW_CHECK(opened, Data, place_ << " is not a readable video; choose another file, or convert it");
    // Pixels as they are stored, like pictures with EXIF: depth images and labels beside the video are not turned.
    capture_.set(cv::CAP_PROP_ORIENTATION_AUTO, 0);
    if (const double angle = capture_.get(cv::CAP_PROP_ORIENTATION_META); angle != 0)
      warnings_ = {place_ + " has a flag to be turned by " + std::to_string(static_cast<int>(angle)) +
                   " degrees; its images are read as they are stored, as depth and labels are"};
  }
  void rewind() {
    count_ = 0;
    if (decoded_.empty()) open();
  }

  std::optional<recordings::CapturedFrame> following() {
    if (decoded_.empty()) return decode();
    if (count_ == decoded_.size()) return std::nullopt;
    return decoded_[count_++];
  }
  std::optional<recordings::CapturedFrame> decode() {
    cv::Mat bgr;
    if (!capture_.read(bgr) || bgr.empty()) return std::nullopt;
    FW_CHECK(bgr.type() == CV_8UC3, Data, place_ << ": the video has no frames of 8-bit colour; convert it");
    auto frame = std::make_shared<image::Frame>();
    frame->color = Array2<image::Rgb>(static_cast<std::size_t>(bgr.rows), static_cast<std::size_t>(bgr.cols));
    for (int row = 0; row < bgr.rows; ++row)
      std::copy_n(bgr.ptr<image::Rgb>(row), bgr.cols, frame->color.row(static_cast<std::size_t>(row)));
    for (image::Rgb& pixel : frame->color) std::swap(pixel.r, pixel.b);  // OpenCV has blue first
    const double time_s = capture_.get(cv::CAP_PROP_POS_MSEC) / 1000;
    return recordings::CapturedFrame{std::move(frame), time_s, "frame " + std::to_string(num_decoded_++)};
  }

  std::string place_;
  recordings::SourceOptions options_;
  cv::VideoCapture capture_;
  std::vector<recordings::CapturedFrame> decoded_;
  std::vector<std::string> warnings_;
  std::size_t count_ = 0, num_decoded_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

}  // namespace fernwood::apps

FERNWOOD_SOURCE_PLUGIN(fernwood::apps::VideoSource)
