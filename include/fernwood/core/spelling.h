// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <string_view>

namespace fernwood {

/// The name that a misspelt word most likely means: the one with the fewest inserted, removed and replaced characters
/// (Levenshtein's distance), the first of several. Empty when each needs more than 3, or half of the word.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace fernwood
