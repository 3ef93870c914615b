// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "dataset/files/image_file.h"

namespace fernwood::dataset {

/// A file that is neither PNG nor JPEG; its pixels are decoded by the plug-in. Of numbers that no plug-in delivers
/// (floating point, signed, more than 16 bits) only the header is read.
/// @throws Error(kData) that says what the file is, for other kinds of files, damaged ones and without the plug-in.
ImageHeader inspect_fallback(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace fernwood::dataset
