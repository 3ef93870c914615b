// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Synthetic indoor scenes as a depth camera would see them: a data set for trying things out, for tests and for
// benchmarks, without a camera or a download.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::generate {

/// What scenes show, and what their truth tells apart.
enum class SceneClasses : std::uint8_t {
  kThings,  ///< Rooms; their furniture and what lies about: synthetic_classes().
  kParts,   ///< The same frames; what rooms and things are made of: part_classes().
  kRare  ///< Rooms in which small things lie about, each class on about a two-hundredth of the pixels: rare_classes().
};
inline constexpr std::array<SceneClasses, 3> kSceneClasses = {SceneClasses::kThings, SceneClasses::kParts,
                                                              SceneClasses::kRare};
const char* to_string(SceneClasses classes);  ///< things, parts, rare

/// What to generate: frames that show a scene of their own each, or sequences, as a camera takes them that a hand
/// carries through a scene.
struct GenerateOptions {
  int frames = 40;            ///< Frames to train on, [1, 100000]; of sequences, the rooms to train on.
  int test_frames = 10;       ///< The same to test on, [0, 100000]; scenes that training does not see.
  int sequence = 0;           ///< Frames of each room, [0, 10000]; 0: single frames.
  double fps = 10;            ///< Frames a second of sequences, [0.1, 1000].
  int moving_things = 0;      ///< Things that move through each room of sequences, [0, 16].
  std::uint64_t seed = 4711;  ///< Same seed, same bytes, on every machine and any number of threads.
  int width = 640;            ///< Pixels, [32, 4096]; the horizontal field of view is 58.6 degrees at any width.
  int height = 480;           ///< Pixels, [32, 4096].
  /// Share of each frame's pixels without depth, [0, 0.9]. Empty: what such a camera misses, 5 to 40 %. More take in
  /// blobs and the sides of steps; less give back depth, in the end even beyond the camera's range.
  std::optional<double> holes;
  SceneClasses classes = SceneClasses::kThings;
  static OptionTable<GenerateOptions> table();  ///< But for width and height.
  void check() const;                           ///< @throws Error(kUsage) naming the first option out of its range.
};

/// A frame and its true classes, indices into generated_classes() or kVoid.
struct SyntheticFrame {
  image::Frame frame;
  image::LabelImage labels;
  image::RigidMotion pose = {};  ///< Of places as the camera sees them to the room: x right, y into it, z up.
};

/// floor, wall, table, chair, shelf, sofa, box, ball, bottle; black is void.
const image::ClassMap& synthetic_classes();
/// background, hammer, drill, cup, ball, box; black is void. All that is none of the five things is background.
const image::ClassMap& rare_classes();
/// 31 classes as floor, rug, wall, ceiling, table top, table legs, chair seat, pillow, lamp and screen; black is void.
const image::ClassMap& part_classes();
/// Those of the three that frames of these options have.
const image::ClassMap& generated_classes(const GenerateOptions& options);

/// The camera of all frames. How it is held differs from frame to frame, as in a hand, and nobody tells.
image::Camera generated_camera(const GenerateOptions& options);

/// Renders one scene: a function of the seed, the index and the size, bit for bit on every machine with IEEE
/// arithmetic (only + - * / and square roots; see src/generate/geometry.h).
/// Depth is what a structured-light camera measures (see src/generate/camera.h); void are the frame's
/// margin, the borders between objects, and, but for kParts, the things that have no class (lamps, plants, screens).
SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index);

/// The same of a sequence: the camera moves as in a hand, about 0.3 m and 20 degrees a second, and
/// options.moving_things boxes, balls, bottles and chairs (of rare things: cups, balls, boxes and drills) go to and
/// fro, resting at both ends. Frame `frame` is taken after frame / options.fps seconds; its pose and truth are exact,
/// its noise is its own.
SyntheticFrame generate_sequence_frame(const GenerateOptions& options, std::uint32_t scene_index, std::uint32_t frame);

/// Writes `out`/train, `out`/test (when test_frames > 0) and `out`/dataset.toml in the native layout. Scenes are
/// numbered through: the test frames follow the training frames. Of sequences each room is a recording, a folder such
/// as `out`/train/room0000 with times.txt and poses.txt, and each split has the dataset.toml.
/// @throws Error(kUsage) when a split's folder holds other files, which would silently join the data set;
///         Error(kRuntime) when a folder or file cannot be written.
void generate_dataset(const std::filesystem::path& out, const GenerateOptions& options, ThreadPool& pool,
                      const ProgressCallback& progress = {});

}  // namespace fernwood::generate
