// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "web/http.h"

#include <fcntl.h>

#include "fernwood/core/error.h"

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

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

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
           options.address << ": cannot be listened on: " << failure.message() << "; give " << named_option("listen")
                           << " an address of this machine, as 127.0.0.1");
  const bool is_of_port = options.port != 0 && (failure == errc::address_in_use || failure == errc::permission_denied);
  FW_CHECK(!is_of_port, Runtime,
           options.address << ", port " << options.port << ": cannot be listened on: " << failure.message()
                           << "; give another " << named_option("port") << ", or none for one that is free");
  throw std::system_error(failure.value(), std::system_category(), options.address + ": cannot be listened on");
}

}  // namespace fernwood::web
