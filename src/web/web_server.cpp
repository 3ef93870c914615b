// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/web/web_server.h"

#include <utility>  // before Boost.Asio 1.74, which uses std::exchange without it

#include <array>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood::web {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::asio::ip::tcp;

namespace {

constexpr std::chrono::seconds kHttpTimeout{30};
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::uint32_t kMaxHeaderBytes = 64 << 10;  // browsers send the cookies of all ports of a host

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

std::string_view text_of(boost::string_view text) { return {text.data(), text.size()}; }

/// @param trusted_origin  Its pages may show this one in a frame.
Response answer_to(const Request& request, WebAnswer answer, const std::string& trusted_origin) {
  Response response{static_cast<http::status>(answer.status), request.version()};
  response.set(http::field::content_type, answer.type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set(
      "Content-Security-Policy",
      "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self' " +
          trusted_origin);
  response.set("Referrer-Policy", "no-referrer");  // the address contains the token
  response.keep_alive(request.keep_alive());
  response.body() = std::move(answer.body);
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

/// The host part of the URL for an address: the host name of this machine if the server listens on all interfaces.
std::string host_of(const asio::ip::address& address) {
  if (address.is_unspecified()) return asio::ip::host_name();
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

/// Ends an attempt to listen. @throws Error(kRuntime) naming the option to change; std::system_error for a failure that
/// is not of the address or the port, such as too many descriptors.
[[noreturn]] void refuse_address(const WebOptions& options, const beast::error_code& failure) {
  namespace errc = boost::system::errc;
  // An address of a link without its interface is an invalid argument.
  const bool is_of_address = failure == errc::address_family_not_supported || failure == errc::address_not_available ||
                             failure == errc::invalid_argument;
  FW_CHECK(!is_of_address, Runtime,
           options.address << " cannot be listened on: " << failure.message() << "; use " << named_option("listen")
                           << " an address of this machine, as 127.0.0.1");
  const bool is_of_port = options.port != 0 && (failure == errc::address_in_use || failure == errc::permission_denied);
  FW_CHECK(!is_of_port, Runtime,
           options.address << ", port " << options.port << " cannot be listened on: " << failure.message()
                           << "; use another " << named_option("port") << ", or none for one that is free");
  throw std::system_error(failure.value(), std::system_category(), options.address + " cannot be listened on");
}

/// Rethrows exceptions of Boost as std::system_error, from which they are not derived, for failure_in_hand().
template <typename Do>
decltype(auto) with_standard_errors(const Do& act) {
  try {
    return act();
  } catch (const boost::system::system_error& error) {
    throw std::system_error(error.code().value(), std::system_category());
  }
}

// Access control for pages: functions on HTTP texts.

/// 32 random hexadecimal digits. @throws Error(kRuntime) if the system provides no random numbers.
std::string new_token() {
  std::uint64_t bits[2] = {};
  FW_CHECK(platform::fill_with_random_bits(bits), Runtime, "the system gives no random numbers");
  return to_hex(bits[0]) + to_hex(bits[1]);
}

/// Compares in a time that depends only on the lengths, so that it does not reveal where a guess differs.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

/// The target of a request from the "/" behind the token on: "/a.js?b" of "/hub/user/TOKEN/a.js?b", where a proxy has
/// kept its own path in front. Empty without the token.
std::optional<std::string> path_behind(std::string_view target, std::string_view token) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::size_t start = path.find('/'); start != std::string_view::npos; start = path.find('/', start + 1)) {
    const std::size_t end = path.find('/', start + 1);
    if (end != std::string_view::npos && are_equal(path.substr(start + 1, end - start - 1), token))
      return std::string(target.substr(end));
  }
  return std::nullopt;
}

/// The host name in a Host header, without port and brackets.
std::string_view name_of_host(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  std::string_view name = host.substr(0, has_port ? colon : host.size());
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

OptionTable<WebOptions> WebOptions::table() {
  static constexpr std::array kRows = {
      option<&WebOptions::port>("port", "Port of the page; 0: any free port").in(from_to(0, 65535)),
      option<&WebOptions::address>("listen",
                                   "Network address to listen on: 0.0.0.0 admits everyone who can reach this machine "
                                   "and has the token")
          .takes("ADDRESS")
          .default_means("127.0.0.1, this machine only"),
      option<&WebOptions::trusted_origin>("trusted-origin",
                                          "Origin of a proxy that serves the page, such as JupyterHub's: "
                                          "https://hub.example")
          .takes("URL"),
  };
  return kRows;
}

void WebOptions::check() const {
  check_options(table(), *this);
  boost::system::error_code failure;
  asio::ip::make_address(address, failure);
  require_option(!failure, "listen", in_quotes(address), "use numbers, as 127.0.0.1");
  static const std::regex kOrigin(R"((https?://[a-z0-9._:\[\]-]+)?)");  // it becomes part of a header
  require_option(std::regex_match(trusted_origin, kOrigin), "trusted-origin", in_quotes(trusted_origin),
                 "use scheme and host in lower case, without a path, as https://hub.example");
}

struct WebServer::Work {
  class Socket;
  class Connection;
  /// Work on another thread, and what follows it on the server's thread. Only the server's thread creates and destroys
  /// tasks: their functions hold connections.
  struct Task {
    std::function<std::function<void()>()> work;
    std::function<void()> then = {};
  };

  Work(const WebOptions& chosen, WebHandlers given) : options(chosen), handlers(std::move(given)), acceptor(context) {}

  void listen();
  void accept();
  /// Closes the connection that has waited longest without a token. @return  Whether such a connection existed.
  bool drop_unauthenticated();
  /// Whether the request was sent to the served address, and not to another name that resolves to it (DNS rebinding).
  bool is_for_us(const Request& request) const;
  bool is_own_page(const Request& request) const;
  void do_aside(std::function<std::function<void()>()> work);
  /// The option that admits pages of an origin, for messages.
  static std::string trust(const std::string& origin) {
    return named_option("trusted-origin", printable(origin)).on_command_line();
  }
  std::shared_ptr<Socket> client(int number) const;

  /// Stops the server, whose run() rethrows the exception that is being handled; on any thread. Needs no memory.
  void fail() noexcept {
    {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
    context.stop();
  }
  /// Calls a handler; an exception stops the server.
  template <typename Handle>
  void guard(const Handle& handle) {
    try {
      handle();
    } catch (...) {
      fail();
    }
  }
  template <typename... Arguments>
  void call(const std::function<void(Arguments...)>& handler, const std::type_identity_t<Arguments>&... arguments) {
    if (handler) guard([&] { handler(arguments...); });
  }

  WebOptions options;
  WebHandlers handlers;
  std::string token = options.token.empty() ? new_token() : options.token;
  std::uint16_t port = 0;
  int next_client = 0;
  std::size_t num_connections = 0;
  std::list<Connection*> unauthenticated;  // connections that have not shown the token, the oldest first
  std::map<int, std::weak_ptr<Socket>> clients;
  std::mutex failing;
  std::exception_ptr failure;   // the first, guarded by `failing`
  asio::io_context context{1};  // destroyed before the objects that its handlers use
  tcp::acceptor acceptor;
  asio::steady_timer pause{context};  // until descriptors are available again
  std::list<Task> tasks;
  // Created at once, so that do_aside() cannot fail for lack of a thread; destroyed first, because its work posts to
  // the context.
  asio::thread_pool aside{1};
};

/// A page's WebSocket. Messages wait in a queue, so that a slow page does not delay others.
class WebServer::Work::Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(beast::tcp_stream stream, Work& server, int number)
      : socket_(std::move(stream)), server_(server), number_(number) {}

  void start(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(server_.options.max_message_bytes);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code failure) {
      if (failure) return self->leave();
      self->is_open_ = true;
      self->server_.call(self->server_.handlers.opened, self->number_);
      self->read();
    });
  }

  void send(const std::string& text) {
    if (!is_open_) return;
    waiting_bytes_ += text.size();
    // The page reconnects and receives its state anew, as after any lost connection.
    if (waiting_bytes_ > server_.options.max_waiting_bytes) return leave();
    waiting_.push_back(text);
    if (waiting_.size() == 1) write();
  }

  void leave() {
    if (server_.clients.erase(number_) == 0) return;
    beast::error_code ignored;  // the other side may have closed it
    beast::get_lowest_layer(socket_).socket().close(ignored);
    if (std::exchange(is_open_, false)) server_.call(server_.handlers.closed, number_);
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code failure, std::size_t) {
      if (failure || !self->is_open_) return self->leave();
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->server_.call(self->server_.handlers.on_message, self->number_, text);
      self->read();
    });
  }

  void write() {
    socket_.text(true);
    socket_.async_write(asio::buffer(waiting_.front()),
                        [self = shared_from_this()](beast::error_code failure, std::size_t) {
                          if (failure) return self->leave();
                          self->waiting_bytes_ -= self->waiting_.front().size();
                          self->waiting_.pop_front();
                          if (!self->waiting_.empty()) self->write();
                        });
  }

  websocket::stream<beast::tcp_stream> socket_;
  Work& server_;
  int number_;
  bool is_open_ = false;
  beast::flat_buffer buffer_;
  std::deque<std::string> waiting_;  // the first is being written
  std::size_t waiting_bytes_ = 0;
};

