// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Access control for pages: functions on HTTP texts, independent of the HTTP library.

#include <optional>
#include <string>
#include <string_view>

namespace fernwood::web {

/// 32 random hexadecimal digits. @throws Error(kRuntime) if the system provides no random numbers.
std::string new_token();

/// Compares in a time that depends only on the lengths, so that it does not reveal where a guess differs.
bool are_equal(std::string_view a, std::string_view b);

/// The value of a name in a list such as "a=1; b=2" or "a=1&b=2"; empty if the name does not occur.
std::optional<std::string> value_of(std::string_view text, char separator, std::string_view name);

/// The target of a request, without the token in its query.
std::string without_token(std::string_view target);

/// The host name in a Host header, without port and brackets.
std::string_view name_of_host(std::string_view host);

}  // namespace fernwood::web
