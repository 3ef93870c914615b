// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/objects/object_tracker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "image/registration.h"
#include "objects/object_cells.h"
#include "objects/object_formulas.h"

namespace fernwood::objects {

namespace {

/// Share of the doubt that a sighting removes, and of the confidence that remains after a frame in which the place was
/// seen through, or in which another object covered it.
constexpr float kRise = 0.3f, kFall = 0.45f, kFallCovered = 0.85f;
/// Below this confidence an object is gone.
constexpr float kLeastConfidence = 0.1f;
/// Tentative objects that have not been seen for this number of frames are forgotten.
constexpr std::uint64_t kTentativeFrames = 30;
/// An object that is seen in several parts in so many frames more than as a whole is several objects.
constexpr std::uint32_t kFramesInParts = 12;
/// Least share of an object's surface that another must cover to be the same.
constexpr double kLeastCovered = 0.3, kLeastCoveredOfOtherClass = 0.5;
/// Least share of a surface that is visible, and least share of this that is seen through, of an object that is not
/// there.
constexpr double kLeastVisible = 0.4, kLeastThrough = 0.5;
/// Share of a surface that is seen through in an object that moves.
constexpr double kThroughInMotion = 0.1;
/// Least overlap of two distributions of classes that may be of one object.
constexpr double kLeastClassOverlap = 0.25;
/// Distances within which an object that left its place is found again, in metres: in the next frame, and later.
constexpr float kNextFrameM = 0.5f, kLaterM = 1.5f;
constexpr float kLargestSizeRatio = 1.6f;
/// What cells lose where the background, or another object at their place, is seen.
constexpr int kLossThrough = 2, kLossOther = 1;
/// The mean of depths reaches a pixel farther for each so many mm2 of squared depth, up to the largest reach: the noise
/// of structured light is 7 mm at 2.4 m, a pixel's reach lowers it to a third.
constexpr std::size_t kMm2PerReach = 6'000'000, kMostReach = 3;

}  // namespace

enum class Sight : std::uint8_t { kHidden, kThrough, kHere };

/// How a cell is seen in a frame, and the number of the object there.
struct CellSight {
  Sight sight = Sight::kHidden;
  std::uint16_t number = image::kNoInstance;
};

/// How an object of the list is seen in a frame.
struct ObjectSight {
  std::vector<CellSight> cells;
  std::vector<std::uint32_t> on_number;  // [number] cells that are here
  std::uint32_t visible = 0;
  std::uint64_t weight = 0, weight_visible = 0, weight_through = 0;
  std::uint16_t found_as = image::kNoInstance;

  bool is_through() const {
    return static_cast<double>(weight_visible) >= kLeastVisible * static_cast<double>(weight) &&
           static_cast<double>(weight_through) >= kLeastThrough * static_cast<double>(weight_visible) &&
           weight_through > 0;
  }
};

namespace {

/// [class] Sum 1, unless no class is known.
std::vector<double> distribution(const Object& object, std::size_t num_classes) {
  std::vector<double> shares(std::max(num_classes, std::size_t{object.label} + 1), 0.0);
  if (object.probabilities.empty()) {
    shares[object.label] = 1;
  } else {
    shares.resize(std::max(shares.size(), object.probabilities.size()), 0.0);
    std::ranges::copy(object.probabilities, shares.begin());
  }
  return shares;
}

double class_overlap(const std::vector<double>& a, const std::vector<double>& b) {
  double sum_a = 0, sum_b = 0, common = 0;
  for (const double score : a) sum_a += score;
  for (const double score : b) sum_b += score;
  if (!(sum_a > 0 && sum_b > 0)) return 0;
  for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c) common += std::min(a[c] / sum_a, b[c] / sum_b);
  return common;
}

bool have_compatible_classes(const TrackedObject& object, const Object& found) {
  return object.label == found.label ||
         class_overlap(object.scores, distribution(found, object.scores.size())) >= kLeastClassOverlap;
}

void set_label(TrackedObject& object) {
  object.label = static_cast<std::uint16_t>(std::ranges::max_element(object.scores) - object.scores.begin());
}

std::array<float, 3> sorted_sides(const Box& box) {
  std::array<float, 3> sides = {box.size.x, box.size.y, box.size.z};
  std::ranges::sort(sides);
  return sides;
}

}  // namespace

