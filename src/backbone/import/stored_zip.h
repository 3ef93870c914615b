// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/json_field.h"

namespace fernwood::backbone {

/// Whether bytes begin like a ZIP archive.
bool is_zip(std::span<const std::uint8_t> bytes);

/// The files of a ZIP archive (APPNOTE 6.3) without compression; the results refer to `bytes`.
/// @throws Error(kData) for a damaged archive, a compressed file in it, or a file of more than 4 GiB.
std::map<std::string, std::span<const std::uint8_t>> read_stored_zip(std::span<const std::uint8_t> bytes,
                                                                     const ErrorContext& place);

}  // namespace fernwood::backbone
