// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Arrays as files that NumPy loads (format version 1.0, C order, little endian).

#include <cstdint>
#include <filesystem>
#include <span>

#include "fernwood/core/array.h"

namespace fernwood::dataset {

/// uint16 [rows][cols]. @throws Error(kRuntime), as write_file_atomically.
void write_npy(const std::filesystem::path& path, const Array2<std::uint16_t>& image);
/// float32 [rows][cols][planes]: the values of a pixel stand side by side.
/// @param planes  At least one, all of one size. @throws Error(kUsage) else.
void write_npy(const std::filesystem::path& path, std::span<const Array2<float>> planes);

}  // namespace fernwood::dataset
