// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "fernwood/core/option_table.h"

namespace fernwood::web {

/// Seconds of its processor that the thread of run() may take for one message or address, with frames of 640 x 480.
inline constexpr double kLongestCallS = 0.1;

/// What a browser gets for an address.
struct WebAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";  ///< Content-Type.
  std::string body = {};
  /// What makes the answer, of which the rest is not looked at then: work that would hold up other pages. It is called
  /// on another thread, and so has copies of all that it needs.
  std::function<WebAnswer()> later = {};
};

/// What a server calls, all on the thread of run(). None may take longer than kLongestCallS, since all pages wait.
struct WebHandlers {
  /// For a path and query, the token left out. An Error is the answer: 404 where it is kUsage, 503 where it is
  /// kResource, as memory or a thread that the system refuses, else 500.
  std::function<WebAnswer(const std::string& path)> get = {};
  std::function<void(int client)> opened = {};                               ///< A page's WebSocket, by its number.
  std::function<void(int client, const std::string& text)> on_message = {};  ///< What the page says.
  std::function<void(int client)> closed = {};
};

struct WebOptions {
  std::string address = "127.0.0.1";  ///< Of a network interface; only this machine reaches the default.
  int port = 0;                       ///< 0: one that is free.
  std::string token = {};             ///< 32 hexadecimal digits; empty: a new one.
  std::size_t max_clients = 64;
  /// A text of 2 MiB takes 40 ms to parse, whatever it has.
  std::size_t max_message_bytes = std::size_t{2} << 20;
  std::size_t max_waiting_bytes = std::size_t{32} << 20;  ///< For a client; one that is slower is left, and may return.

  static OptionTable<WebOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// HTTP and WebSocket for pages of this machine's user, by Boost.Beast. Whoever has not the token of url() gets 403; so
/// does a WebSocket that a page of another place opens, and a request to a host that is neither the address that is
/// served nor this machine's own, as a name that was made to lead here. Where connections run out, the one that has
/// waited longest without a token is ended.
class WebServer {
 public:
  /// @throws OptionError for an address that is none or a port out of its range, Error(kRuntime) when the port is
  /// taken.
  WebServer(const WebOptions& options, WebHandlers handlers);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// What opens the page: http://127.0.0.1:PORT/?token=...
  std::string url() const;
  /// Serves until it is asked to stop. What the other handlers throw ends it.
  void run(std::stop_token stop);

  /// Has `work` done on the thread of run(); from any thread.
  void post(std::function<void()> work);
  /// Has `work` done on another thread, one after another, and then what it returns on that of run(). On the thread of
  /// run(); `work` has copies of all that it needs, and may outlive what calls this. What it throws ends run().
  void do_aside(std::function<std::function<void()>()> work);
  /// On the thread of run(). Nothing happens when the client has gone.
  void send(int client, const std::string& text);
  void send_to_all(const std::string& text);
  /// Ends a client, on the thread of run(): it may return, as after any loss.
  void drop(int client);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::web
