// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/furnish.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fernwood::generate {
namespace {

constexpr int kTries = 40;

/// A rectangle of the floor, with sides along the room's axes.
struct Footprint {
  float x_low, x_high, z_low, z_high;
};

Footprint footprint_of(const Model& model, const Pose& pose, float margin) {
  const float hx = std::abs(pose.axis_x.x) * model.half_x + std::abs(pose.axis_z.x) * model.half_z + margin;
  const float hz = std::abs(pose.axis_x.z) * model.half_x + std::abs(pose.axis_z.z) * model.half_z + margin;
  return {pose.origin.x - hx, pose.origin.x + hx, pose.origin.z - hz, pose.origin.z + hz};
}

bool overlap(const Footprint& a, const Footprint& b) {
  return a.x_low < b.x_high && b.x_low < a.x_high && a.z_low < b.z_high && b.z_low < a.z_high;
}

class Layout {
 public:
  Layout(Scene& scene, Dice& dice) : scene_(scene), dice_(dice) {
    const Vec3& eye = scene.camera.position;
    const Vec3 ahead = eye + scene.camera.forward * 0.4f;
    taken_.push_back({ahead.x - 0.9f, ahead.x + 0.9f, -1.0f, ahead.z + 0.9f});
  }

  /// Adds the model if its place is free, inside the room and in view. @param with  A footprint it may overlap.
  bool put(const Model& model, const Pose& pose, int with = -1) {
    const Footprint f = footprint_of(model, pose, 0.03f);
    const Room& room = scene_.room;
    if (f.x_low < -room.half_width - 0.02f || f.x_high > room.half_width + 0.02f || f.z_high > room.depth + 0.02f)
      return false;
    if (!in_view(pose.origin)) return false;
    for (int i = 0; i < static_cast<int>(taken_.size()); ++i)
      if (i != with && overlap(f, taken_[i])) return false;
    taken_.push_back(f);
    add_model(scene_, model, pose);
    return true;
  }
  int last() const { return static_cast<int>(taken_.size()) - 1; }

  /// Whether a place is unoccupied; the area reserved before the camera counts as free.
  bool is_free(const Footprint& f) const {
    return std::none_of(taken_.begin() + 1, taken_.end(), [&](const Footprint& taken) { return overlap(f, taken); });
  }

  /// Places a model with its back to a wall, most often the far one.
  bool put_at_wall(const Model& model, Pose* where = nullptr) {
    const Room& room = scene_.room;
    for (int i = 0; i < kTries; ++i) {
      const float which = dice_.unit(), at = dice_.unit();
      const Side side = which < 0.5f ? Side::kBack : which < 0.75f ? Side::kLeft : Side::kRight;
      const float along = side == Side::kBack ? (2 * at - 1) * room.half_width : at * room.depth;
      Pose pose = wall_pose(room, side, along);
      pose.origin = pose.point({0, 0, model.half_z + 0.025f});
      if (!put(model, pose)) continue;
      if (where) *where = pose;
      return true;
    }
    return false;
  }

  /// Places a model anywhere in view, rotated by an angle whose half has a tangent of at most `max_turn`.
  bool put_free(const Model& model, float max_turn, Pose* where = nullptr) {
    const Camera& camera = scene_.camera;
    for (int i = 0; i < kTries; ++i) {
      const float far = dice_.range(1.3f + model.half_x, 5.0f), aside = dice_.range(-0.42f, 0.42f);
      const Turn turn = turn_of(dice_.range(-max_turn, max_turn));
      Vec3 place = camera.position + (camera.forward + camera.right * aside) * far;
      place.y = 0;
      const Pose pose = facing(place, turned({0, 0, -1}, turn));
      if (!put(model, pose)) continue;
      if (where) *where = pose;
      return true;
    }
    return false;
  }

 private:
  bool in_view(const Vec3& place) const {
    const Vec3 to = place - scene_.camera.position;
    const float ahead = dot(to, scene_.camera.forward);
    return ahead > 1.2f && std::abs(dot(to, scene_.camera.right)) < 0.5f * ahead;
  }