std::string to_string(ObjectState state) {
  switch (state) {
    case ObjectState::kTentative:
      return "tentative";
    case ObjectState::kConfirmed:
      return "confirmed";
    case ObjectState::kMoved:
      return "moved";
    case ObjectState::kGone:
      return "gone";
  }
  return "";
}

float largest_side(const Box& box) { return std::max({box.size.x, box.size.y, box.size.z}); }

float distance_m(const image::Vector3& a, const image::Vector3& b) {
  const image::Vector3 way = {a.x - b.x, a.y - b.y, a.z - b.z};
  return std::sqrt(dot(way, way));
}

bool have_similar_sizes(const Box& a, const Box& b) {
  const std::array<float, 3> sides_a = sorted_sides(a), sides_b = sorted_sides(b);
  // The smallest side of a surface seen from one direction says little.
  for (std::size_t i = 1; i < 3; ++i) {
    const auto [least, most] = std::minmax(sides_a[i], sides_b[i]);
    if (most > kLargestSizeRatio * least + kObjectCellM) return false;
  }
  return true;
}

float TrackedObject::moved_m() const { return distance_m(box.center, home); }

double TrackedObject::class_probability() const {
  double sum = 0;
  for (const double score : scores) sum += score;
  return sum > 0 ? scores[label] / sum : 0;
}

/// A frame as tracked objects see it.
struct ObjectTracker::Frame {
  Frame(const FrameObjects& found, const image::FrameImages& frame)
      : numbers(found.numbers),
        depth_mm(image::filled_depth(frame, image::DepthFilling::kNone)),
        camera(image::camera_of(frame)),
        pose(frame.pose.value_or(image::RigidMotion())),
        to_camera(image::inverse(pose)),
        object_of(found.objects.size(), kNone) {
    for (const Object& object : found.objects) {
      objects.push_back(moved(object, pose));
      cells.push_back(cells_of(object));
    }
  }

  /// Whether a neighbouring pixel is of a nearer surface: the depth may be between that and what is behind it.
  bool is_at_edge(std::size_t row, std::size_t col) const {
    const auto is_step = [&](std::size_t other_row, std::size_t other_col) {
      const std::uint16_t other = depth_mm(other_row, other_col);
      return other != 0 && other < depth_mm(row, col) && !is_one_surface(depth_mm(row, col), other);
    };
    return (row > 0 && is_step(row - 1, col)) || (row + 1 < depth_mm.rows() && is_step(row + 1, col)) ||
           (col > 0 && is_step(row, col - 1)) || (col + 1 < depth_mm.cols() && is_step(row, col + 1));
  }

  /// Mean depth of an object's pixel and of pairs of opposite pixels around it, in a window that grows with depth as
  /// noise does. Pairs, since a mean over all pixels nearby would draw in the edges of slanted surfaces.
  float smooth_depth_mm(std::size_t row, std::size_t col) const {
    const std::int32_t depth = depth_mm(row, col);
    const std::size_t last_row = depth_mm.rows() - 1, last_col = depth_mm.cols() - 1;
    const auto reach = static_cast<std::ptrdiff_t>(
        std::min({static_cast<std::size_t>(depth) * static_cast<std::size_t>(depth) / kMm2PerReach, kMostReach, row,
                  col, last_row - row, last_col - col}));
    const auto cols = static_cast<std::ptrdiff_t>(depth_mm.cols());
    const std::uint16_t* const depths = &depth_mm(row, col);
    const std::uint16_t* const number = &numbers(row, col);
    std::int32_t sum = depth, count = 1;
    for (std::ptrdiff_t down = 0; down <= reach; ++down)
      for (std::ptrdiff_t right = down == 0 ? 1 : -reach; right <= reach; ++right) {
        const std::ptrdiff_t step = down * cols + right;
        const std::int32_t a = depths[step], b = depths[-step];
        if (number[step] != *number || number[-step] != *number || a == 0 || b == 0 || !is_one_surface(depth, a) ||
            !is_one_surface(depth, b))
          continue;
        sum += a + b;
        count += 2;
      }
    return static_cast<float>(sum) / static_cast<float>(count);
  }

