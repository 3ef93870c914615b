// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/generate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "generate/furnish.h"
#include "generate/scene.h"

namespace fernwood::generate {

namespace {

using SceneOptions = GenerateOptions;

constexpr std::array kGenerateRows = {
    option<&SceneOptions::frames>("frames", "Frames to train on; with {sequence}, rooms").in(from_to(1, 100000)),
    option<&SceneOptions::test_frames>("test-frames", "Frames to test on; with {sequence}, rooms")
        .in(from_to(0, 100000)),
    option<&SceneOptions::sequence>("sequence", "Frames of each room, taken by a camera that moves; 0: single frames")
        .in(from_to(0, 10000)),
    option<&SceneOptions::fps>("fps", "Frames a second of sequences").in(from_to(0.1, 1000)),
    option<&SceneOptions::moving_things>("moving-things", "Number of moving objects in each room of sequences")
        .in(from_to(0, 16)),
    option<&SceneOptions::seed>("seed", "Random seed; the same seed gives the same frames"),
    option<&SceneOptions::holes>("holes", "Fraction of pixels without depth in each frame")
        .in(from_to(0, 0.9))
        .default_means("a camera's"),
    choice_option<kSceneClasses, &SceneOptions::classes>(
        "classes",
        "things: furniture, 9 classes; parts: the same frames, 31 classes; rare: small things of five classes, "
        "each about 0.5 % of the pixels"),
};

constexpr std::size_t kFineCols = 320;  // in coarser frames, borders of 2 pixels would cover the legs of tables

/// A class, and the index of its colour in image::class_palette().
struct PaletteClass {
  const char* name;
  std::size_t color_index;
};

image::ClassMap with_black_void(const std::vector<PaletteClass>& classes) {
  image::ClassMap map;
  map.void_colors = {image::Rgb{0, 0, 0}};
  for (const auto& [name, color_index] : classes) map.classes.push_back({name, image::class_palette()[color_index]});
  return map;
}

}  // namespace

const char* to_string(SceneClasses classes) {
  constexpr std::array kNames = {"things", "parts", "rare"};
  return kNames[static_cast<std::size_t>(classes)];
}

const image::ClassMap& synthetic_classes() {
  static const image::ClassMap kClasses = with_black_void({{"floor", 0},
                                                           {"wall", 1},
                                                           {"table", 2},
                                                           {"chair", 3},
                                                           {"shelf", 4},
                                                           {"sofa", 5},
                                                           {"box", 6},
                                                           {"ball", 7},
                                                           {"bottle", 8}});
  return kClasses;
}

const image::ClassMap& rare_classes() {
  static const image::ClassMap kClasses =
      with_black_void({{"background", 4}, {"hammer", 3}, {"drill", 2}, {"cup", 8}, {"ball", 7}, {"box", 6}});
  return kClasses;
}

const image::ClassMap& part_classes() {
  // The most prominent part of an object has its colour in synthetic_classes().
  static const image::ClassMap kClasses = with_black_void({{"floor", 0},
                                                           {"rug", 9},
                                                           {"wall", 1},
                                                           {"ceiling", 10},
                                                           {"skirting board", 11},
                                                           {"door", 12},
                                                           {"window", 13},
                                                           {"picture", 14},
                                                           {"table top", 2},
                                                           {"table legs", 15},
                                                           {"chair seat", 3},
                                                           {"chair back", 16},
                                                           {"chair legs", 17},
                                                           {"shelf", 4},
                                                           {"books", 18},
                                                           {"cabinet", 19},
                                                           {"cabinet front", 20},
                                                           {"sofa seat", 5},
                                                           {"sofa back", 21},
                                                           {"sofa arm", 22},
                                                           {"pillow", 23},
                                                           {"bed frame", 24},
                                                           {"mattress", 25},
                                                           {"blanket", 26},
                                                           {"box", 6},
                                                           {"ball", 7},
                                                           {"bottle", 8},
                                                           {"lamp", 27},
                                                           {"flower pot", 28},
                                                           {"plant", 29},
                                                           {"screen", 30}});
  return kClasses;
}

const image::ClassMap& generated_classes(const GenerateOptions& options) {
  if (options.classes == SceneClasses::kParts) return part_classes();
  return options.classes == SceneClasses::kRare ? rare_classes() : synthetic_classes();
}

std::size_t margin_px(std::size_t cols) { return std::max<std::size_t>(1, cols / 160); }

image::LabelImage truth_of(const Rendering& seen, const Scene& scene) {
  const std::size_t rows = seen.part.rows(), cols = seen.part.cols(), margin = margin_px(cols);
  const bool both_sides = cols >= kFineCols;
  const auto object_at = [&](std::size_t y, std::size_t x) {
    const std::int32_t part = seen.part(y, x);
    return part < 0 ? -1 : scene.parts[static_cast<std::size_t>(part)].object;
  };
  image::LabelImage labels(rows, cols, image::kVoid);
  for (std::size_t y = margin; y + margin < rows; ++y)
    for (std::size_t x = margin; x + margin < cols; ++x) {
      const int object = object_at(y, x);
      bool inside = object_at(y, x + 1) == object && object_at(y + 1, x) == object;
      if (both_sides) inside = inside && object_at(y, x - 1) == object && object_at(y - 1, x) == object;
      if (object >= 0 && inside) labels(y, x) = scene.parts[static_cast<std::size_t>(seen.part(y, x))].label;
    }
  return labels;
}

image::InstanceImage instances_of(const Rendering& seen, const Scene& scene, const image::LabelImage& labels,
                                  const image::ClassMap& classes) {
  image::InstanceImage instances(labels.rows(), labels.cols(), image::kNoInstance);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label == image::kVoid || !classes.classes[label].is_thing()) continue;
    const int object = scene.parts[static_cast<std::size_t>(seen.part.data()[i])].object;
    if (object >= kFirstThing) instances.data()[i] = static_cast<std::uint16_t>(object - kFirstThing + 1);
  }
  return instances;
}