/// An HTTP connection, over which a browser sends requests one after the other.
class WebServer::Work::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Work& server) : stream_(std::move(socket)), server_(server) {
    ++server_.num_connections;
    place_ = server_.unauthenticated.insert(server_.unauthenticated.end(), this);
  }
  ~Connection() {
    --server_.num_connections;
    authenticate();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Closes the connection: reads and writes in progress fail.
  void drop() {
    authenticate();
    beast::error_code ignored;
    stream_.socket().close(ignored);
  }

  void read() {
    parser_.emplace().header_limit(kMaxHeaderBytes);
    stream_.expires_after(kHttpTimeout);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code failure, std::size_t) {
      self->request_ = self->parser_->release();
      if (!failure) return self->answer();
      if (failure != http::error::header_limit) return;
      self->request_.keep_alive(false);
      self->refuse(431, "The request has more than 64 kB of headers: delete cookies of other pages of this host.");
    });
  }

 private:
  /// Removes the connection from those that have not shown the token.
  void authenticate() {
    if (place_) server_.unauthenticated.erase(*std::exchange(place_, std::nullopt));
  }

  void answer() {
    if (!server_.is_for_us(request_))
      return refuse(403,
                    "The page is not at this host: open the address that fernwood printed, or start fernwood with " +
                        server_.trust("https://" + std::string(text_of(request_[http::field::host]))) + ".");
    const std::optional<std::string> path = path_behind(text_of(request_.target()), server_.token);
    if (!path) return refuse(403, "This page is for whoever started fernwood: open the address that it printed.");
    authenticate();
    const bool opens_socket = websocket::is_upgrade(request_);
    // Pages post to learn why no socket opens: browsers tell them nothing, and send the origin only then.
    if ((opens_socket || request_.method() == http::verb::post) && !server_.is_own_page(request_))
      return refuse(403, "A page of another place may not connect; if a proxy serves this page, start fernwood with " +
                             server_.trust(std::string(text_of(request_[http::field::origin]))) + ".");
    if (opens_socket) return open_socket();
    if (request_.method() != http::verb::get && request_.method() != http::verb::head)
      return refuse(405, "Only GET is answered.");
    std::optional<WebAnswer> answer;
    server_.guard([&] { answer = answer_of([&] { return server_.handlers.get(*path); }); });
    if (!answer) return;  // the server is stopping
    if (!answer->later) return show(std::move(*answer));
    server_.do_aside([self = shared_from_this(), later = std::move(answer->later)]() -> std::function<void()> {
      return [self, made = answer_of(later)] { self->show(made); };
    });
  }

  /// Calls make(), and turns its expected errors, such as a damaged frame or a resource that the system refuses, into
  /// the answer for the client.
  template <typename Make>
  static WebAnswer answer_of(const Make& make) {
    try {
      return make();
    } catch (...) {
      const Failure failure = failure_in_hand();
      if (!failure.is_expected) throw;
      const int status = failure.kind == ErrorKind::kUsage ? 404 : failure.kind == ErrorKind::kResource ? 503 : 500;
      return {.status = status, .body = failure.sentence.on_command_line() + "\n"};
    }
  }

  void show(WebAnswer answer) {
    stream_.expires_after(kHttpTimeout);
    write(answer_to(request_, std::move(answer), server_.options.trusted_origin));
  }

  void refuse(int status, const std::string& sentence) { show({status, "text/plain; charset=utf-8", sentence + "\n"}); }

  void open_socket() {
    if (server_.clients.size() >= server_.options.max_clients)
      return refuse(503, "Too many windows are open; close some.");
    const int number = server_.next_client++;
    const auto socket = std::make_shared<Socket>(std::move(stream_), server_, number);
    server_.clients[number] = socket;
    socket->start(request_);
  }

  void write(Response response) {
    response_ = std::move(response);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code failure, std::size_t) {
      if (!failure && self->response_.keep_alive()) return self->read();
      beast::error_code ignored;  // the browser may have disconnected
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  Work& server_;
  std::optional<std::list<Connection*>::iterator> place_;  // in unauthenticated
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;  // of request_
  Request request_;
  Response response_;
};