  Scene& scene_;
  Dice& dice_;
  std::vector<Footprint> taken_;
};

/// Places chairs of one design at the sides of a table, pushed under it or drawn back.
void put_chairs(Layout& layout, Dice& dice, const Model& table, const Pose& pose, int table_place) {
  const Model chair = make_chair(dice);
  const bool pairs = table.half_x > 0.7f;
  struct Seat {
    Vec3 place, front;
  };
  std::vector<Seat> seats;
  for (const float side : {-1.0f, 1.0f}) {
    const float z = side * table.half_z;
    if (pairs) seats.push_back({{-0.42f * table.half_x, 0, z}, {0, 0, -side}});
    seats.push_back({{pairs ? 0.42f * table.half_x : 0.0f, 0, z}, {0, 0, -side}});
    seats.push_back({{side * table.half_x, 0, 0}, {-side, 0, 0}});
  }
  for (const Seat& seat : seats) {
    const float back = dice.range(0.05f, 0.35f), half_tangent = dice.range(-0.12f, 0.12f);
    const bool taken = dice.chance(0.7f);
    if (!taken) continue;
    const Vec3 front = turned(pose.direction(seat.front), turn_of(half_tangent));
    layout.put(chair, facing(pose.point(seat.place - seat.front * back), front), table_place);
  }
}

void put_furniture(Layout& layout, Dice& dice) {
  Pose pose;
  if (dice.chance(0.75f)) {
    const bool bed = dice.chance(0.35f);
    const Model soft = bed ? make_bed(dice) : make_sofa(dice);
    const bool is_placed = layout.put_at_wall(soft, &pose);
    if (is_placed && !bed && dice.chance(0.6f)) {
      const Model low_table = make_low_table(dice);
      pose.origin = pose.point({0, 0, soft.half_z + low_table.half_z + 0.3f});
      layout.put(low_table, pose);
    }
  }
  const int num_storages = dice.between(1, 3);
  for (int i = 0; i < num_storages; ++i) layout.put_at_wall(dice.chance(0.5f) ? make_shelf(dice) : make_cabinet(dice));
  const Model table = make_table(dice);
  if (layout.put_free(table, 0.2f, &pose)) put_chairs(layout, dice, table, pose, layout.last());
  const int num_chairs = dice.between(0, 2);
  for (int i = 0; i < num_chairs; ++i) layout.put_free(make_chair(dice), 0.9f);
  if (dice.chance(0.35f)) layout.put_at_wall(make_floor_lamp(dice));
  if (dice.chance(0.35f)) layout.put_at_wall(make_plant(dice));
}

void put_floor_things(Layout& layout, Dice& dice) {
  const int num_boxes = dice.between(1, 3), num_balls = dice.between(1, 2);
  for (int i = 0; i < num_boxes; ++i) {
    Model box = make_box(dice, 0.32f, 0.55f);
    box.add_surface({0, box.height, 0}, 0.8f * box.half_x, 0.8f * box.half_z, 0.5f);
    layout.put_free(box, 0.5f);
  }
  for (int i = 0; i < num_balls; ++i) {
    const float radius = dice.range(0.10f, 0.30f);
    layout.put_free(make_ball(dice, radius), 0.9f);
  }
}

Model thing_for(Dice& dice, const Surface& surface) {
  const float kind = dice.unit();
  if (kind < 0.12f && surface.half_x > 0.42f && surface.headroom > 0.7f) return make_screen(dice);
  if (kind < 0.40f) return make_box(dice, 0.16f, std::min(0.3f, 0.9f * surface.headroom));
  if (kind < 0.60f) {
    const float radius = dice.range(0.05f, 0.12f);
    return make_ball(dice, radius);
  }
  const float height = dice.range(0.22f, 0.36f);
  return make_bottle(dice, std::min(height, 0.95f * surface.headroom));
}

/// Places objects side by side on a surface; an object without a free place is left out.
void fill_surface(Scene& scene, Dice& dice, const Surface& surface) {
  struct Disc {
    float x, z, radius;
  };
  std::vector<Disc> taken;
  const int wanted = dice.between(0, surface.half_x * surface.half_z > 0.15f ? 5 : 3);
  for (int i = 0; i < wanted; ++i) {
    const Model thing = thing_for(dice, surface);
    const float room_x = surface.half_x - thing.half_x, room_z = surface.half_z - std::min(thing.half_z, thing.half_x);
    const float x = dice.range(-1, 1) * room_x, z = dice.range(-1, 1) * room_z,
                half_tangent = dice.range(-0.25f, 0.25f);
    const float radius = std::max(thing.half_x, thing.half_z);
    const bool fits = room_x > 0 && room_z > 0 && thing.height < surface.headroom;
    const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const Disc& d) {
      const float reach = d.radius + radius;
      return (d.x - x) * (d.x - x) + (d.z - z) * (d.z - z) < reach * reach;
    });
    if (!fits || !is_free) continue;
    taken.push_back({x, z, radius});
    const Vec3 front = turned(surface.pose.axis_z, turn_of(half_tangent));
    add_model(scene, thing, facing(surface.pose.point({x, 0, z}), front));
  }
}

/// Projection of a point, in pixels; z is the depth.
Vec3 seen_at(const Camera& camera, const Vec3& place) {
  const Vec3 to = place - camera.position;
  const float ahead = dot(to, camera.forward);
  const float scale = camera.focal_px / std::max(ahead, 0.1f);
  return {camera.center_x + dot(to, camera.right) * scale, camera.center_y + dot(to, camera.down) * scale, ahead};
}

/// A kind of small object, and approximately how much of its bounding rectangle it covers.
struct RareKind {
  Model (*make)(Dice& dice);
  float filled;
};

constexpr std::array<RareKind, 5> kRareKinds = {
    {{make_hammer, 0.42f}, {make_drill, 0.5f}, {make_cup, 0.8f}, {make_small_ball, 0.55f}, {make_small_box, 1.6f}}};

