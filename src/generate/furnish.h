// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Contents of a scene: materials, furniture and objects of random design, the room, and their placement.

// Motion in a sequence: the camera, and objects. All of it is a function of time, so that each frame can be generated
// independently; see geometry.h for why its bits are the same everywhere.

#include <cstdint>
#include <vector>

#include "fernwood/image/camera.h"
#include "generate/scene.h"

namespace fernwood::generate {

// Random materials. Furniture, floors and objects share woods, paints and cloths, so that colour does not determine the
// class.
Material wood(Dice& dice);
Material paint(Dice& dice);
Material cloth(Dice& dice);
Material plastic(Dice& dice);
Material toy(Dice& dice);    ///< Strong colours.
Material glass(Dice& dice);  ///< Dark colours, as of bottles.
Material cardboard(Dice& dice);
Material metal(Dice& dice);  ///< For legs and poles.
Material glossy_black(Dice& dice);

/// Wood, paint or plastic.
Material furniture_material(Dice& dice);
Material floor_material(Dice& dice);
Material wall_material(Dice& dice);

/// An object in its own coordinates: it stands on y = 0, its centre above the origin, its front towards +z.
struct Model {
  std::vector<Part> parts;
  std::vector<Surface> surfaces;
  std::uint16_t label = kUnlabelled;
  PartLabel part_label;          ///< Of parts added next.
  float half_x = 0, half_z = 0;  ///< Footprint, in metres.
  float height = 0;

  explicit Model(std::uint16_t class_label, PartLabel part = PartLabel::kNone) : label(class_label), part_label(part) {}
  void add_box(const Vec3& middle, const Vec3& half, const Material& material);
  /// A cylinder along the y axis; `taper` is its upper radius divided by the lower one.
  void add_cylinder(const Vec3& middle, float radius, float half_height, const Material& material, float taper = 1.0f);
  /// A cylinder along the x axis (`along_x`) or the z axis.
  void add_roll(const Vec3& middle, float radius, float half_length, bool along_x, const Material& material);
  void add_ball(const Vec3& middle, const Vec3& half, const Material& material);
  void add_surface(const Vec3& middle, float half_x, float half_z, float headroom);
};

/// Adds a copy of the model to the scene as part of the given object, or as an object of its own.
void add_model(Scene& scene, const Model& model, const Pose& pose, int object);
void add_model(Scene& scene, const Model& model, const Pose& pose);

// Furniture of random design; see Model for the coordinates.
Model make_table(Dice& dice);
Model make_low_table(Dice& dice);  ///< Stands before a sofa.
Model make_chair(Dice& dice);
Model make_shelf(Dice& dice);    ///< Open, with books.
Model make_cabinet(Dice& dice);  ///< Closed, with doors or drawers; class shelf.
Model make_sofa(Dice& dice);
Model make_bed(Dice& dice);  ///< Class sofa; its head is at -z.

// Objects that stand on furniture or on the floor; see Model for the coordinates.
Model make_box(Dice& dice, float max_half, float max_height);
Model make_ball(Dice& dice, float radius);
Model make_bottle(Dice& dice, float height);

// Small objects; see Model for the coordinates. Labels are RareLabel.
Model make_hammer(Dice& dice);
Model make_drill(Dice& dice);
Model make_cup(Dice& dice);
Model make_small_ball(Dice& dice);
Model make_small_box(Dice& dice);

// Objects without a class.
Model make_floor_lamp(Dice& dice);
Model make_plant(Dice& dice);
Model make_screen(Dice& dice);  ///< A television: dark and glossy.

enum class Side { kBack, kLeft, kRight };

/// A position at the foot of a wall, facing into the room. @param along  x (back wall) or z (side walls), in metres.
Pose wall_pose(const Room& room, Side side, float along);

/// Draws a random size of the room.
Room draw_room(Dice& dice);

/// Adds floor, walls and ceiling with skirting, doors, windows, pictures and a rug.
void add_room(Scene& scene, Dice& dice);

/// Places furniture on the floor in view of the camera without overlap, and objects on the furniture. Every scene
/// contains a table with chairs or a sofa, a piece with shelves, and a few objects on the floor.
void furnish(Scene& scene, Dice& furniture, Dice& things);

/// Adds the same furniture and bottles, all as background, and rare objects of each class on the floor and on furniture
/// in view of the camera: as many as a class needs for its share of the image, at least one.
void furnish_with_rare_things(Scene& scene, Dice& furniture, Dice& things);

/// A hand-held camera that starts approximately at `start`, after `time_s` seconds: the hand moves within a metre,
/// looks around, and trembles.
Camera held_camera(const Camera& start, std::uint64_t seed, std::uint32_t scene_index, float time_s);

/// Transforms camera coordinates to room coordinates; scenes are left-handed, so y and z are exchanged.
image::RigidMotion pose_of(const Camera& camera);

/// An object that moves from one position to another and back, and rests at both.
struct MovingThing {
  Model model;
  Vec3 from, to, front;
  float move_s, rest_s, begin_s;  ///< One way; at each end; position in this cycle at the beginning.

  Pose pose_at(float time_s) const;
};

/// Draws objects with paths that cross the camera's view and touch neither furniture nor each other, if possible.
std::vector<MovingThing> draw_moving_things(const Scene& scene, const GenerateOptions& options,
                                            std::uint32_t scene_index);

/// The scene `time_s` seconds after the start of a sequence. @param scene  The result of make_scene().
Scene scene_at(Scene scene, const GenerateOptions& options, std::uint32_t scene_index, float time_s);

}  // namespace fernwood::generate
