// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/labels.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "image/class_names.h"

namespace fernwood::image {

namespace {

/// Usual names of classes that are floor, in lower case.
constexpr std::array kFloorNames = std::to_array<std::string_view>({"carpet",
                                                                    "earth, ground",
                                                                    "floor",
                                                                    "floor mat",
                                                                    "floor, flooring",
                                                                    "floor-mat",
                                                                    "floor_mat",
                                                                    "flooring",
                                                                    "floormat",
                                                                    "floors",
                                                                    "ground",
                                                                    "mat",
                                                                    "parking",
                                                                    "path",
                                                                    "pavement",
                                                                    "road",
                                                                    "road, route",
                                                                    "rug",
                                                                    "rug, carpet, carpeting",
                                                                    "sidewalk",
                                                                    "sidewalk, pavement",
                                                                    "street",
                                                                    "terrain"});

/// Usual names of other stuff, in lower case.
constexpr std::array kStuffNames = std::to_array<std::string_view>(
    {"background", "ceiling", "ceilings",   "dirt",           "earth", "field",  "foliage",
     "grass",      "gravel",  "lawn",       "mountain",       "other", "others", "otherstructure",
     "river",      "sand",    "sea",        "skirting board", "sky",   "snow",   "soil",
     "structure",  "stuff",   "vegetation", "wall",           "walls", "water"});

bool is_one_of(const std::string& name, std::span<const std::string_view> names) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), to_lower);
  return std::ranges::find(names, lower) != names.end();
}

}  // namespace

bool is_floor_name(const std::string& name) { return is_one_of(name, kFloorNames); }

bool ClassInfo::is_thing() const {
  return stated_thing.value_or(!is_floor_name(name) && !is_one_of(name, kStuffNames));
}

void state_things(const std::vector<std::string>& things, std::vector<ClassInfo>& classes) {
  for (ClassInfo& info : classes) info.stated_thing = false;
  for (const std::string& thing : things) {
    const auto found = std::ranges::find(classes, thing, &ClassInfo::name);
    require_option(found != classes.end(), "things", in_quotes(thing),
                   "name some of the classes, which are " + join(classes, ", ", &ClassInfo::name));
    found->stated_thing = true;
  }
}

}  // namespace fernwood::image
