// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fernwood {

/// printf into a string; at most 511 bytes, the rest is cut off.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* pattern, ...);

/// 16 hexadecimal digits.
std::string to_hex(std::uint64_t value);
/// Parses "900MB", "4GiB", "1.5 GB" or a plain number of bytes. @throws Error(kUsage).
std::size_t parse_bytes(const std::string& text);
/// For people: "1.5 GiB".
std::string format_bytes(std::size_t size_bytes);

/// The name that a misspelt word most likely means: the one with the fewest inserted, removed and replaced characters
/// (Levenshtein's distance), the first of several. Empty when each needs more than 3, or half of the word.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace fernwood
