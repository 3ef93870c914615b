// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Objects over time: those of successive frames get the identities of one list, which notices what is no longer there
// and what has moved.

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/objects/objects.h"

namespace fernwood::objects {

enum class ObjectState {
  kTentative,  ///< Seen in fewer than kConfirmingSightings frames.
  kConfirmed,
  kMoved,  ///< Now farther than its size from where it was when it was confirmed.
  kGone    ///< Its last place was seen through, and it has not been found elsewhere.
};
inline constexpr std::uint32_t kConfirmingSightings = 3;

/// Name in JSON.
std::string to_string(ObjectState state);

/// A frame in the sequence of those of a tracker, and its time.
struct Moment {
  std::uint64_t frame = 0;  ///< From 0.
  double seconds = 0;
  bool operator==(const Moment&) const = default;
};

/// A cube of kObjectCellM that the surface of an object passes through.
struct ObjectCell {
  std::int16_t x = 0, y = 0, z = 0;  ///< Its lowest corner, in units of its side, in room coordinates.
  std::uint16_t weight = 0;          ///< Rises with each frame that sees the object there, and falls with others.

  bool operator==(const ObjectCell&) const = default;
  /// By place only.
  auto operator<=>(const ObjectCell& other) const {
    if (x != other.x) return x <=> other.x;
    return y != other.y ? y <=> other.y : z <=> other.z;
  }
};
inline constexpr float kObjectCellM = 0.02f;
inline constexpr std::uint16_t kMaxCellWeight = 6;

/// An object that persists.
struct TrackedObject {
  std::uint32_t id = 0;  ///< From 1, never used again.
  ObjectState state = ObjectState::kTentative;
  std::uint16_t label = 0;        ///< Class with the largest score, the first of equal ones.
  std::vector<double> scores;     ///< [class] Sums of the probabilities of its sightings.
  float confidence = 0;           ///< That it is there: rises with each sighting, falls when its place is seen through.
  std::uint32_t sightings = 0;    ///< Number of frames in which it was found.
  Moment first, last;             ///< First and last of these.
  image::Vector3 place = {};      ///< Mean of its surface, room coordinates.
  Box box = {};                   ///< Around its surface.
  image::Vector3 home = {};       ///< Centre of the box when it was confirmed.
  image::Vector3 up = {};         ///< Sum of the up directions of its sightings.
  std::vector<ObjectCell> cells;  ///< Its surface, ascending.
  std::uint32_t in_parts = 0;     ///< Sightings in several parts, less those as a whole.

  /// Whether it was confirmed, and is or was there.
  bool is_known() const { return state != ObjectState::kTentative; }
  /// Distance from its home.
  float moved_m() const;
  /// Mean probability of its class over the sightings.
  double class_probability() const;
};

/// The largest side of a box.
float largest_side(const Box& box);
/// Distance of two points.
float distance_m(const image::Vector3& a, const image::Vector3& b);
/// Whether two boxes may be of one object seen at different places, by their sizes.
bool have_similar_sizes(const Box& a, const Box& b);

/// Assigns the objects of successive frames to a list. Deterministic; uses the calling thread only.
/// - An object is that of the list whose surface it covers most, in space, among those of a compatible class, or of any
///   class where both cover each other.
/// - An object of the list that is not found, and half of whose visible surface is nearer than the depth there, loses
///   confidence, and after several such frames it is gone. Where it is occluded, outside of the frame, or only labelled
///   otherwise, nothing changes.
/// - One of the same class and of similar size that appears nearby after another has gone is the same, moved.
class ObjectTracker {
 public:
  ObjectTracker() = default;
  /// Continues a list. Boxes, places and labels are computed again from cells and scores.
  /// @param num_frames  Number of frames so far.
  ObjectTracker(std::vector<TrackedObject> objects, std::uint32_t next_id, std::uint64_t num_frames);

  /// @param found    Of ObjectFinder::find() for this frame.
  /// @param frame    Depth, camera and pose are read; without a pose, the coordinates are the camera's. All poses must
  ///                 be in the same coordinates.
  /// @param seconds  Time of the frame.
  /// @return  [number - 1] Ids of the found objects; kNoId for one without depth. Parts of an object share its id.
  /// @throws Error(kData) for a frame without depth.
  std::vector<std::uint32_t> update(const FrameObjects& found, const image::FrameImages& frame, double seconds);

  static constexpr std::uint32_t kNoId = 0;
  /// In the order of ids.
  std::span<const TrackedObject> objects() const { return objects_; }
  std::uint32_t next_id() const { return next_id_; }
  std::uint64_t num_frames() const { return num_frames_; }

 private:
  struct Frame;
  void sight(TrackedObject& object, const Object& found, const std::vector<ObjectCell>& cells, bool anew);
  /// Objects of the list that the frame shows where they are.
  void find_in_place(Frame& frame);
  /// Those that have moved by more than their size since the last frame.
  void find_moved(Frame& frame);
  /// Other objects of the frame: further parts of those found, and new ones.
  void add_others(Frame& frame);
  /// Confidence of objects that were not found.
  void doubt_missing(const Frame& frame);
  /// Drops those that were hardly ever there.
  void forget();
  /// Objects that are gone, with those that have appeared elsewhere.
  void reunite(std::vector<std::uint32_t>& ids);

  std::vector<TrackedObject> objects_;
  std::uint32_t next_id_ = 1;
  std::uint64_t num_frames_ = 0;
  Moment now_;
};

}  // namespace fernwood::objects
