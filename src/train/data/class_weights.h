// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::train {

/// Checks the syntax of TrainOptions::class_weights; the classes are not known yet.
/// @throws Error(kUsage) for a syntax error or a weight outside [kMinClassWeight, kMaxClassWeight].
void check_class_weights(const std::string& text);

/// [class] Weights for LeafOptions according to TrainOptions::class_weights; empty for "data".
/// - "balanced": inverse of the class's share of the pixels; "sqrt" and "cbrt": square or cube root of that, times a
///   factor that gives a mean of 1 over the classes that occur. A class without pixels gets 1.
/// - "name=weight,…": classes not named get 1.
/// Weights computed from pixels are clamped to [kMinClassWeight, kMaxClassWeight].
/// @param class_pixels  [class] in the data.
/// @throws Error(kUsage) for an unknown or repeated class name.
std::vector<float> resolve_class_weights(const std::string& text, const image::ClassMap& classes,
                                         const std::vector<std::uint64_t>& class_pixels);

}  // namespace fernwood::train
