// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>

#include "fernwood/core/option_error.h"
#include "fernwood/objects/objects.h"

namespace fernwood::objects {

namespace {

constexpr const char* kObjects = "Objects";

constexpr std::array kRows = {
    option<&ObjectOptions::things>("things",
                                   "Classes whose pixels form objects; the others are stuff, which is only measured")
        .takes("CLASS,...")
        .default_means("as the model or the class names say")
        .in_group(kObjects),
    option<&ObjectOptions::gap_m>(
        "object-gap",
        "Parts of an object are joined behind occluders of this width, and small ones within this distance, in metres")
        .takes("METRES")
        .in(from_to(0, 2))
        .in_group(kObjects),
    option<&ObjectOptions::min_area_cm2>("min-object-area", "Smaller objects are left out: visible area in cm2")
        .takes("CM2")
        .in(from_to(0, 10000))
        .in_group(kObjects),
    option<&ObjectOptions::min_confidence>("min-object-confidence", "Minimum mean probability of an object's class")
        .in(from_to(0, 1))
        .default_means("0.5; with more than 24 classes 12 / their number, as 0.3 with 40")
        .in_group(kObjects),
};

}  // namespace

OptionTable<ObjectOptions> ObjectOptions::table() { return kRows; }
void ObjectOptions::check() const { check_options(table(), *this); }

}  // namespace fernwood::objects
