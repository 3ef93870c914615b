// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What tells those who may see a page from others: texts of HTTP, without the library that carries them.

#include <optional>
#include <string>
#include <string_view>

namespace fernwood::web {

/// 32 hexadecimal digits that nobody can guess. @throws Error(kRuntime) when the system gives no random numbers.
std::string new_token();

/// The same time for every guess of the same length.
bool are_equal(std::string_view a, std::string_view b);

/// The value of a name among parts of a text, as "a=1; b=2" or "a=1&b=2" has it.
std::optional<std::string> value_of(std::string_view text, char separator, std::string_view name);

/// A target without the token in its query.
std::string without_token(std::string_view target);

/// The name in a Host header, its port and brackets left out.
std::string_view name_of_host(std::string_view host);

}  // namespace fernwood::web
