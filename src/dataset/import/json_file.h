// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// JSON that other programs wrote: read leniently where they differ, and strictly where a pixel depends on it.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dataset/import/region.h"

namespace fernwood::dataset {

/// What a text that is not UTF-8 is taken for.
enum class OtherEncoding { kNone, kLatin1 };

/// @throws Error(kData) for a text that is no JSON.
nlohmann::json read_json(const std::filesystem::path& path, OtherEncoding other = OtherEncoding::kNone);

/// A member of an object; null where there is none.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// A text; a number as its text; empty for anything else.
std::string text_at(const nlohmann::json& object, const char* key);
/// A whole number from 0 to 2^31; `missing` where there is none.
std::size_t size_at(const nlohmann::json& object, const char* key, std::size_t missing = 0);
/// A number that is finite; empty for anything else.
std::optional<double> number_of(const nlohmann::json& value);

/// [x, y, x, y, ...] or [[x, y], ...]. @param what  Names the place. @throws Error(kData) for anything else.
Polygon polygon_of(const nlohmann::json& value, const std::string& what);

/// Bytes of a text in base64 (RFC 4648), also behind "data:...;base64,"; line breaks are passed over. @throws
/// Error(kData) for another text.
std::string from_base64(std::string_view text, const std::string& what);

}  // namespace fernwood::dataset
