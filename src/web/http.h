// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a server needs of Boost.Beast, and what it sends over it.

#include <utility>  // before Boost.Asio 1.74, which uses std::exchange without it

#include <boost/asio.hpp>
#include <boost/beast.hpp>
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

Response answer_to(const Request& request, WebAnswer answer);

/// No program that is started holds it: the port would stay taken for as long as that runs. The library has no way to
/// open it so.
void close_on_exec(int descriptor);

/// What others call an address: where all interfaces are listened on, this machine's name.
std::string host_of(const asio::ip::address& address);

/// What Boost throws is no std::system_error, which failure_in_hand() knows.
template <typename Do>
decltype(auto) with_standard_errors(const Do& act) {
  try {
    return act();
  } catch (const boost::system::system_error& error) {
    throw std::system_error(error.code().value(), std::system_category());
  }
}

}  // namespace fernwood::web
