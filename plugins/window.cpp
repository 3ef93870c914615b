// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in window: windows and texts by OpenCV; only this file uses its highgui and imgproc.

#include "apps/live/window.h"

#include <algorithm>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/highgui.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace fernwood::apps {

namespace {

/// Larger pictures are scaled down initially.
constexpr int kWidestWindow = 1600, kTallestWindow = 1000;
constexpr double kTextScale = 0.45;

cv::Mat mat_of(Array2<image::Rgb>& picture) {
  return {static_cast<int>(picture.rows()), static_cast<int>(picture.cols()), CV_8UC3, picture.data()};
}

class OpenCvWindow : public Window {
 public:
  explicit OpenCvWindow(const char* title) : title_(title) {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_KEEPRATIO | cv::WINDOW_GUI_NORMAL);
  }
  ~OpenCvWindow() override {
    try {
      cv::destroyWindow(title_);
    } catch (const cv::Exception&) {  // already closed by the user
    }
  }

  void show(const Array2<image::Rgb>& picture) override {
    const cv::Size size(static_cast<int>(picture.cols()), static_cast<int>(picture.rows()));
    if (size != std::exchange(shown_, size)) {
      const double scale = std::min({1.0, 1.0 * kWidestWindow / size.width, 1.0 * kTallestWindow / size.height});
      cv::resizeWindow(title_, static_cast<int>(scale * size.width), static_cast<int>(scale * size.height));
    }
    cv::cvtColor(mat_of(const_cast<Array2<image::Rgb>&>(picture)), bgr_, cv::COLOR_RGB2BGR);
    cv::imshow(title_, bgr_);
  }
  int key() override { return cv::waitKey(1); }
  bool is_open() override { return cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) >= 1; }

 private:
  std::string title_;
  cv::Size shown_;
  cv::Mat bgr_;
};

}  // namespace

}  // namespace fernwood::apps

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::apps::Window* fernwood_open_window(const char* title) { return new fernwood::apps::OpenCvWindow(title); }

void fernwood_draw_texts(fernwood::Array2<fernwood::image::Rgb>* picture,
                         const std::vector<fernwood::apps::Text>& texts) {
  cv::Mat view = fernwood::apps::mat_of(*picture);
  for (const fernwood::apps::Text& text : texts)
    cv::putText(view, text.text, {text.x, text.y}, cv::FONT_HERSHEY_SIMPLEX, fernwood::apps::kTextScale,
                cv::Scalar(text.color.r, text.color.g, text.color.b), 1, cv::LINE_AA);
}
}
