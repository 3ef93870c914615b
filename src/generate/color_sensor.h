// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/image/frame.h"
#include "generate/render.h"

namespace fernwood::generate {

/// What a colour camera makes of the light: a little blur, automatic exposure, a white balance that misses by a
/// little, vignetting, noise, and sRGB (its curve taken as a square root).
Array2<image::Rgb> sense_color(const Array2<Vec3>& light, std::uint64_t seed, std::uint32_t scene);

}  // namespace fernwood::generate
