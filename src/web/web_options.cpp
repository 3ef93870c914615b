// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>

#include "fernwood/core/option_error.h"
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
  };
  return kRows;
}

void WebOptions::check() const {
  check_options(table(), *this);
  boost::system::error_code failure;
  asio::ip::make_address(address, failure);
  require_option(!failure, "listen", in_quotes(address), "give numbers, as 127.0.0.1");
}

}  // namespace fernwood::web