  std::vector<ObjectCell> cells_of(const Object& object) const {
    const float pixels_per_cell = kObjectCellM * camera.fx / std::max(object.distance_m, 0.1f);
    const int stride = std::clamp(static_cast<int>(0.75f * pixels_per_cell), 1, 16);
    std::vector<ObjectCell> inner, all;
    for (int y = object.top; y <= object.bottom; y += stride)
      for (int x = object.left; x <= object.right; x += stride) {
        const auto row = static_cast<std::size_t>(y), col = static_cast<std::size_t>(x);
        if (numbers(row, col) != object.number || depth_mm(row, col) == 0) continue;
        const float z = 0.001f * smooth_depth_mm(row, col), u = (static_cast<float>(x) - camera.cx) / camera.fx,
                    v = (static_cast<float>(y) - camera.cy) / camera.fy;
        const std::optional<ObjectCell> cell = cell_at(pose({u * z, v * z, z}));
        if (!cell) continue;
        if (all.empty() || all.back() != *cell) all.push_back(*cell);
        if (!is_at_edge(row, col) && (inner.empty() || inner.back() != *cell)) inner.push_back(*cell);
      }
    std::vector<ObjectCell>& chosen = inner.empty() ? all : inner;
    sort_cells(chosen);
    return std::move(chosen);
  }

  CellSight look(const ObjectCell& cell) const {
    const image::DepthView view = {depth_mm, camera};
    const image::Vector3 place = to_camera(middle_of(cell));
    const auto pixel = view.pixel(place);
    if (!pixel) return {};
    const std::int32_t depth = depth_mm((*pixel)[0], (*pixel)[1]);
    if (depth == 0) return {};
    const std::int32_t behind = depth - round_to_int(1000 * place.z), limit = step_limit_mm(depth);
    if (behind < -limit) return {};
    // Half the limit: what a pixel's noise hides, most cells together show.
    if (2 * behind > limit) return {Sight::kThrough, image::kNoInstance};
    return {Sight::kHere, numbers((*pixel)[0], (*pixel)[1])};
  }

  ObjectSight look(const TrackedObject& object) const {
    ObjectSight sight;
    sight.on_number.resize(objects.size() + 1);
    sight.cells.resize(object.cells.size());
    for (const ObjectCell& cell : object.cells) sight.weight += cell.weight;
    const float radius = std::sqrt(dot(object.box.size, object.box.size));
    if (to_camera(object.box.center).z < -radius) return sight;
    for (std::size_t i = 0; i < sight.cells.size(); ++i) {
      const CellSight seen = sight.cells[i] = look(object.cells[i]);
      if (seen.sight == Sight::kHidden) continue;
      ++sight.visible;
      sight.weight_visible += object.cells[i].weight;
      if (seen.sight == Sight::kThrough) sight.weight_through += object.cells[i].weight;
      if (seen.sight == Sight::kHere) ++sight.on_number[seen.number];
    }
    return sight;
  }

  const image::InstanceImage& numbers;
  Array2<std::uint16_t> depth_mm;
  image::Camera camera;
  image::RigidMotion pose, to_camera;
  std::vector<Object> objects;                 // [number - 1] In room coordinates
  std::vector<std::vector<ObjectCell>> cells;  // [number - 1]
  std::vector<ObjectSight> sights;             // [object of the list]
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> object_of;  // [number - 1] of the list, or kNone
};

namespace {

struct Candidate {
  bool of_other_class;
  double distance;  // in space, or 1 - the share that is common
  std::size_t object;
  std::uint16_t number;

  auto key() const { return std::tie(of_other_class, distance, object, number); }
};

/// Chooses candidates one after another, each object once. @param match  Called for each.
template <typename Frame, typename Match>
void choose(std::vector<Candidate> candidates, Frame& frame, const Match& match) {
  std::ranges::sort(candidates, {}, &Candidate::key);
  for (const Candidate& candidate : candidates) {
    ObjectSight& sight = frame.sights[candidate.object];
    std::size_t& object = frame.object_of[candidate.number - 1u];
    if (sight.found_as != image::kNoInstance || object != Frame::kNone) continue;
    sight.found_as = candidate.number;
    object = candidate.object;
    match(candidate);
  }
}

/// Takes weight from the cells in which something else was seen. Of an object in motion, all cells in which it was not
/// seen are dropped, and no cell outweighs those of its new place. @param seen  Cells in which the object was seen.
void weaken_cells(TrackedObject& object, const ObjectSight& sight, const std::vector<ObjectCell>& seen) {
  const bool moves = static_cast<double>(sight.weight_through) > kThroughInMotion * static_cast<double>(sight.weight);
  auto next = seen.begin();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < object.cells.size(); ++i) {
    ObjectCell cell = object.cells[i];
    while (next != seen.end() && *next < cell) ++next;
    const bool is_seen = next != seen.end() && std::is_eq(*next <=> cell);
    const auto [how, number] = sight.cells[i];
    int loss = 0;
    // What is no object is often the border of this one.
    const bool is_here =
        is_seen || (how == Sight::kHere && (number == sight.found_as || (number == image::kNoInstance && !moves)));
    if (!is_here && moves)
      loss = kMaxCellWeight;
    else if (!is_here && how != Sight::kHidden)
      loss = how == Sight::kThrough ? kLossThrough : kLossOther;
    if (cell.weight <= loss) continue;
    cell.weight = moves ? std::uint16_t{1} : static_cast<std::uint16_t>(cell.weight - loss);
    object.cells[kept++] = cell;
  }
  object.cells.resize(kept);
}

