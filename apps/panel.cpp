// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "panel.h"

#include <algorithm>

#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood {

Array2<Rgb> side_by_side(const std::vector<Array2<Rgb>>& pictures) {
  std::size_t rows = 0, cols = kPanelGap * (pictures.size() - 1);
  for (const Array2<Rgb>& picture : pictures) {
    rows = std::max(rows, picture.rows());
    cols += picture.cols();
  }
  Array2<Rgb> panel(rows, cols, Rgb{255, 255, 255});
  std::size_t left = 0;
  for (const Array2<Rgb>& picture : pictures) {
    for (std::size_t row = 0; row < picture.rows(); ++row)
      std::copy_n(picture.row(row), picture.cols(), panel.row(row) + left);
    left += picture.cols() + kPanelGap;
  }
  return panel;
}

Array2<Rgb> make_panel(const Frame& frame, const std::filesystem::path& truth, const LabelImage& labels,
                       const ClassMap& classes) {
  std::vector<Array2<Rgb>> pictures;
  if (!frame.color.empty()) pictures.push_back(frame.color);
  if (!frame.depth_mm.empty()) pictures.push_back(colorize_depth(frame.depth_mm));
  if (!truth.empty()) pictures.push_back(read_truth(truth));
  pictures.push_back(colorize_labels(labels, classes));
  return side_by_side(pictures);
}

}  // namespace fernwood
