// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "fernwood/core/option_table.h"

namespace fernwood::web {

/// Limit for the CPU time of one message or request on the thread of run(), in seconds, with frames of 640 x 480.
inline constexpr double kLongestCallS = 0.1;

/// Response to an HTTP request.
struct WebAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";  ///< Content-Type.
  std::string body = {};
  /// If set, computes the response, and the other members are ignored: for work that would delay other pages. It is
  /// called on another thread and must own copies of all its data.
  std::function<WebAnswer()> later = {};
};

/// Callbacks of a server, all on the thread of run(). None may take longer than kLongestCallS, since all pages wait.
struct WebHandlers {
  /// Called with path and query, from the "/" behind the token on. An Error becomes the response: 404 for kUsage, 503
  /// for kResource (the system refuses memory or a thread), else 500.
  std::function<WebAnswer(const std::string& path)> get = {};
  std::function<void(int client)> opened = {};                               ///< A WebSocket was opened.
  std::function<void(int client, const std::string& text)> on_message = {};  ///< A page sent a message.
  std::function<void(int client)> closed = {};
};

struct WebOptions {
  std::string address = "127.0.0.1";  ///< Address of a network interface; the default accepts only this machine.
  int port = 0;                       ///< 0: a free port.
  std::string trusted_origin = {};    ///< Of a proxy's pages, "https://hub.example"; empty: none.
  std::string token = {};             ///< 32 hexadecimal digits; empty: a new random one.
  std::size_t max_clients = 64;
  /// Parsing a text of 2 MiB takes at most 40 ms.
  std::size_t max_message_bytes = std::size_t{2} << 20;
  std::size_t max_waiting_bytes = std::size_t{32} << 20;  ///< Queue of a client; if it is full, the client is dropped.

  static OptionTable<WebOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of range.
};

/// HTTP and WebSocket server for pages of this machine's user, by Boost.Beast. The token is a folder of the address, so
/// that pages with relative addresses work behind any path of a proxy, and no cookie holds it for other servers of the
/// host. Requests without it are answered with 403. So are WebSockets from pages of another origin, and requests whose
/// host is neither the address served nor this machine's own, which prevents DNS rebinding; trusted_origin is admitted.
/// If connections run out, the one that has waited longest without a token is closed.
class WebServer {
 public:
  /// @throws OptionError for an invalid address or a port out of range, Error(kRuntime) if the port is in use.
  WebServer(const WebOptions& options, WebHandlers handlers);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// The address that opens the page: http://127.0.0.1:PORT/TOKEN/
  std::string url() const;
  /// Serves until a stop is requested. Exceptions of handlers other than `get` end it.
  void run(std::stop_token stop);

  /// Runs `work` on the thread of run(); from any thread. Without memory for that, run() ends with the failure.
  void post(std::function<void()> work);
  /// Runs `work` on another thread, in order of calls, and then the function that it returns on the thread of run().
  /// Call on the thread of run(). `work` must own copies of all its data, and may outlive the caller. Its exceptions
  /// end run().
  void do_aside(std::function<std::function<void()>()> work);
  /// Call on the thread of run(). Does nothing if the client is disconnected.
  void send(int client, const std::string& text);
  void send_to_all(const std::string& text);
  /// Disconnects a client, on the thread of run(); it may reconnect.
  void drop(int client);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::web
