// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <utility>  // Boost.Asio before 1.74 uses std::exchange without including it

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <map>
#include <string>

namespace fernwood::web {

/// Address of a server, from its url().
struct WebPlace {
  explicit WebPlace(const std::string& url) {
    const std::string start = "http://127.0.0.1:";
    const std::size_t end = url.find('/', start.size());
    port = url.substr(start.size(), end - start.size());
    token = url.substr(end + 1, url.size() - end - 2);
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

/// Sends a request with this target. @param headers  Set beside, or in place of, the usual ones.
inline WebResponse asked_for(const WebPlace& place, const std::string& target,
                             boost::beast::http::verb verb = boost::beast::http::verb::get,
                             const std::map<std::string, std::string>& headers = {}) {
  namespace http = boost::beast::http;
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket = connected(place, context);
  http::request<http::empty_body> request(verb, target, 11);
  request.set(http::field::host, place.host());
  for (const auto& [name, value] : headers) request.set(name, value);
  http::write(socket, request);
  boost::beast::flat_buffer buffer;
  WebResponse response;
  http::read(socket, buffer, response);
  return response;
}
/// Sends a request for a path of the page, "/a.js", behind the token.
inline WebResponse asked(const WebPlace& place, const std::string& path) {
  return asked_for(place, "/" + place.token + path);
}

/// The WebSocket of a page.
struct WebPage {
  WebPage(const WebPlace& place, const std::string& token, const std::string& origin)
      : socket(connected(place, context)) {
    namespace websocket = boost::beast::websocket;
    socket.set_option(websocket::stream_base::decorator(
        [&](websocket::request_type& request) { request.set(boost::beast::http::field::origin, origin); }));
    socket.handshake(place.host(), "/" + token + "/socket", failure);
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