OptionTable<GenerateOptions> GenerateOptions::table() { return kGenerateRows; }

void GenerateOptions::check() const {
  constexpr int kMinSize = 32, kMaxSize = 4096;
  check_options(table(), *this);
  require_option(
      width >= kMinSize && width <= kMaxSize && height >= kMinSize && height <= kMaxSize, "size",
      std::to_string(width) + "x" + std::to_string(height),
      "use a width and a height from " + std::to_string(kMinSize) + " to " + std::to_string(kMaxSize) + " pixels");
  constexpr std::int64_t kMaxFrames = 1'000'000;
  const std::int64_t rooms = std::int64_t{frames} + test_frames;
  require_option(rooms * sequence <= kMaxFrames, "sequence", sequence,
                 "for " + std::to_string(rooms) + " rooms these are more than " + std::to_string(kMaxFrames) +
                     " frames, use fewer of one or the other");
  require_option(sequence > 0 || moving_things == 0, "moving-things", moving_things,
                 OptionSentence{"single frames have no time in which things could move, use {}", {{"sequence"}}});
}

image::Camera generated_camera(const GenerateOptions& options) {
  const float focal = focal_px_at(options.width);
  const auto middle = [](int side) { return 0.5f * (static_cast<float>(side) - 1.0f); };
  return {options.width, options.height, focal, focal, middle(options.width), middle(options.height)};
}

namespace {

SyntheticFrame take_frame(const GenerateOptions& options, const Scene& scene, std::uint32_t scene_index,
                          std::uint32_t frame) {
  const Rendering seen = render(scene, options.width, options.height);
  image::LabelImage labels = truth_of(seen, scene);
  image::InstanceImage instances = instances_of(seen, scene, labels, generated_classes(options));
  return {{sense_color(seen.color, options.seed, scene_index, frame),
           sense_depth(seen, scene, {options.seed, scene_index, options.holes, frame}), generated_camera(options)},
          std::move(labels),
          std::move(instances),
          pose_of(scene.camera)};
}

}  // namespace

SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index) {
  const DefaultFloats floats;
  options.check();
  const Scene scene = make_scene(options.seed, scene_index, options.width, options.height, options.classes);
  return take_frame(options, scene, scene_index, 0);
}

SyntheticFrame generate_sequence_frame(const GenerateOptions& options, std::uint32_t scene_index, std::uint32_t frame) {
  const DefaultFloats floats;
  options.check();
  const Scene start = make_scene(options.seed, scene_index, options.width, options.height, options.classes);
  const auto time_s = static_cast<float>(frame / options.fps);
  return take_frame(options, scene_at(start, options, scene_index, time_s), scene_index, frame);
}

}  // namespace fernwood::generate