/// Places small objects on the floor and on furniture, well inside the image.
class RareThings {
 public:
  RareThings(Scene& scene, const Layout& layout, Dice& dice)
      : scene_(scene), layout_(layout), surfaces_(scene.surfaces), dice_(dice) {}

  void put_some(const RareKind& kind) {
    constexpr int kMost = 12;
    const Camera& camera = scene_.camera;
    const float picture = 4 * camera.center_x * camera.center_y;
    float wanted = dice_.range(0.0025f, 0.0075f) * picture;
    for (int i = 0; i < kMost && wanted > 0; ++i) {
      const Model thing = kind.make(dice_);
      Pose pose;
      if (!find_place(thing, &pose)) continue;
      taken_.push_back(pose.origin);
      add_model(scene_, thing, pose);
      const float scale = camera.focal_px / seen_at(camera, pose.origin).z;
      wanted -= kind.filled * (thing.half_x + thing.half_z) * (thing.height + thing.half_z) * scale * scale;
    }
  }

 private:
  bool find_place(const Model& thing, Pose* pose) {
    for (int i = 0; i < kTries; ++i) {
      const bool on_furniture = dice_.chance(0.4f) && !surfaces_.empty();
      const Vec3 place = on_furniture ? draw_on_furniture(thing) : draw_on_floor();
      const Turn turn = turn_of(dice_.range(-1.0f, 1.0f));
      *pose = facing(place, turned({0, 0, dice_.chance(0.5f) ? 1.0f : -1.0f}, turn));
      if (is_seen(place) && !is_taken(place) && (on_furniture || is_free_floor(thing, *pose))) return true;
    }
    return false;
  }

  Vec3 draw_on_floor() {
    const Camera& camera = scene_.camera;
    const float far = dice_.range(0.8f, 3.2f), aside = dice_.range(-0.55f, 0.55f);
    Vec3 place = camera.position + (camera.forward + camera.right * aside) * far;
    place.y = 0;
    return place;
  }

  Vec3 draw_on_furniture(const Model& thing) {
    const auto which = static_cast<std::size_t>(dice_.between(0, static_cast<int>(surfaces_.size()) - 1));
    const Surface& surface = surfaces_[which];
    const float radius = std::max(thing.half_x, thing.half_z);
    const float room_x = std::max(0.0f, surface.half_x - radius), room_z = std::max(0.0f, surface.half_z - radius);
    const float x = dice_.range(-1, 1) * room_x, z = dice_.range(-1, 1) * room_z;
    return surface.pose.point({x, 0, z});
  }

  bool is_seen(const Vec3& place) const {
    const Camera& camera = scene_.camera;
    const Vec3 at = seen_at(camera, place);
    const float margin = 0.1f * camera.center_x;
    return at.z > 0.7f && at.z < 4.0f && at.x > margin && at.x < 2 * camera.center_x - margin && at.y > margin &&
           at.y < 2 * camera.center_y - margin;
  }

  bool is_taken(const Vec3& place) const {
    constexpr float kApart = 0.24f;
    return std::any_of(taken_.begin(), taken_.end(), [&](const Vec3& other) {
      const Vec3 between = place - other;
      return dot(between, between) < kApart * kApart;
    });
  }

  bool is_free_floor(const Model& thing, const Pose& pose) const {
    const Footprint f = footprint_of(thing, pose, 0.01f);
    const Room& room = scene_.room;
    return f.x_low > -room.half_width && f.x_high < room.half_width && f.z_low > 0 && f.z_high < room.depth &&
           layout_.is_free(f);
  }

  Scene& scene_;
  const Layout& layout_;
  const std::vector<Surface> surfaces_;
  Dice& dice_;
  std::vector<Vec3> taken_;
};

void put_bottles(Scene& scene, Dice& dice) {
  const std::vector<Surface> surfaces = scene.surfaces;
  for (const Surface& surface : surfaces) {
    if (!dice.chance(0.3f)) continue;
    const float height = std::min(dice.range(0.22f, 0.36f), 0.95f * surface.headroom);
    const float x = dice.range(-0.8f, 0.8f) * surface.half_x, z = dice.range(-0.8f, 0.8f) * surface.half_z;
    add_model(scene, make_bottle(dice, height), facing(surface.pose.point({x, 0, z}), {0, 0, -1}));
  }
}

}  // namespace

void furnish_with_rare_things(Scene& scene, Dice& furniture, Dice& things) {
  Layout layout(scene, furniture);
  put_furniture(layout, furniture);
  RareThings rare(scene, layout, things);
  put_bottles(scene, things);
  for (Part& part : scene.parts) part.label = kBackground;
  for (const RareKind& kind : kRareKinds) rare.put_some(kind);
}

void furnish(Scene& scene, Dice& furniture, Dice& things) {
  Layout layout(scene, furniture);
  put_furniture(layout, furniture);
  put_floor_things(layout, furniture);
  const std::vector<Surface> surfaces = scene.surfaces;  // objects add no surfaces of their own
  for (const Surface& surface : surfaces) fill_surface(scene, things, surface);
}

}  // namespace fernwood::generate
