// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <regex>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/web/web_server.h"
#include "web/http.h"

namespace fernwood::web {

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
  require_option(!failure, "listen", in_quotes(address), "give numbers, as 127.0.0.1");
  static const std::regex kOrigin(R"((https?://[a-z0-9._:\[\]-]+)?)");  // it becomes part of a header
  require_option(std::regex_match(trusted_origin, kOrigin), "trusted-origin", in_quotes(trusted_origin),
                 "give scheme and host in lower case, without a path, as https://hub.example");
}

}  // namespace fernwood::web
