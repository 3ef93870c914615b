// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/evaluate/sequence.h"
#include "image/registration.h"

namespace fernwood::evaluate {

/// Distance of the compared pixels along rows and columns, in pixels.
inline constexpr std::size_t kSequenceStride = 4;

/// Calls for_pixel(row, col) for the middle pixel of each cell of kSequenceStride x kSequenceStride pixels, if its
/// depth is known.
void for_each_known(const image::DepthView& view, const auto& for_pixel) {
  for (std::size_t row = kSequenceStride / 2; row < view.depth_mm.rows(); row += kSequenceStride)
    for (std::size_t col = kSequenceStride / 2; col < view.depth_mm.cols(); col += kSequenceStride)
      if (view.depth_mm(row, col) != 0) for_pixel(row, col);
}

/// A frame of a recording, with the images that the comparison with the next frame needs.
struct SeenFrame {
  recordings::CapturedFrame captured;      ///< With its pose, if the frame is to be compared.
  std::optional<image::LabelImage> truth;  ///< Ground truth, if known.
  std::vector<image::LabelImage> labels;   ///< [labeller]

  image::DepthView view() const { return image::depth_view(*captured.frame); }
};

/// Places whose true class has changed, followed until they are labelled correctly again.
class ChangedPlaces {
 public:
  /// Follows the places found before, and adds those that have changed between the two frames.
  /// @param before  The frame before `now`. Both have a pose and ground truth.
  /// @param scores  [labeller] Lag and shadow are added to these.
  void compare(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores);
  /// Stops following all places, as at the end of a recording; those not yet labelled correctly count as lost.
  void lose_all(std::vector<SequenceScore>& scores);
  std::uint64_t num_found() const { return num_found_; }

 private:
  struct Place {
    image::Vector3 in_room;
    std::uint16_t truth, earlier;     ///< Class now and before the change.
    bool was_left;                    ///< Whether the object that was there has moved away.
    std::size_t age = 0;              ///< Frames since the change.
    std::vector<bool> is_right = {};  ///< [labeller] Whether it has been labelled correctly.
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
