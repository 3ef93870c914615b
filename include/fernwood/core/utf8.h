// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

namespace fernwood {

/// Whether a text is UTF-8, as all that is written into JSON must be: no byte is missing or too many, no character is
/// longer than it need be, a surrogate, or beyond U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace fernwood
