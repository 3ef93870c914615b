// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/panel.h"

#include <algorithm>
#include <vector>

#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {

Array2<image::Rgb> make_panel(const image::Frame& frame, const Array2<image::Rgb>& truth,
                              const Array2<image::Rgb>& labels) {
  constexpr std::size_t kGap = 8;  // white columns between two images
  std::vector<Array2<image::Rgb>> pictures;
  if (!frame.color.empty()) pictures.push_back(frame.color);
  if (!frame.depth_mm.empty()) pictures.push_back(dataset::colorize_depth(frame.depth_mm));
  if (!truth.empty()) pictures.push_back(truth);
  pictures.push_back(labels);
  std::size_t rows = 0, cols = kGap * (pictures.size() - 1);
  for (const Array2<image::Rgb>& picture : pictures) {
    rows = std::max(rows, picture.rows());
    cols += picture.cols();
  }
  Array2<image::Rgb> panel(rows, cols, image::Rgb{255, 255, 255});
  std::size_t left = 0;
  for (const Array2<image::Rgb>& picture : pictures) {
    for (std::size_t row = 0; row < picture.rows(); ++row)
      std::copy_n(picture.row(row), picture.cols(), panel.row(row) + left);
    left += picture.cols() + kGap;
  }
  return panel;
}

}  // namespace fernwood::apps
