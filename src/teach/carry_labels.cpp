// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_carrier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace fernwood::teach {

namespace {

using image::DepthView;
using image::RigidMotion;

constexpr std::size_t kCell = 8;     // pixels per side: cells in which source pixels are searched for
constexpr std::size_t kFitStep = 8;  // pixels between samples for testing the poses

/// A source frame, and the motions between its camera coordinates and those of the target frame.
struct Giver {
  std::size_t index = 0;
  const LabelledView* view = nullptr;
  RigidMotion forth, back;
  std::size_t num_seen = 0;         ///< Visible ones among its labelled pixels; computed for each source separately.
  Array2<std::uint8_t> cells = {};  ///< Of the target frame: where labels of the source may be.
};

/// Whether more of the source's surface is confirmed in the other frame than is transparent there.
bool fits(const Giver& giver, const DepthView& to) {
  const DepthView from = giver.view->depth();
  std::size_t num_found = 0, num_through = 0;
  for (std::size_t row = kFitStep / 2; row < from.depth_mm.rows(); row += kFitStep)
    for (std::size_t col = kFitStep / 2; col < from.depth_mm.cols(); col += kFitStep) {
      if (from.depth_mm(row, col) == 0) continue;
      const image::Vector3 place = giver.forth(from.place(row, col));
      const auto seen = to.pixel(place);
      if (!seen) continue;
      const float behind_m = 0.001f * static_cast<float>(to.depth_mm((*seen)[0], (*seen)[1])) - place.z;
      num_found += std::abs(behind_m) <= image::kVisibleShare * place.z;
      num_through += behind_m > image::kVisibleShare * place.z;
    }
  return num_found > num_through;
}

/// Marks the cells of the target in which labelled points of the source may be, occluded or not, and counts the visible
/// ones.
void look(Giver& giver, const DepthView& to) {
  const LabelledView& view = *giver.view;
  const DepthView from = view.depth();
  const std::size_t cols = view.depth_mm.cols();
  Array2<std::uint8_t>& cells = giver.cells;
  cells = {(to.depth_mm.rows() + kCell - 1) / kCell, (to.depth_mm.cols() + kCell - 1) / kCell, 0};
  for (const std::uint32_t pixel : view.labelled) {
    const image::Vector3 place = giver.forth(from.place(pixel / cols, pixel % cols));
    const auto seen = to.pixel(place);
    if (!seen) continue;
    giver.num_seen += to.visible_pixel(place).has_value();
    const auto [row, col] = std::array{(*seen)[0] / kCell, (*seen)[1] / kCell};
    // Also marks adjacent cells, because positions are rounded to pixels.
    for (std::size_t y = row == 0 ? 0 : row - 1; y < std::min(row + 2, cells.rows()); ++y)
      for (std::size_t x = col == 0 ? 0 : col - 1; x < std::min(col + 2, cells.cols()); ++x) cells(y, x) = 1;
  }
}

std::vector<Giver> choose_givers(std::span<const LabelledView* const> from, const DepthView& to,
                                 const RigidMotion& pose) {
  const RigidMotion from_room = image::inverse(pose);
  std::vector<Giver> givers;
  for (std::size_t i = 0; i < from.size(); ++i) {
    Giver giver = {i, from[i], then(from[i]->pose, from_room), then(pose, image::inverse(from[i]->pose))};
    look(giver, to);
    if (giver.num_seen > 0 && fits(giver, to)) givers.push_back(std::move(giver));
  }
  std::ranges::stable_sort(givers, std::greater{}, &Giver::num_seen);
  if (givers.size() > kMaxSources) givers.resize(kMaxSources);
  std::ranges::sort(givers, {}, &Giver::index);
  return givers;
}

/// Label and weight that sources assign to a pixel.
struct Vote {
  std::uint16_t number = image::kVoid;
  std::size_t count = 0;
  std::uint16_t nearest_mm = 0;
};

class Ballot {
 public:
  void add(std::uint16_t number, std::uint16_t depth_mm) {
    for (std::size_t i = 0; i < size_; ++i)
      if (votes_[i].number == number) {
        ++votes_[i].count;
        votes_[i].nearest_mm = std::min(votes_[i].nearest_mm, depth_mm);
        return;
      }
    votes_[size_++] = {number, 1, depth_mm};
  }
  std::uint16_t winner() const {
    const Vote* best = votes_.data();
    for (const Vote* vote = votes_.data(); vote != votes_.data() + size_; ++vote)
      if (vote->count > best->count || (vote->count == best->count && vote->nearest_mm < best->nearest_mm)) best = vote;
    return size_ == 0 ? image::kVoid : best->number;
  }

