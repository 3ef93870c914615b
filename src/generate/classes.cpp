// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Names and colours of the classes that generated frames have.
#include "fernwood/generate/generate.h"

#include <array>
#include <cstddef>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::generate {

namespace {

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

}  // namespace fernwood::generate
