// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Boost.Beast types used by the server, and the responses it sends.

#include <utility>  // before Boost.Asio 1.74, which uses std::exchange without it

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "fernwood/web/web_server.h"

namespace fernwood::web {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

inline std::string_view text_of(boost::string_view text) { return {text.data(), text.size()}; }

/// @param trusted_origin  Its pages may show this one in a frame.
Response answer_to(const Request& request, WebAnswer answer, const std::string& trusted_origin);

/// The host part of the URL for an address: the host name of this machine if the server listens on all interfaces.
std::string host_of(const asio::ip::address& address);

/// Ends an attempt to listen. @throws Error(kRuntime) naming the option to change; std::system_error for a failure that
/// is not of the address or the port, such as too many descriptors.
[[noreturn]] void refuse_address(const WebOptions& options, const beast::error_code& failure);

/// Rethrows exceptions of Boost as std::system_error, from which they are not derived, for failure_in_hand().
template <typename Do>
decltype(auto) with_standard_errors(const Do& act) {
  try {
    return act();
  } catch (const boost::system::system_error& error) {
    throw std::system_error(error.code().value(), std::system_category());
  }
}

// Access control for pages: functions on HTTP texts, independent of the HTTP library.

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