/// Sets the state of an object that is there.
void settle(TrackedObject& object) {
  if (object.sightings < kConfirmingSightings) return;
  object.state = object.moved_m() > largest_side(object.box) ? ObjectState::kMoved : ObjectState::kConfirmed;
}

}  // namespace

ObjectTracker::ObjectTracker(std::vector<TrackedObject> objects, std::uint32_t next_id, std::uint64_t num_frames)
    : objects_(std::move(objects)), next_id_(next_id), num_frames_(num_frames) {
  for (TrackedObject& object : objects_) {
    set_label(object);
    measure_cells(object);
  }
}

void ObjectTracker::sight(TrackedObject& object, const Object& found, const std::vector<ObjectCell>& cells, bool anew) {
  const std::vector<double> shares = distribution(found, object.scores.size());
  object.scores.resize(shares.size(), 0.0);
  for (std::size_t c = 0; c < shares.size(); ++c) object.scores[c] += shares[c];
  set_label(object);
  if (anew) object.cells.clear();
  add_cells(object.cells, cells);
  const image::Vector3& up = found.box.axes[2];
  object.up = {object.up.x + up.x, object.up.y + up.y, object.up.z + up.z};
  measure_cells(object);
  object.confidence += kRise * (1 - object.confidence);
  object.last = now_;
  if (++object.sightings == kConfirmingSightings) object.home = object.box.center;
  settle(object);
}

std::vector<std::uint32_t> ObjectTracker::update(const FrameObjects& found, const image::FrameImages& images,
                                                 double seconds) {
  const DefaultFloats floats;
  FW_CHECK(images.has_depth(), Data, "objects are tracked by depth, which the frame lacks");
  now_ = {num_frames_++, seconds};
  Frame frame(found, images);
  for (const TrackedObject& object : objects_) frame.sights.push_back(frame.look(object));
  find_in_place(frame);
  find_moved(frame);
  add_others(frame);
  doubt_missing(frame);
  std::vector<std::uint32_t> ids(frame.objects.size(), kNoId);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (frame.object_of[i] != Frame::kNone) ids[i] = objects_[frame.object_of[i]].id;
  forget();
  reunite(ids);
  return ids;
}

void ObjectTracker::find_in_place(Frame& frame) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < objects_.size(); ++i)
    for (const Object& other : frame.objects) {
      const ObjectSight& sight = frame.sights[i];
      const double hits = sight.on_number[other.number], covered = hits / sight.visible,
                   covers = hits / static_cast<double>(frame.cells[other.number - 1u].size());
      if (hits == 0 || frame.cells[other.number - 1u].empty()) continue;
      const bool is_other = !have_compatible_classes(objects_[i], other);
      if (is_other ? std::min(covered, covers) < kLeastCoveredOfOtherClass : std::max(covered, covers) < kLeastCovered)
        continue;
      candidates.push_back({is_other, 1 - std::min({covered, covers, 1.0}), i, other.number});
    }
  choose(std::move(candidates), frame, [&](const Candidate& match) {
    const std::vector<ObjectCell>& cells = frame.cells[match.number - 1u];
    weaken_cells(objects_[match.object], frame.sights[match.object], cells);
    sight(objects_[match.object], frame.objects[match.number - 1u], cells, false);
  });
}

void ObjectTracker::find_moved(Frame& frame) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (objects_[i].state == ObjectState::kGone || !frame.sights[i].is_through()) continue;
    for (const Object& other : frame.objects) {
      const float distance = distance_m(objects_[i].box.center, other.box.center);
      if (frame.cells[other.number - 1u].empty() || objects_[i].label != other.label || distance > kNextFrameM ||
          !have_similar_sizes(objects_[i].box, other.box))
        continue;
      candidates.push_back({false, static_cast<double>(distance), i, other.number});
    }
  }
  choose(std::move(candidates), frame, [&](const Candidate& match) {
    sight(objects_[match.object], frame.objects[match.number - 1u], frame.cells[match.number - 1u], true);
  });
}

