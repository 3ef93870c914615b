// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "objects/pieces.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fernwood::objects {

namespace {

/// A piece joins another one of its class that is at least this many times as large.
constexpr double kTimesLarger = 3.3;

/// Pieces beside each other are rather two objects than those above each other, and count as so many times farther
/// apart.
constexpr std::int32_t kTimesFartherBeside = 2;

/// Distance between the level boxes around two pieces, along the axis in which they are farthest apart.
std::int32_t distance_between(const PixelSums& a, const PixelSums& b) {
  const auto gap = [&](std::int32_t WholePoint::*axis) {
    return std::max({0, b.lowest.*axis - a.highest.*axis, a.lowest.*axis - b.highest.*axis});
  };
  const std::int32_t beside = std::max(gap(&WholePoint::across), gap(&WholePoint::forward)),
                     above = gap(&WholePoint::up);
  return above > 0 ? std::max(beside, above) : kTimesFartherBeside * beside;
}

bool is_unsure(const PixelSums& sums, double least_confidence) {
  return static_cast<double>(sums.sureness) < least_confidence * kSureUnits * sums.pixels;
}

/// The pieces that each piece touches, once for each pair of pixels.
class TouchedPieces {
 public:
  TouchedPieces(std::size_t num_pieces, const std::vector<Contact>& contacts)
      : ends_(num_pieces + 1, 0), touched_(contacts.size()) {
    for (const auto& [piece, other] : contacts) ++ends_[piece + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    for (const auto& [piece, other] : contacts) touched_[ends_[piece]++] = other;  // then begins are ends
  }
  /// The accepted piece that a piece touches most, of several the first, or kNoObject.
  template <typename IsAccepted>
  std::uint32_t most_touched(std::uint32_t piece, const IsAccepted& is_accepted) {
    const auto begin = touched_.begin() + (piece == 0 ? 0 : ends_[piece - 1]), end = touched_.begin() + ends_[piece];
    std::sort(begin, end);
    std::uint32_t found = kNoObject;
    std::ptrdiff_t most = 0;
    for (auto at = begin; at != end;) {
      const auto next = std::upper_bound(at, end, *at);
      if (next - at > most && is_accepted(*at)) {
        most = next - at;
        found = *at;
      }
      at = next;
    }
    return found;
  }

 private:
  std::vector<std::ptrdiff_t> ends_;  // [piece]
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void PixelSums::add(const PixelSums& other) {
  pixels += other.pixels;
  known += other.known;
  left = std::min(left, other.left);
  top = std::min(top, other.top);
  right = std::max(right, other.right);
  bottom = std::max(bottom, other.bottom);
  sureness += other.sureness;
  across += other.across;
  forward += other.forward;
  up += other.up;
  area += other.area;
  lowest = lower(lowest, other.lowest);
  highest = higher(highest, other.highest);
  nearest = std::min(nearest, other.nearest);
}

MergedPieces merge_pieces(std::vector<Piece> pieces, const std::vector<Contact>& contacts, double least_confidence,
                          const ObjectOptions& options) {
  const auto num_pieces = static_cast<std::uint32_t>(pieces.size());
  const auto gap_mm = static_cast<std::int32_t>(1000 * options.gap_m);
  std::vector<std::uint32_t> order(num_pieces), into(num_pieces);
  std::iota(order.begin(), order.end(), 0u);
  into = order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return pieces[a].sums.area < pieces[b].sums.area; });
  std::map<std::uint16_t, std::vector<std::uint32_t>> of_label;  // as in `order`
  for (const std::uint32_t piece : order) of_label[pieces[piece].label].push_back(piece);
  TouchedPieces touched(num_pieces, contacts);
  for (const std::uint32_t piece : order) {
    const Piece& small = pieces[piece];
    if (small.is_cut) continue;  // else both sides of a cut could join a third piece
    std::uint32_t found = kNoObject;
    if (is_unsure(small.sums, least_confidence)) {
      found =
          touched.most_touched(piece, [&](std::uint32_t other) { return pieces[other].sums.area > small.sums.area; });
      into[piece] = found;
    } else {
      std::int32_t nearest = gap_mm + 1;
      const std::vector<std::uint32_t>& alike = of_label[small.label];
      for (std::size_t k = alike.size(); k-- > 0;) {
        const Piece& large = pieces[alike[k]];
        if (static_cast<double>(large.sums.area) < kTimesLarger * static_cast<double>(small.sums.area)) break;
        if (is_unsure(large.sums, least_confidence)) continue;
        if (const std::int32_t distance = distance_between(small.sums, large.sums); distance < nearest) {
          nearest = distance;
          found = alike[k];
        }
      }
      if (found != kNoObject) into[piece] = found;
    }
    if (found != kNoObject) pieces[found].sums.add(small.sums);
  }

  // Pieces were merged into larger ones, so that these know where they belong before the smaller ones ask.
  for (std::size_t i = num_pieces; i-- > 0;)
    if (std::uint32_t& of = into[order[i]]; of != kNoObject && of != order[i]) of = into[of];
  const double min_area = options.min_area_cm2 * 100 * static_cast<double>(kAreaUnits);
  MergedPieces merged;
  merged.object_of.assign(num_pieces, kNoObject);
  for (std::uint32_t piece = 0; piece < num_pieces; ++piece)
    if (into[piece] == piece && static_cast<double>(pieces[piece].sums.area) >= min_area) {
      merged.object_of[piece] = static_cast<std::uint32_t>(merged.objects.size());
      merged.objects.push_back(pieces[piece]);
    }
  for (std::uint32_t piece = 0; piece < num_pieces; ++piece)
    if (into[piece] != kNoObject) merged.object_of[piece] = merged.object_of[into[piece]];
  return merged;
}

}  // namespace fernwood::objects