 private:
  std::array<Vote, kMaxSources> votes_;
  std::size_t size_ = 0;
};

/// The pixel of the source that shows the same point as a pixel of the target, if it has a label.
std::optional<std::array<std::size_t, 2>> labelled_pixel(const Giver& giver, const image::Vector3& place) {
  const auto seen = giver.view->depth().visible_pixel(giver.back(place));
  if (!seen || giver.view->numbers((*seen)[0], (*seen)[1]) == image::kVoid) return std::nullopt;
  return seen;
}

}  // namespace

LabelledView::LabelledView(image::RigidMotion pose, const image::Camera& camera, Array2<std::uint16_t> depth_mm,
                           image::LabelImage numbers)
    : pose(std::move(pose)), camera(camera), depth_mm(std::move(depth_mm)), numbers(std::move(numbers)) {
  for (std::size_t i = 0; i < this->numbers.size(); ++i) {
    if (this->numbers.data()[i] == image::kVoid || this->depth_mm.data()[i] == 0) continue;
    const image::Vector3 place = depth().place(i / this->numbers.cols(), i % this->numbers.cols());
    if (labelled.empty()) least = most = place;
    least = {std::min(least.x, place.x), std::min(least.y, place.y), std::min(least.z, place.z)};
    most = {std::max(most.x, place.x), std::max(most.y, place.y), std::max(most.z, place.z)};
    labelled.push_back(static_cast<std::uint32_t>(i));
  }
}

bool may_see(const LabelledView& from, const RigidMotion& pose, const image::Camera& camera) {
  const RigidMotion motion = then(from.pose, image::inverse(pose));
  // Half-spaces: behind the camera, left, right, above, below. If all corners of the box lie in one of them, the box is
  // invisible.
  std::array<std::size_t, 5> num_beyond{};
  for (int corner = 0; corner < 8; ++corner) {
    const auto& [x, y, z] = motion({corner & 1 ? from.most.x : from.least.x, corner & 2 ? from.most.y : from.least.y,
                                    corner & 4 ? from.most.z : from.least.z});
    const float col = x * camera.fx + (camera.cx + 1) * z, row = y * camera.fy + (camera.cy + 1) * z;
    num_beyond[0] += z <= 0;
    num_beyond[1] += col < 0;
    num_beyond[2] += col > static_cast<float>(camera.cols + 1) * z;
    num_beyond[3] += row < 0;
    num_beyond[4] += row > static_cast<float>(camera.rows + 1) * z;
  }
  return !from.labelled.empty() && std::ranges::count(num_beyond, 8u) == 0;
}

HandedLabels carry_labels(std::span<const LabelledView* const> from, const DepthView& to, const RigidMotion& pose) {
  const std::size_t rows = to.depth_mm.rows(), cols = to.depth_mm.cols();
  HandedLabels handed = {image::LabelImage(rows, cols, image::kVoid), std::vector<std::size_t>(from.size())};
  const std::vector<Giver> givers = choose_givers(from, to, pose);
  std::vector<const Giver*> here;                            // sources of a cell
  std::vector<std::pair<std::size_t, std::uint16_t>> votes;  // source and class
  const auto decide = [&](std::size_t row, std::size_t col) {
    const image::Vector3 place = to.place(row, col);
    Ballot ballot;
    votes.clear();
    for (const Giver* giver : here) {
      const auto seen = labelled_pixel(*giver, place);
      if (!seen) continue;
      const LabelledView& view = *giver->view;
      ballot.add(view.numbers((*seen)[0], (*seen)[1]), view.depth_mm((*seen)[0], (*seen)[1]));
      votes.emplace_back(giver->index, view.numbers((*seen)[0], (*seen)[1]));
    }
    handed.numbers(row, col) = ballot.winner();
    for (const auto& [source, number] : votes) handed.num_pixels[source] += number == handed.numbers(row, col);
  };
  for (std::size_t top = 0; top < rows; top += kCell)
    for (std::size_t left = 0; left < cols; left += kCell) {
      here.clear();
      for (const Giver& giver : givers)
        if (giver.cells(top / kCell, left / kCell)) here.push_back(&giver);
      if (here.empty()) continue;
      for (std::size_t row = top; row < std::min(top + kCell, rows); ++row)
        for (std::size_t col = left; col < std::min(left + kCell, cols); ++col)
          if (to.depth_mm(row, col) != 0) decide(row, col);
    }
  return handed;
}

}  // namespace fernwood::teach
