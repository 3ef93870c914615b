// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Synthetic indoor scenes as seen by a depth camera: a data set for experiments, tests and benchmarks that requires
// neither a camera nor a download.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::generate {

/// Content of scenes, and classes of their ground truth.
enum class SceneClasses : std::uint8_t {
  kThings,  ///< Rooms with furniture and objects: synthetic_classes().
  kParts,   ///< The same frames, with classes for the parts of rooms and objects: part_classes().
  kRare     ///< Rooms with small scattered objects, each class on about 1/200 of the pixels: rare_classes().
};
inline constexpr std::array<SceneClasses, 3> kSceneClasses = {SceneClasses::kThings, SceneClasses::kParts,
                                                              SceneClasses::kRare};
const char* to_string(SceneClasses classes);  ///< things, parts, rare

/// Options of the generator: either single frames, each of a different scene, or sequences of a hand-held camera that
/// moves through a scene.
struct GenerateOptions {
  int frames = 40;            ///< Training frames, [1, 100000]; for sequences, number of training rooms.
  int test_frames = 10;       ///< The same for testing, [0, 100000]; their scenes are not used for training.
  int sequence = 0;           ///< Frames of each room, [0, 10000]; 0: single frames.
  double fps = 10;            ///< Frame rate of sequences, in frames per second, [0.1, 1000].
  int moving_things = 0;      ///< Objects that move through each room of sequences, [0, 16].
  std::uint64_t seed = 4711;  ///< Same seed, same bytes, on every machine and any number of threads.
  int width = 640;            ///< Pixels, [32, 4096]; the horizontal field of view is 58.6 degrees at any width.
  int height = 480;           ///< Pixels, [32, 4096].
  /// Share of each frame's pixels without depth, [0, 0.9]. Empty: as for a real camera, 5 to 40 %. A larger share adds
  /// blobs and the sides of depth steps; a smaller share restores depth, finally even beyond the camera's range.
  std::optional<double> holes;
  SceneClasses classes = SceneClasses::kThings;
  static OptionTable<GenerateOptions> table();  ///< All options but width and height.
  void check() const;                           ///< @throws Error(kUsage) naming the first option out of its range.
};

/// A frame and its ground truth.
struct SyntheticFrame {
  image::Frame frame;
  image::LabelImage labels;  ///< Indices into generated_classes(), or kVoid.
  /// Number of the object in the scene, from 1: furniture with all its parts, and each object that stands on it. It is
  /// the same in all frames of a sequence. kNoInstance where labels are void or stuff.
  image::InstanceImage instances;
  image::RigidMotion pose = {};  ///< From camera to room coordinates: x right, y into the room, z up.
};

/// floor, wall, table, chair, shelf, sofa, box, ball, bottle; black is void.
const image::ClassMap& synthetic_classes();
/// background, hammer, drill, cup, ball, box; black is void. Everything except the five objects is background.
const image::ClassMap& rare_classes();
/// 31 classes such as floor, rug, wall, ceiling, table top, table legs, chair seat, pillow, lamp and screen; black is
/// void.
const image::ClassMap& part_classes();
/// The class map, of these three, that belongs to options.classes.
const image::ClassMap& generated_classes(const GenerateOptions& options);

/// The camera of all frames. Its orientation varies from frame to frame, as if hand-held, and is not part of the
/// frames.
image::Camera generated_camera(const GenerateOptions& options);

/// Renders one scene. The result is a function of the seed, the index and the size, bit for bit the same on every
/// machine with IEEE arithmetic (only + - * / and square roots; see src/generate/geometry.h).
/// Depth simulates a structured-light camera (see src/generate/sensors.cpp). Void are the margin of the frame, the
/// borders between objects, and, except for kParts, objects without a class (lamps, plants, screens).
SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index);

/// Renders a frame of a sequence: the camera moves as if hand-held, at about 0.3 m and 20 degrees per second, and
/// options.moving_things boxes, balls, bottles and chairs (for kRare: cups, balls, boxes and drills) move back and
/// forth, pausing at both ends. Frame `frame` is taken at frame / options.fps seconds; its pose and ground truth are
/// exact, and its noise is independent of other frames.
SyntheticFrame generate_sequence_frame(const GenerateOptions& options, std::uint32_t scene_index, std::uint32_t frame);

/// Writes `out`/train, `out`/test (if test_frames > 0) and `out`/dataset.toml in the native layout. Scenes are numbered
/// consecutively: the test frames follow the training frames. For sequences, each room is a recording, a folder such as
/// `out`/train/room0000 with times.txt and poses.txt, and each split has a dataset.toml.
/// @throws Error(kUsage) when a split's folder contains other files, which would silently become part of the data set,
///         and when `out` holds other frames, itself or in sub-folders without a dataset.toml of their own;
///         Error(kRuntime) when a folder or file cannot be written.
void generate_dataset(const std::filesystem::path& out, const GenerateOptions& options, ThreadPool& pool,
                      const ProgressCallback& progress = {});

}  // namespace fernwood::generate
