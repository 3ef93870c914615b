// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "web/http.h"

#include <array>
#include <cstdint>
#include <regex>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "fernwood/web/web_server.h"

namespace fernwood::web {

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

std::string host_of(const asio::ip::address& address) {
  if (address.is_unspecified()) return asio::ip::host_name();
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

void refuse_address(const WebOptions& options, const beast::error_code& failure) {
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

std::string new_token() {
  std::uint64_t bits[2] = {};
  FW_CHECK(platform::fill_with_random_bits(bits), Runtime, "the system gives no random numbers");
  return to_hex(bits[0]) + to_hex(bits[1]);
}

bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

std::optional<std::string> path_behind(std::string_view target, std::string_view token) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::size_t start = path.find('/'); start != std::string_view::npos; start = path.find('/', start + 1)) {
    const std::size_t end = path.find('/', start + 1);
    if (end != std::string_view::npos && are_equal(path.substr(start + 1, end - start - 1), token))
      return std::string(target.substr(end));
  }
  return std::nullopt;
}

std::string_view name_of_host(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  std::string_view name = host.substr(0, has_port ? colon : host.size());
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

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

}  // namespace fernwood::web
