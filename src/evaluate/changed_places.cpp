// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/changed_places.h"

#include <algorithm>

namespace fernwood::evaluate {

namespace {

/// Frames for which a changed place is followed; a place that is not labelled correctly by then counts as lost.
constexpr std::size_t kMaxLagFrames = 300;

/// What a view contains in the direction of a place.
enum class Sight {
  kUnknown,  ///< The place is outside of the frame, or depth is unknown.
  kSame,     ///< A surface at the place.
  kThrough,  ///< A surface behind the place, which is therefore empty.
  kHidden    ///< A surface in front of the place.
};

struct Look {
  Sight sight = Sight::kUnknown;
  std::size_t row = 0, col = 0;
};

Look look_at(const image::DepthView& view, const image::Vector3& place) {
  const auto pixel = view.pixel(place);
  if (!pixel) return {};
  const auto [row, col] = *pixel;
  if (view.depth_mm(row, col) == 0) return {};
  if (view.visible_pixel(place)) return {Sight::kSame, row, col};
  const bool is_behind = 0.001f * static_cast<float>(view.depth_mm(row, col)) > place.z;
  return {is_behind ? Sight::kThrough : Sight::kHidden, row, col};
}

/// A change of class at a pixel: the earlier class, and whether an object has moved away from there.
struct Change {
  std::uint16_t earlier;
  bool was_left;
};

/// @param back  Motion from the camera frame of `now` to that of `before`.
std::optional<Change> find_change(const SeenFrame& before, const SeenFrame& now, const image::RigidMotion& back,
                                  std::size_t row, std::size_t col) {
  const std::uint16_t truth = (*now.truth)(row, col);
  if (truth == image::kVoid) return std::nullopt;
  const image::DepthView view = now.view(), earlier_view = before.view();
  const Look earlier = look_at(earlier_view, back(view.place(row, col)));
  if (earlier.sight == Sight::kUnknown) return std::nullopt;
  const std::uint16_t class_before = (*before.truth)(earlier.row, earlier.col);
  if (class_before == image::kVoid || class_before == truth) return std::nullopt;
  if (earlier.sight != Sight::kHidden) return Change{class_before, false};
  // The place may only have become visible: the surface that was in front of it must be gone.
  const image::Vector3 front = image::inverse(back)(earlier_view.place(earlier.row, earlier.col));
  if (look_at(view, front).sight != Sight::kThrough) return std::nullopt;
  return Change{class_before, true};
}

}  // namespace

void ChangedPlaces::compare(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores) {
  follow(now, scores);
  find(before, now, scores);
}

void ChangedPlaces::follow(const SeenFrame& now, std::vector<SequenceScore>& scores) {
  const image::DepthView view = now.view();
  const image::RigidMotion to_camera = image::inverse(*now.captured.pose);
  std::erase_if(places_, [&](Place& place) {
    ++place.age;
    const auto pixel = view.visible_pixel(to_camera(place.in_room));
    const bool is_there = pixel && (*now.truth)((*pixel)[0], (*pixel)[1]) == place.truth;
    if (!is_there || place.age > kMaxLagFrames) {
      lose(place, scores);
      return true;
    }
    judge(place, now, (*pixel)[0], (*pixel)[1], scores);
    const bool all_right = std::ranges::find(place.is_right, false) == place.is_right.end();
    return all_right && (!place.was_left || place.age >= kShadowFrames);
  });
}

void ChangedPlaces::find(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores) {
  const image::DepthView view = now.view();
  const image::RigidMotion back = image::then(*now.captured.pose, image::inverse(*before.captured.pose));
  for_each_known(view, [&](std::size_t row, std::size_t col) {
    const std::optional<Change> change = find_change(before, now, back, row, col);
    if (!change) return;
    ++num_found_;
    places_.push_back({(*now.captured.pose)(view.place(row, col)), (*now.truth)(row, col), change->earlier,
                       change->was_left, 0, std::vector<bool>(scores.size(), false)});
    judge(places_.back(), now, row, col, scores);
  });
}

void ChangedPlaces::judge(Place& place, const SeenFrame& now, std::size_t row, std::size_t col,
                          std::vector<SequenceScore>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::uint16_t label = now.labels[i](row, col);
    if (label == place.truth && !place.is_right[i]) {
      scores[i].lag.add(place.age);
      place.is_right[i] = true;
    }
    if (place.was_left && place.age >= 1 && place.age <= kShadowFrames)
      scores[i].shadow[place.age - 1].add(label == place.earlier);
  }
}

void ChangedPlaces::lose(const Place& place, std::vector<SequenceScore>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!place.is_right[i]) ++scores[i].lag.lost;
}

void ChangedPlaces::lose_all(std::vector<SequenceScore>& scores) {
  for (const Place& place : places_) lose(place, scores);
  places_.clear();
}

}  // namespace fernwood::evaluate
