// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Temporal fusion: class probabilities of cells follow the camera's motion from frame to frame. Identical on every
// device, in whole numbers.

#include <algorithm>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/context.h"
#include "fernwood/predict/predictor.h"
#include "image/registration.h"

namespace fernwood::predict {

static_assert(image::kContextStep == image::kCellSize, "cells of probabilities are cells of surfaces");

/// Fused probabilities have finer steps than those of trees: a mean over many frames changes by less than 1 / 255.
inline constexpr std::int32_t kFusedStep = 256;
/// The evidence of one frame depends on its most probable class: 1 + 255 / kEvidenceUnit at most. The first frame that
/// sees a place counts kFirstEvidence times, otherwise the second would change the labels of many cells. (Twice, not
/// four times: the first view is often from afar or at the border, and if it outweighs later ones, labels are 0.4 / 0.7
/// points less accurate.)
inline constexpr std::int32_t kEvidenceUnit = 64, kFirstEvidence = 2;
/// Upper limit of the accumulated evidence; without it, labels would never change.
inline constexpr std::int32_t kMaxEvidence = 64;
/// With less evidence, that of the first two or three frames, a cell is evaluated again in each frame. (With 28, labels
/// are 0.2 points more accurate, and a quarter more of the cells is evaluated.)
inline constexpr std::int32_t kEnoughEvidence = 10;
/// A class whose lead is smaller than this, of 255, is uncertain: the cell is evaluated in each frame.
inline constexpr std::int32_t kSureLead = 20;

/// The inverse depth of a cell; where it is unknown, that of its surroundings: the farthest of the nearest known cells
/// to both sides, or else above and below. Depth is usually unknown on black or shiny surfaces, and in the shadow of
/// nearer ones.
FW_HD float filled_inverse(const image::SurfaceView& frame, std::int32_t row, std::int32_t col) {
  constexpr std::int32_t kReach = 24;  // cells
  float inverse = frame.inverse_of(row, col);
  for (int axis = 0; axis < 2 && !(inverse > 0.0f); ++axis)
    for (int side = -1; side <= 1; side += 2) {
      std::int32_t r = row, c = col;
      float found = 0.0f;
      for (std::int32_t i = 0; i < kReach && !(found > 0.0f); ++i) {
        (axis == 0 ? c : r) += side;
        if (r < 0 || c < 0 || r >= frame.rows || c >= frame.cols) break;
        found = frame.inverse_of(r, c);
      }
      if (found > 0.0f && (!(inverse > 0.0f) || found < inverse)) inverse = found;
    }
  return inverse;
}

/// The cells of the previous frame around a place, as far as they show the same surface.
struct FollowedCells {
  std::int32_t cells[4] = {}, weights[4] = {};
  std::int32_t total = 0;  ///< Sum of the weights, up to kFullWeight; 0: the place was not seen.

  /// Removes cells without evidence.
  FW_HD void drop_unknown(const std::uint8_t* evidence);
  /// Weighted mean of values of the cells.
  template <typename Number>
  FW_HD std::int32_t mean(const Number* numbers) const {
    std::int32_t sum = total / 2;
    for (int i = 0; i < 4; ++i) sum += weights[i] * static_cast<std::int32_t>(numbers[cells[i]]);
    return sum / total;
  }
};
/// Resolution of places: a 16th of a cell.
inline constexpr std::int32_t kPlacesInCell = 16, kFullWeight = kPlacesInCell * kPlacesInCell;
/// Cells are of one surface if their depths differ by at most this share: cells average over slanted surfaces, too.
inline constexpr float kSameSurface = 0.03f;
/// Minimum total weight; with less, too little of the surface was seen.
inline constexpr std::int32_t kMinWeight = kFullWeight / 4;

FW_HD void FollowedCells::drop_unknown(const std::uint8_t* evidence) {
  for (int i = 0; i < 4; ++i) {
    if (weights[i] == 0 || evidence[cells[i]] > 0) continue;
    total -= weights[i];
    weights[i] = 0;
  }
  if (total < kMinWeight) total = 0;
}

/// @param now, before  With unknown depths filled. @param motion  From places in this frame to places in the previous
/// one.
FW_HD FollowedCells followed_cells(const image::SurfaceView& now, const image::SurfaceView& before,
                                   const image::RigidMotion& motion, std::int32_t row, std::int32_t col) {
  FollowedCells followed;
  if (!(now.inverse_of(row, col) > 0.0f)) return followed;
  const image::Vector3 place = motion(now.place(row, col));
  const image::SeenAt seen = image::seen_at(before, place);
  if (!seen.is_inside) return followed;
  constexpr float kPerPixel = static_cast<float>(kPlacesInCell) / image::kCellSize;
  const std::int32_t x = round_to_int((seen.x - image::cell_middle(0)) * kPerPixel) + kPlacesInCell;
  const std::int32_t y = round_to_int((seen.y - image::cell_middle(0)) * kPerPixel) + kPlacesInCell;
  const std::int32_t left = x / kPlacesInCell - 1, top = y / kPlacesInCell - 1;
  const std::int32_t right_weight = x % kPlacesInCell, bottom_weight = y % kPlacesInCell;
  for (int i = 0; i < 4; ++i) {
    const std::int32_t r = top + i / 2, c = left + i % 2;
    if (r < 0 || c < 0 || r >= before.rows || c >= before.cols) continue;
    const float inverse = before.inverse_of(r, c);
    if (!(inverse > 0.0f)) continue;
    const float apart = 0.001f * image::cell_depth_mm(inverse) - place.z;
    if (!((apart < 0.0f ? -apart : apart) <= kSameSurface * place.z)) continue;
    followed.cells[i] = r * before.cols + c;
    followed.weights[i] = (i % 2 == 1 ? right_weight : kPlacesInCell - right_weight) *
                          (i / 2 == 1 ? bottom_weight : kPlacesInCell - bottom_weight);
    followed.total += followed.weights[i];
  }
  if (followed.total < kMinWeight) followed.total = 0;
  return followed;
}

/// The most probable class, and the two highest values.
struct LeadingClasses {
  std::int32_t best = 0, most = -1, second = -1;

