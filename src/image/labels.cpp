// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/labels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::image {

namespace {

/// Usual names of stuff, in lower case.
constexpr std::array kStuffNames = std::to_array<std::string_view>(
    {"background", "ceiling",        "ceilings",       "dirt",     "earth",  "field", "floor",    "floor mat",
     "floors",     "foliage",        "grass",          "gravel",   "ground", "lawn",  "mountain", "other",
     "others",     "otherstructure", "path",           "pavement", "river",  "road",  "rug",      "sand",
     "sea",        "sidewalk",       "skirting board", "sky",      "snow",   "soil",  "street",   "structure",
     "stuff",      "terrain",        "vegetation",     "wall",     "walls",  "water"});

}  // namespace

bool ClassInfo::is_thing() const {
  if (stated_thing) return *stated_thing;
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), to_lower);
  return std::ranges::find(kStuffNames, lower) == kStuffNames.end();
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
