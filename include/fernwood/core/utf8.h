// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

namespace fernwood {

/// Whether a text is valid UTF-8, as JSON requires: without missing or surplus bytes, overlong encodings, surrogates,
/// and characters above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace fernwood