  FW_HD void offer(std::int32_t label, std::int32_t value) {
    second = value > most ? most : value > second ? value : second;
    best = value > most ? label : best;
    most = value > most ? value : most;
  }
};
/// @param values  Values of a cell's classes, at distance `pitch`.
template <typename Value>
FW_HD LeadingClasses leading_classes(const Value* values, std::size_t pitch, std::int32_t num_classes) {
  LeadingClasses leading;
  for (std::int32_t c = 0; c < num_classes; ++c)
    leading.offer(c, static_cast<std::int32_t>(values[static_cast<std::size_t>(c) * pitch]));
  return leading;
}

/// Whether a followed cell must be evaluated in this key frame: one in kRefresh in rotation, and cells with little
/// evidence or an uncertain class. @param frame  Number of key frames before this one.
FW_HD bool wants_evaluation(std::int32_t evidence, const LeadingClasses& leading, std::int32_t row, std::int32_t col,
                            std::int32_t frame) {
  constexpr std::int32_t kRefresh = 5;
  return evidence < kEnoughEvidence || leading.most - leading.second < kSureLead * kFusedStep ||
         (row + col + frame) % kRefresh == 0;
}

/// Combines the evidence of a frame with that of the frames before.
struct FusedEvidence {
  std::int32_t before, now;

  FW_HD std::int32_t sum() const { return before + now < kMaxEvidence ? before + now : kMaxEvidence; }
  FW_HD std::uint16_t fused(std::uint16_t value, std::uint8_t found) const {
    const std::int32_t total = before + now;
    return static_cast<std::uint16_t>((before * value + now * kFusedStep * found + total / 2) / total);
  }
};
/// @param evidence  Evidence from the frames before; 0: not seen before.
FW_HD FusedEvidence fused_evidence(std::int32_t evidence, const LeadingClasses& found) {
  const std::int32_t now = 1 + found.most / kEvidenceUnit;
  return {evidence, evidence == 0 ? kFirstEvidence * now : now};
}

/// Whether a motion with this number of followed cells is plausible: otherwise a pose jumped, or is of another room.
FW_HD bool fits(std::int32_t num_followed, std::int32_t num_cells) { return num_followed * 10 >= num_cells; }

/// Interval of key frames: networks take so long that every second frame only takes over labels.
inline int keyframe_interval(const image::Preparation& preparation) {
  return preparation.num_backbone_maps() > 0 ? 2 : 1;
}

/// Selects the key frames, which are evaluated (Zhu et al., CVPR 2017, "Deep feature flow for video recognition").
/// Other frames only take over labels.
struct KeyFrames {
  std::int32_t num_keys = 0;  ///< Number so far.
  std::int32_t carried = 0;   ///< Number of frames since the last key frame.

  /// Counts a frame. @param every  Maximum distance between key frames. @return  Whether it is a key frame: also one
  /// that does not follow the previous frame, or of which more than a fifth was not seen before.
  FW_HD bool count(bool follows, std::int32_t num_followed, std::int32_t num_cells, std::int32_t every) {
    const bool is_key = !follows || carried + 1 >= every || num_followed * 5 < num_cells * 4;
    num_keys += is_key ? 1 : 0;
    carried = is_key ? 0 : carried + 1;
    return is_key;
  }
};

/// The cell whose probabilities a cell without evidence takes until the next key frame. Candidates are the nearest
/// known cells to both sides, above and below; the nearest of similar depth is preferred, else the nearest. -1: none.
/// @param now  With unknown depths filled.
FW_HD std::int32_t nearest_known(const image::SurfaceView& now, const std::uint8_t* evidence, std::int32_t row,
                                 std::int32_t col) {
  constexpr float kSameDepth = 0.1f;
  const float inverse = now.inverse_of(row, col);
  std::int32_t best = -1, least = 0;
  bool best_fits = false;
  for (int side = 0; side < 4; ++side) {
    const std::int32_t down = side / 2 * (side % 2 * 2 - 1), right = (1 - side / 2) * (side % 2 * 2 - 1);
    std::int32_t r = row + down, c = col + right, distance = 1;
    while (r >= 0 && c >= 0 && r < now.rows && c < now.cols && evidence[r * now.cols + c] == 0)
      r += down, c += right, ++distance;
    if (r < 0 || c < 0 || r >= now.rows || c >= now.cols) continue;
    const float apart = now.inverse_of(r, c) - inverse;
    const bool fits = (apart < 0.0f ? -apart : apart) <= kSameDepth * inverse;
    if (best >= 0 && (fits != best_fits ? best_fits : least <= distance)) continue;
    best = r * now.cols + c;
    least = distance;
    best_fits = fits;
  }
  return best;
}

/// A fused probability as input of smoothing, in [0, 1].
FW_HD float smoothed_share(std::int32_t fused) {
  constexpr float kCertain = 255.0f * kFusedStep;
  return static_cast<float>(fused) / kCertain;
}

/// A fused probability, rounded to the steps of tree output.
FW_HD std::uint8_t step_of(std::uint16_t fused) {
  return static_cast<std::uint8_t>((fused + kFusedStep / 2) / kFusedStep);
}

}  // namespace fernwood::predict
