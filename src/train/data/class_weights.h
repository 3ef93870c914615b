// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::train {

/// That a text of TrainOptions::class_weights can be read; which classes there are is not known yet.
/// @throws Error(kUsage) telling what cannot be.
void check_class_weights(const std::string& text);

/// [class] What a text of TrainOptions::class_weights asks for, for LeafOptions; empty for "data".
/// - "balanced": by the inverse of the class's share of the pixels, "sqrt" and "cbrt": by the square or cube root of
///   that, times a factor that gives them a mean of 1 over the classes that occur. A class without pixels gets 1.
/// - "name=weight,…": other classes get 1.
/// All are brought into [kLeastClassWeight, kMostClassWeight].
/// @param class_pixels  [class] in the data.
/// @throws Error(kUsage) for a name that no class has, or that comes twice.
std::vector<float> resolve_class_weights(const std::string& text, const image::ClassMap& classes,
                                         const std::vector<std::uint64_t>& class_pixels);

}  // namespace fernwood::train
