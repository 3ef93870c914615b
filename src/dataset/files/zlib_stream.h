// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fernwood::dataset {

inline constexpr int kFastZlib = 1;  ///< Compression level for data written while frames wait.

/// A zlib stream (RFC 1950) of the bytes. @param level  1 to 12.
std::vector<std::uint8_t> compress_zlib(std::span<const std::uint8_t> bytes, int level);
/// Decompresses a zlib stream; empty for damage, and for more than `most_bytes`.
std::optional<std::vector<std::uint8_t>> decompress_zlib(std::span<const std::uint8_t> bytes, std::size_t most_bytes);

}  // namespace fernwood::dataset
