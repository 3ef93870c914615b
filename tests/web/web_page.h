// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <utility>  // Boost.Asio before 1.74 uses std::exchange without including it

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <string>

namespace fernwood::web {

/// Address of a server, from its url().
struct WebPlace {
  explicit WebPlace(const std::string& url) {
    const std::string start = "http://127.0.0.1:", middle = "/?token=";
    const std::size_t end = url.find(middle);
    port = url.substr(start.size(), end - start.size());
    token = url.substr(end + middle.size());
  }
  std::string host() const { return "127.0.0.1:" + port; }

  std::string port, token;
};

inline boost::asio::ip::tcp::socket connected(const WebPlace& place, boost::asio::io_context& context) {
  boost::asio::ip::tcp::socket socket(context);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(std::stoi(place.port))});
  return socket;
}

using WebResponse = boost::beast::http::response<boost::beast::http::string_body>;

inline WebResponse asked(const WebPlace& place, const std::string& target, const std::string& cookie = "",
                         boost::beast::http::verb verb = boost::beast::http::verb::get, const std::string& host = "") {
  namespace http = boost::beast::http;
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket = connected(place, context);
  http::request<http::empty_body> request(verb, target, 11);
  request.set(http::field::host, host.empty() ? place.host() : host);
  if (!cookie.empty()) request.set(http::field::cookie, cookie);
  http::write(socket, request);
  boost::beast::flat_buffer buffer;
  WebResponse response;
  http::read(socket, buffer, response);
  return response;
}

/// The WebSocket of a page.
struct WebPage {
  WebPage(const WebPlace& place, const std::string& token, const std::string& origin)
      : socket(connected(place, context)) {
    namespace websocket = boost::beast::websocket;
    socket.set_option(websocket::stream_base::decorator(
        [&](websocket::request_type& request) { request.set(boost::beast::http::field::origin, origin); }));
    socket.handshake(place.host(), "/socket?token=" + token, failure);
  }
  explicit WebPage(const WebPlace& place) : WebPage(place, place.token, "http://" + place.host()) {}

  void say(const std::string& text) { socket.write(boost::asio::buffer(text), failure); }
  std::string hear() {
    boost::beast::flat_buffer buffer;
    socket.read(buffer, failure);
    return boost::beast::buffers_to_string(buffer.data());
  }

  boost::asio::io_context context;
  boost::beast::websocket::stream<boost::asio::ip::tcp::socket> socket;
  boost::beast::error_code failure;
};

}  // namespace fernwood::web