void WebServer::Work::listen() {
  beast::error_code failure;
  const tcp::endpoint endpoint(asio::ip::make_address(options.address), static_cast<std::uint16_t>(options.port));
  acceptor.open(endpoint.protocol(), failure);
  if (!failure) platform::close_on_exec(acceptor.native_handle());  // Boost.Asio cannot open sockets with this flag
  if (!failure) acceptor.set_option(asio::socket_base::reuse_address(true), failure);
  if (!failure) acceptor.bind(endpoint, failure);
  if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) refuse_address(options, failure);
  port = acceptor.local_endpoint().port();
}

void WebServer::Work::accept() {
  acceptor.async_accept([this](beast::error_code failure, tcp::socket socket) {
    if (failure == asio::error::operation_aborted) return;
    if (failure) {  // usually no descriptor is left: another attempt would fail at once
      drop_unauthenticated();
      pause.expires_after(kAcceptPause);
      return pause.async_wait([this](beast::error_code ended) {
        if (!ended) accept();
      });
    }
    platform::close_on_exec(socket.native_handle());
    // Each connection uses a descriptor; a browser opens up to six.
    if (num_connections < 8 * options.max_clients || drop_unauthenticated())
      std::make_shared<Connection>(std::move(socket), *this)->read();
    accept();
  });
}

