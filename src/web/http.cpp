// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "web/http.h"

#include <fcntl.h>

namespace fernwood::web {

Response answer_to(const Request& request, WebAnswer answer) {
  Response response{static_cast<http::status>(answer.status), request.version()};
  response.set(http::field::content_type, answer.type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy",
               "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'");
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

}  // namespace fernwood::web
