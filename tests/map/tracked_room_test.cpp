// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Objects tracked through generated rooms, by true labels: ids that change, places, and things that are taken away.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fernwood/generate/generate.h"
#include "fernwood/objects/object_tracker.h"
#include "image/registration.h"

namespace fernwood::map {
namespace {

using generate::SyntheticFrame;

constexpr std::uint32_t kRooms = 4, kFrames = 20, kFramesAfter = 12;
constexpr std::size_t kMinPixels = 150;

/// A room in which three things move; after kFrames they are no longer there.
std::vector<SyntheticFrame> room_frames(std::uint32_t room, ThreadPool& pool) {
  std::vector<SyntheticFrame> frames(kFrames + kFramesAfter);
  pool.for_each(frames.size(), [&](std::size_t i, int) {
    generate::GenerateOptions options;
    options.width = 320;
    options.height = 240;
    options.sequence = kFrames + kFramesAfter;
    options.moving_things = i < kFrames ? 3 : 0;
    frames[i] = generate::generate_sequence_frame(options, room, static_cast<std::uint32_t>(i));
  });
  return frames;
}

/// An instance of the ground truth, in a frame or over all frames.
struct Instance {
  std::size_t num_pixels = 0;
  std::map<std::uint16_t, std::size_t> on_number;  // pixels on objects of the frame
  image::Vector3 least = {1e9f, 1e9f, 1e9f}, most = {-1e9f, -1e9f, -1e9f};

  void add(const image::Vector3& place) {
    least = {std::min(least.x, place.x), std::min(least.y, place.y), std::min(least.z, place.z)};
    most = {std::max(most.x, place.x), std::max(most.y, place.y), std::max(most.z, place.z)};
  }
  image::Vector3 center() const { return {(least.x + most.x) / 2, (least.y + most.y) / 2, (least.z + most.z) / 2}; }
};

std::map<std::uint16_t, Instance> instances_of(const SyntheticFrame& frame, const objects::FrameObjects& found) {
  std::map<std::uint16_t, Instance> instances;
  const image::DepthView view = image::depth_view(frame.frame);
  for (std::size_t row = 0; row < frame.labels.rows(); ++row)
    for (std::size_t col = 0; col < frame.labels.cols(); ++col) {
      const std::uint16_t number = frame.instances(row, col);
      if (number == image::kNoInstance) continue;
      Instance& instance = instances[number];
      ++instance.num_pixels;
      if (found.numbers(row, col) != image::kNoInstance) ++instance.on_number[found.numbers(row, col)];
      if (frame.frame.depth_mm(row, col) != 0) instance.add(frame.pose(view.place(row, col)));
    }
  return instances;
}

/// The found object that covers most of an instance and hardly anything else, or none.
std::optional<std::uint16_t> found_as(const Instance& instance, const objects::FrameObjects& found) {
  for (const auto& [number, common] : instance.on_number) {
    const std::size_t all = instance.num_pixels + found.objects[number - 1u].num_pixels - common;
    if (2 * common > all) return number;
  }
  return std::nullopt;
}

struct Counts {
  std::size_t sightings = 0, changes = 0, standing = 0, at_place = 0, taken = 0, noticed = 0;
};

void track_room(std::uint32_t room, ThreadPool& pool, Counts& counts) {
  struct Known {
    Instance whole;
    std::uint32_t id = 0;
    std::size_t last = 0, sightings = 0;
  };
  std::map<std::uint16_t, Known> known;
  objects::ObjectFinder finder(generate::synthetic_classes());
  objects::ObjectTracker tracker;
  const std::vector<SyntheticFrame> frames = room_frames(room, pool);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    image::FrameImages images(frames[i].frame);
    images.pose = frames[i].pose;
    const objects::FrameObjects found = finder.find(images, frames[i].labels, {}, pool);
    const std::vector<std::uint32_t> ids = tracker.update(found, images, 0.1 * static_cast<double>(i));
    for (const auto& [number, instance] : instances_of(frames[i], found)) {
      Known& of_room = known[number];
      if (instance.least.x <= instance.most.x) {
        of_room.whole.add(instance.least);
        of_room.whole.add(instance.most);
      }
      const auto as = found_as(instance, found);
      if (!as || instance.num_pixels < kMinPixels) continue;
      const std::uint32_t id = ids[*as - 1u];
      counts.changes += of_room.sightings++ > 0 && of_room.id != id ? 1 : 0;
      of_room.id = id;
      of_room.last = i;
    }
  }
  for (const auto& [number, instance] : known) {
    if (instance.sightings < objects::kConfirmingSightings) continue;
    counts.sightings += instance.sightings;
    const auto object = std::ranges::find(tracker.objects(), instance.id, &objects::TrackedObject::id);
    const bool is_there = object != tracker.objects().end() && object->state != objects::ObjectState::kGone;
    const bool moves = std::ranges::none_of(std::span(frames).last(kFramesAfter), [&](const SyntheticFrame& frame) {
      return std::ranges::find(frame.instances, number) != frame.instances.end();
    });
    if (!moves) {
      ++counts.standing;
      counts.at_place += is_there && objects::distance_m(object->box.center, instance.whole.center()) <= 0.05f ? 1 : 0;
    } else if (instance.last + 1 == kFrames &&
               std::ranges::count_if(known, [&](const auto& other) { return other.second.id == instance.id; }) ==
                   1) {  // visible until it was taken away, and not one object with another
      ++counts.taken;
      counts.noticed += is_there ? 0 : 1;
    }
  }
}

TEST(TrackedRoom, ObjectsKeepTheirIdsAndPlacesAndGo) {
  ThreadPool pool(0);
  Counts counts;
  for (std::uint32_t room = 0; room < kRooms; ++room) track_room(room, pool, counts);
  std::cout << counts.changes << " ids of " << counts.sightings << " sightings changed; " << counts.at_place << " of "
            << counts.standing << " objects within 5 cm; " << counts.noticed << " of " << counts.taken
            << " that were taken away are gone\n";
  EXPECT_GT(counts.sightings, 300u);
  EXPECT_LE(static_cast<double>(counts.changes), 0.05 * static_cast<double>(counts.sightings));
  // A bound against regressions, below what is wanted (0.9): objects of one class that touch are found as one, and
  // those that others hide are found in parts.
  EXPECT_GE(static_cast<double>(counts.at_place), 0.7 * static_cast<double>(counts.standing));
  EXPECT_GE(counts.taken, 3u);
  // The camera turns away from some places before they were seen through often enough.
  EXPECT_GE(static_cast<double>(counts.noticed), 0.75 * static_cast<double>(counts.taken));
}

}  // namespace
}  // namespace fernwood::map
