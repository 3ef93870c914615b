// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// JSON of other programs: read leniently where programs differ, and strictly where pixels depend on it.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "formats/import/region.h"

namespace fernwood::formats {

/// Encoding assumed for text that is not UTF-8.
enum class OtherEncoding { kNone, kLatin1 };

/// @throws Error(kData) for a text that is not JSON.
nlohmann::json read_json(const std::filesystem::path& path, OtherEncoding other = OtherEncoding::kNone);

/// A member of an object; null if it is missing.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// A string; a number is converted to one; empty for anything else.
std::string text_at(const nlohmann::json& object, const char* key);
/// A whole number from 0 to 2^31; `missing` if the member is missing.
std::size_t size_at(const nlohmann::json& object, const char* key, std::size_t missing = 0);
/// A finite number; empty for anything else.
std::optional<double> number_of(const nlohmann::json& value);

/// The numbers of a list, NaN for other values; empty for anything else.
std::vector<double> numbers_of(const nlohmann::json& list);

/// Parses [x, y, x, y, ...] or [[x, y], ...]. @param what  Names the place. @throws Error(kData) for anything else.
Polygon polygon_of(const nlohmann::json& value, const std::string& what);

/// Decodes Base64 (RFC 4648), also after "data:...;base64,"; line breaks are skipped. @throws Error(kData) for another
/// text.
std::string from_base64(std::string_view text, const std::string& what);

}  // namespace fernwood::formats
