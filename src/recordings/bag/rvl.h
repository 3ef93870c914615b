// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fernwood/core/array.h"

namespace fernwood::dataset {

/// Decodes a depth image in RVL (Wilson, "Fast Lossless Depth Image Compression", ISS 2017): runs of zeros, and
/// differences between adjacent pixels. @param packed  Words of 32 bits, little-endian.
/// @throws Error(kData) where words are missing, or encode more pixels than the image has. @param place  For messages.
Array2<std::uint16_t> unpack_rvl(std::span<const std::uint8_t> packed, std::size_t rows, std::size_t cols,
                                 const std::string& place);

}  // namespace fernwood::dataset