void ObjectTracker::add_others(Frame& frame) {
  const std::size_t num_before = frame.sights.size();
  std::vector<bool> is_in_parts(num_before, false);
  for (const Object& other : frame.objects) {
    const std::vector<ObjectCell>& cells = frame.cells[other.number - 1u];
    std::size_t& object = frame.object_of[other.number - 1u];
    if (object != Frame::kNone || cells.empty()) continue;
    for (object = 0; object < num_before; ++object) {
      const ObjectSight& sight = frame.sights[object];
      if (sight.found_as != image::kNoInstance && objects_[object].in_parts < kFramesInParts &&
          have_compatible_classes(objects_[object], other) &&
          sight.on_number[other.number] >= kLeastThrough * static_cast<double>(cells.size()))
        break;
    }
    if (object < num_before) {
      is_in_parts[object] = true;
      add_cells(objects_[object].cells, cells);
      measure_cells(objects_[object]);
      continue;
    }
    object = objects_.size();
    TrackedObject& added = objects_.emplace_back();
    added.id = next_id_++;
    added.first = now_;
    sight(added, other, cells, true);
  }
  for (std::size_t i = 0; i < num_before; ++i)
    if (is_in_parts[i])
      ++objects_[i].in_parts;
    else if (frame.sights[i].found_as != image::kNoInstance && objects_[i].in_parts > 0)
      --objects_[i].in_parts;
}

void ObjectTracker::doubt_missing(const Frame& frame) {
  for (std::size_t i = 0; i < frame.sights.size(); ++i) {
    TrackedObject& object = objects_[i];
    const ObjectSight& sight = frame.sights[i];
    if (sight.found_as != image::kNoInstance || object.state == ObjectState::kGone) continue;
    std::uint64_t covered = 0;
    for (std::size_t k = 1; k < sight.on_number.size(); ++k) covered += sight.on_number[k];
    if (sight.is_through())
      object.confidence *= kFall;
    else if (static_cast<double>(covered) >= kLeastThrough * static_cast<double>(object.cells.size()))
      object.confidence *= kFallCovered;
    if (sight.is_through() && object.is_known() && object.confidence < kLeastConfidence)
      object.state = ObjectState::kGone;
  }
}

void ObjectTracker::forget() {
  std::erase_if(objects_, [&](const TrackedObject& object) {
    const bool is_gone = object.state == ObjectState::kGone;
    return (!is_gone && object.confidence < kLeastConfidence) ||
           (!object.is_known() && object.last.frame + kTentativeFrames < now_.frame);
  });
}

void ObjectTracker::reunite(std::vector<std::uint32_t>& ids) {
  for (TrackedObject& gone : objects_) {
    if (gone.state != ObjectState::kGone) continue;
    const TrackedObject* nearest = nullptr;
    for (const TrackedObject& other : objects_) {
      const float distance = distance_m(gone.box.center, other.box.center);
      if (!other.is_known() || other.state == ObjectState::kGone || other.first.frame <= gone.last.frame ||
          other.label != gone.label || !have_similar_sizes(gone.box, other.box) || distance > kLaterM)
        continue;
      if (!nearest || distance < distance_m(gone.box.center, nearest->box.center)) nearest = &other;
    }
    if (!nearest) continue;
    const std::uint32_t id = nearest->id;
    const std::vector<double> scores = gone.scores;
    std::ranges::replace(ids, id, gone.id);
    gone = TrackedObject{.id = gone.id,
                         .label = nearest->label,
                         .scores = nearest->scores,
                         .confidence = nearest->confidence,
                         .sightings = gone.sightings + nearest->sightings,
                         .first = gone.first,
                         .last = nearest->last,
                         .place = nearest->place,
                         .box = nearest->box,
                         .home = gone.home,
                         .up = nearest->up,
                         .cells = nearest->cells,
                         .in_parts = nearest->in_parts};
    for (std::size_t c = 0; c < std::min(scores.size(), gone.scores.size()); ++c) gone.scores[c] += scores[c];
    set_label(gone);
    settle(gone);
    std::erase_if(objects_, [&](const TrackedObject& other) { return other.id == id; });
    return reunite(ids);  // the list has changed
  }
}

}  // namespace fernwood::objects
