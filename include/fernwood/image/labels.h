// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Class of each pixel: an index into ClassMap::classes, or kVoid.
using LabelImage = Array2<std::uint16_t>;
inline constexpr std::uint16_t kVoid = 0xffff;  ///< Unlabelled: ignored in training and in accuracy.

/// Number of the object that each pixel is of, within a frame or a scene; kNoInstance where it is of none.
using InstanceImage = Array2<std::uint16_t>;
inline constexpr std::uint16_t kNoInstance = 0;

/// A class of pixels.
struct ClassInfo {
  std::string name;
  Rgb color;  ///< Colour in ground-truth and label images.
  /// Whether the class is a thing, as dataset.toml or an option states; empty: as its name suggests.
  std::optional<bool> stated_thing = {};

  /// Whether the class is a thing, whose pixels form objects that can be counted, rather than stuff, such as floor and
  /// sky, which is only measured.
  bool is_thing() const;
  bool operator==(const ClassInfo&) const = default;
};

/// The classes of a data set or a model, in the order of their indices, and the colours of void pixels.
struct ClassMap {
  std::vector<ClassInfo> classes;           ///< At most 65534.
  std::vector<Rgb> void_colors;             ///< Black and the ignored colours.
  std::optional<std::uint16_t> background;  ///< Class excluded from the accuracy "without background", if any.

  std::size_t size() const { return classes.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ClassInfo& info : classes) names.push_back(info.name);
    return names;
  }
  bool operator==(const ClassMap&) const = default;
};

/// States for all classes whether they are things: those named are, the others are stuff.
/// @throws OptionError about `things` for a name that is not a class.
void state_things(const std::vector<std::string>& things, std::vector<ClassInfo>& classes);

/// Number of colours at the start of class_palette() that are also distinguishable on light and on dark backgrounds.
inline constexpr std::size_t kNumChartColors = 16;

/// 32 colours for classes and charts, to be used in order. For normal vision, deuteranopia and protanopia, they differ
/// from each other and from black (void) by at least 25 units of CIE L*a*b* among the first ten, and by 12 among all.
std::span<const Rgb> class_palette();

}  // namespace fernwood::image
