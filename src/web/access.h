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

/// The target of a request from the "/" behind the token on: "/a.js?b" of "/hub/user/TOKEN/a.js?b", where a proxy has
/// kept its own path in front. Empty without the token.
std::optional<std::string> path_behind(std::string_view target, std::string_view token);

/// The host name in a Host header, without port and brackets.
std::string_view name_of_host(std::string_view host);

}  // namespace fernwood::web
