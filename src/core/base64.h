// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood {

/// Encodes bytes in Base64 (RFC 4648, section 4), with padding.
std::string to_base64(std::span<const std::uint8_t> bytes);
/// Decodes Base64, also in the alphabet for URLs (section 5); padding and line breaks are skipped. Empty for other
/// characters.
std::optional<std::vector<std::uint8_t>> parse_base64(std::string_view text);

}  // namespace fernwood
