// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a scene is furnished with: materials, furniture and things of random design, the room, and where they go.

#include <vector>

#include "generate/scene.h"

namespace fernwood::generate {

// Random materials. Furniture, floors and things share woods, paints and cloths, so that colour alone does not tell a
// class.
Material wood(Dice& dice);
Material paint(Dice& dice);
Material cloth(Dice& dice);
Material plastic(Dice& dice);
Material toy(Dice& dice);    ///< Strong colours.
Material glass(Dice& dice);  ///< Dark colours, as bottles have.
Material cardboard(Dice& dice);
Material metal(Dice& dice);  ///< Legs and poles.
Material glossy_black(Dice& dice);

/// Wood, paint or plastic.
Material furniture_material(Dice& dice);
Material floor_material(Dice& dice);
Material wall_material(Dice& dice);

/// A thing in coordinates of its own: it stands on y = 0, its middle above the origin, its front towards +z.
struct Model {
  std::vector<Part> parts;
  std::vector<Surface> surfaces;
  std::uint16_t label = kUnlabelled;
  PartLabel part_label;          ///< Of what is added next.
  float half_x = 0, half_z = 0;  ///< Footprint, metres.
  float height = 0;

  explicit Model(std::uint16_t class_label, PartLabel part = PartLabel::kNone) : label(class_label), part_label(part) {}
  void add_box(const Vec3& middle, const Vec3& half, const Material& material);
  /// Stands on its y axis; `taper` is upper over lower radius.
  void add_cylinder(const Vec3& middle, float radius, float half_height, const Material& material, float taper = 1.0f);
  /// Lies along the x axis (`along_x`) or the z axis.
  void add_roll(const Vec3& middle, float radius, float half_length, bool along_x, const Material& material);
  void add_ball(const Vec3& middle, const Vec3& half, const Material& material);
  void add_surface(const Vec3& middle, float half_x, float half_z, float headroom);
};

/// Puts a copy of the model into the scene as part of the given object, or as an object of its own.
void add_model(Scene& scene, const Model& model, const Pose& pose, int object);
void add_model(Scene& scene, const Model& model, const Pose& pose);

// Furniture of random design; see Model for its coordinates.
Model make_table(Dice& dice);
Model make_low_table(Dice& dice);  ///< Goes before a sofa.
Model make_chair(Dice& dice);
Model make_shelf(Dice& dice);    ///< Open, with books.
Model make_cabinet(Dice& dice);  ///< Closed, with doors or drawers; class shelf.
Model make_sofa(Dice& dice);
Model make_bed(Dice& dice);  ///< Class sofa; its head at -z.

// Things that stand on furniture or on the floor; see Model for their coordinates.
Model make_box(Dice& dice, float max_half, float max_height);
Model make_ball(Dice& dice, float radius);
Model make_bottle(Dice& dice, float height);

// Small things that lie about; see Model for their coordinates. Labels are RareLabel.
Model make_hammer(Dice& dice);
Model make_drill(Dice& dice);
Model make_cup(Dice& dice);
Model make_small_ball(Dice& dice);
Model make_small_box(Dice& dice);

// Things of no class.
Model make_floor_lamp(Dice& dice);
Model make_plant(Dice& dice);
Model make_screen(Dice& dice);  ///< A television: dark and glossy.

enum class Side { kBack, kLeft, kRight };

/// A place at the foot of a wall, facing into the room. @param along  x (back wall) or z (side walls), metres.
Pose wall_pose(const Room& room, Side side, float along);

/// Draws the room's size.
Room draw_room(Dice& dice);

/// Adds floor, walls and ceiling, and what belongs to them: skirting, doors, windows, pictures, a rug.
void add_room(Scene& scene, Dice& dice);

/// Puts furniture on the floor where the camera sees it and nothing overlaps, and things on the furniture.
/// Every scene holds a table with chairs or a sofa, something with shelves, and a few things on the floor.
void furnish(Scene& scene, Dice& furniture, Dice& things);

/// The same furniture and bottles, all background, and rare things of every class on the floor and on furniture where
/// the camera sees them: as many as a class needs for its share of the picture, at least one.
void furnish_with_rare_things(Scene& scene, Dice& furniture, Dice& things);

}  // namespace fernwood::generate
