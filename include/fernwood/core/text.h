// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

namespace fernwood {

/// printf into a string; at most 511 bytes, the rest is cut off.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* pattern, ...);

}  // namespace fernwood
