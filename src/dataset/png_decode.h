// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The pixels of the PNG files that frames come in, decoded through libdeflate in half the time that OpenCV takes.

#include <cstdint>
#include <filesystem>
#include <span>

#include "dataset/image_file.h"
#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// Decodes 8-bit RGB, 8-bit RGBA (its alpha is left out) and palettes (an index beyond the palette is black).
/// @param header  Of `bytes`, which were inspected before (inspect_png).
/// @param image   Of the size in `header`.
/// @return        False, with `image` untouched, for other formats, for interlaced files, and for all files in a build
///                without libdeflate.
/// @throws        Error(kData) when the pixels are damaged, too few or too many.
bool decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<image::Rgb>* image);

/// The same for 16-bit grey.
bool decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<std::uint16_t>* image);

}  // namespace fernwood::dataset
