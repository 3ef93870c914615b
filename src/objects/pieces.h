// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pieces are the connected pixels of a class. Occluders and wrong labels cut objects into several; here these are
// merged. They are few, so that this runs on the host whatever device has found them.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "fernwood/objects/objects.h"
#include "objects/object_formulas.h"

namespace fernwood::objects {

/// A point in level coordinates, in whole mm.
struct WholePoint {
  std::int32_t across, forward, up;
};

inline WholePoint lower(const WholePoint& a, const WholePoint& b) {
  return {std::min(a.across, b.across), std::min(a.forward, b.forward), std::min(a.up, b.up)};
}
inline WholePoint higher(const WholePoint& a, const WholePoint& b) {
  return {std::max(a.across, b.across), std::max(a.forward, b.forward), std::max(a.up, b.up)};
}

/// What pixels add up to, in whole numbers.
struct PixelSums {
  std::uint32_t pixels = 0, known = 0;  ///< `known`: of known depth, of which all that follows sureness is.
  std::int32_t left = kFar, top = kFar, right = -1, bottom = -1;
  std::int64_t sureness = 0;  ///< Of the probabilities of the piece's class, in 1 / kSureUnits.
  std::int64_t across = 0, forward = 0, up = 0, area = 0;
  WholePoint lowest = {kFar, kFar, kFar}, highest = {-kFar, -kFar, -kFar};
  std::int32_t nearest = kFar;  ///< Distance from the camera, mm.

  void add(const PixelSums& other);
};

struct Piece {
  std::uint16_t label;
  PixelSums sums = {};
  bool is_cut = false;  ///< A cut, PixelView::cuts, parts it from another piece.
};

/// Two pieces that touch in space. One item for each pair of neighbouring pixels, and for each order.
using Contact = std::pair<std::uint32_t, std::uint32_t>;

inline constexpr std::uint32_t kNoObject = 0xffffffff;

struct MergedPieces {
  std::vector<Piece> objects;
  std::vector<std::uint32_t> object_of;  ///< [piece] or kNoObject.
};

/// Merges pieces, from small to large, unless they are cut:
/// - one below `least_confidence` into the piece that it touches most, which takes its pixels over; else it
/// is dropped;
/// - others into the nearest piece of their class that is several times as large and within ObjectOptions::gap_m, or
///   within half of it if none of both is above the other.
/// Objects below ObjectOptions::min_area_cm2 are dropped.
/// @param pieces            In the order of their first pixels.
/// @param least_confidence  ObjectOptions::least_confidence(); 0 without probabilities.
MergedPieces merge_pieces(std::vector<Piece> pieces, const std::vector<Contact>& contacts, double least_confidence,
                          const ObjectOptions& options);

}  // namespace fernwood::objects
