// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Names and colours of the classes that generated frames have.
#include "fernwood/generate/generate.h"

#include <utility>

namespace fernwood::generate {

namespace {

image::ClassMap with_black_void(std::vector<image::ClassInfo> classes) {
  return {std::move(classes), {image::Rgb{0, 0, 0}}, {}};
}

}  // namespace

const char* to_string(SceneClasses classes) {
  switch (classes) {
    case SceneClasses::kThings:
      return "things";
    case SceneClasses::kParts:
      return "parts";
    case SceneClasses::kRare:
      return "rare";
  }
  return "";
}

const image::ClassMap& synthetic_classes() {
  static const image::ClassMap kClasses = with_black_void({{"floor", {190, 160, 110}},
                                                           {"wall", {150, 180, 210}},
                                                           {"table", {230, 120, 40}},
                                                           {"chair", {220, 50, 60}},
                                                           {"shelf", {110, 70, 170}},
                                                           {"sofa", {50, 150, 90}},
                                                           {"box", {250, 210, 60}},
                                                           {"ball", {240, 110, 190}},
                                                           {"bottle", {40, 200, 210}}});
  return kClasses;
}

const image::ClassMap& rare_classes() {
  static const image::ClassMap kClasses = with_black_void({{"background", {90, 90, 90}},
                                                           {"hammer", {220, 50, 60}},
                                                           {"drill", {250, 210, 60}},
                                                           {"cup", {40, 200, 210}},
                                                           {"ball", {240, 110, 190}},
                                                           {"box", {50, 150, 90}}});
  return kClasses;
}

const image::ClassMap& part_classes() {
  // Parts of one thing have shades of its colour in synthetic_classes().
  static const image::ClassMap kClasses = with_black_void({{"floor", {190, 160, 110}},
                                                           {"rug", {140, 100, 60}},
                                                           {"wall", {150, 180, 210}},
                                                           {"ceiling", {215, 225, 235}},
                                                           {"skirting board", {90, 115, 145}},
                                                           {"door", {75, 90, 190}},
                                                           {"window", {110, 160, 250}},
                                                           {"picture", {40, 60, 120}},
                                                           {"table top", {230, 120, 40}},
                                                           {"table legs", {150, 75, 20}},
                                                           {"chair seat", {220, 50, 60}},
                                                           {"chair back", {250, 130, 130}},
                                                           {"chair legs", {130, 20, 35}},
                                                           {"shelf", {110, 70, 170}},
                                                           {"books", {190, 150, 240}},
                                                           {"cabinet", {75, 30, 110}},
                                                           {"cabinet front", {160, 60, 190}},
                                                           {"sofa seat", {50, 150, 90}},
                                                           {"sofa back", {20, 95, 50}},
                                                           {"sofa arm", {120, 200, 130}},
                                                           {"pillow", {200, 240, 190}},
                                                           {"bed frame", {95, 105, 20}},
                                                           {"mattress", {225, 225, 130}},
                                                           {"blanket", {160, 180, 50}},
                                                           {"box", {250, 210, 60}},
                                                           {"ball", {240, 110, 190}},
                                                           {"bottle", {40, 200, 210}},
                                                           {"lamp", {255, 245, 190}},
                                                           {"flower pot", {175, 85, 75}},
                                                           {"plant", {70, 200, 40}},
                                                           {"screen", {70, 70, 80}}});
  return kClasses;
}

const image::ClassMap& generated_classes(const GenerateOptions& options) {
  switch (options.classes) {
    case SceneClasses::kParts:
      return part_classes();
    case SceneClasses::kRare:
      return rare_classes();
    case SceneClasses::kThings:
      break;
  }
  return synthetic_classes();
}

}  // namespace fernwood::generate
