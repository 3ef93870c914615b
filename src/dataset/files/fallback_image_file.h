// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "dataset/files/image_file.h"

namespace fernwood::dataset {

/// Inspects a file that is neither PNG nor JPEG; its pixels are decoded by the plug-in. For types that plug-ins do not
/// return (floating point, signed, more than 16 bits), only the header is read.
/// @throws Error(kData), stating the kind of file, for unsupported or damaged files and if the plug-in is missing.
ImageHeader inspect_fallback(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace fernwood::dataset