bool WebServer::Work::drop_unauthenticated() {
  if (unauthenticated.empty()) return false;
  unauthenticated.front()->drop();
  return true;
}

bool WebServer::Work::is_for_us(const Request& request) const {
  const std::string_view host = text_of(request[http::field::host]), name = name_of_host(host);
  if (!host.empty() && options.trusted_origin.ends_with("://" + std::string(host))) return true;
  beast::error_code is_no_address;
  const asio::ip::address given = asio::ip::make_address(std::string(name), is_no_address);
  const asio::ip::address served = asio::ip::make_address(options.address);
  // The loopback address with another port is a tunnel; no page of another origin has these names.
  if (is_no_address) return name == "localhost" || (served.is_unspecified() && name == asio::ip::host_name());
  return given == served || given.is_loopback() || served.is_unspecified();
}

bool WebServer::Work::is_own_page(const Request& request) const {
  const std::string_view origin = text_of(request[http::field::origin]), host = text_of(request[http::field::host]);
  return origin == "http://" + std::string(host) || (!origin.empty() && origin == options.trusted_origin);
}

void WebServer::Work::do_aside(std::function<std::function<void()>()> work) {
  guard([&] {
    const auto task = tasks.insert(tasks.end(), Task{std::move(work)});
    asio::post(aside, [this, task] {
      const DefaultFloats floats;
      guard([&] {
        task->then = task->work();
        asio::post(context, [this, task] {
          std::list<Task> done;
          done.splice(done.end(), tasks, task);
          guard(task->then);
        });
      });
    });
  });
}

std::shared_ptr<WebServer::Work::Socket> WebServer::Work::client(int number) const {
  const auto found = clients.find(number);
  return found == clients.end() ? nullptr : found->second.lock();
}

WebServer::WebServer(const WebOptions& options, WebHandlers handlers)
    : work_(with_standard_errors([&] { return std::make_unique<Work>(options, std::move(handlers)); })) {
  options.check();
  work_->listen();
  work_->accept();
}

WebServer::~WebServer() = default;

std::string WebServer::url() const {
  return "http://" + host_of(asio::ip::make_address(work_->options.address)) + ":" + std::to_string(work_->port) + "/" +
         work_->token + "/";
}

void WebServer::run(std::stop_token stop) {
  const std::stop_callback end(stop, [this] { work_->context.stop(); });
  with_standard_errors([&] { work_->context.run(); });
  const std::lock_guard lock(work_->failing);
  if (work_->failure) std::rethrow_exception(work_->failure);
}

void WebServer::post(std::function<void()> work) {
  work_->guard([&] { asio::post(work_->context, [this, work = std::move(work)] { work_->guard(work); }); });
}

void WebServer::do_aside(std::function<std::function<void()>()> work) { work_->do_aside(std::move(work)); }

void WebServer::send(int client, const std::string& text) {
  if (const auto socket = work_->client(client)) socket->send(text);
}

void WebServer::drop(int client) {
  if (const auto socket = work_->client(client)) socket->leave();
}

void WebServer::send_to_all(const std::string& text) {
  std::vector<int> numbers;  // numbers first: sending may remove a client
  for (const auto& client : work_->clients) numbers.push_back(client.first);
  for (const int number : numbers) send(number, text);
}

}  // namespace fernwood::web
