// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/evaluate/sequence.h"
#include "image/registration.h"

namespace fernwood::evaluate {

/// Pixels between those that are looked at.
inline constexpr std::size_t kSequenceStride = 4;

/// Calls for_pixel(row, col) for one pixel of each cell that has depth.
void for_each_known(const image::DepthView& view, const auto& for_pixel) {
  for (std::size_t row = kSequenceStride / 2; row < view.depth_mm.rows(); row += kSequenceStride)
    for (std::size_t col = kSequenceStride / 2; col < view.depth_mm.cols(); col += kSequenceStride)
      if (view.depth_mm(row, col) != 0) for_pixel(row, col);
}

/// A frame of a recording as it is compared with the next.
struct SeenFrame {
  dataset::CapturedFrame captured;         ///< With its pose, if it is to be compared.
  std::optional<image::LabelImage> truth;  ///< If known.
  std::vector<image::LabelImage> labels;   ///< [labeller]

  image::DepthView view() const { return image::depth_view(*captured.frame); }
};

/// Places whose true class has changed, and whether they are labelled right again.
class ChangedPlaces {
 public:
  /// Follows those of before, and finds those that have changed since. @param before  The frame before `now`, both with
  /// poses and truth.
  /// @param scores  [labeller] Their lag and shadow are added to.
  void compare(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores);
  /// Gives all up that are followed, as at a recording's end.
  void lose_all(std::vector<SequenceScore>& scores);
  std::uint64_t num_found() const { return num_found_; }

 private:
  struct Place {
    image::Vector3 in_room;
    std::uint16_t truth, earlier;     ///< Its class now and before.
    bool was_left;                    ///< The thing that was there is gone.
    std::size_t age = 0;              ///< Frames since it changed.
    std::vector<bool> is_right = {};  ///< [labeller] Whether it has been labelled right.
  };

  void follow(const SeenFrame& now, std::vector<SequenceScore>& scores);
  void find(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores);
  static void judge(Place& place, const SeenFrame& now, std::size_t row, std::size_t col,
                    std::vector<SequenceScore>& scores);
  static void lose(const Place& place, std::vector<SequenceScore>& scores);

  std::vector<Place> places_;
  std::uint64_t num_found_ = 0;
};

}  // namespace fernwood::evaluate
