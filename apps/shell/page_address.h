// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/web/web_server.h"

namespace fernwood::apps {

/// Port and token of the page that a folder had last, so that one which is still open goes on. They are kept in the
/// user's own state folder: whoever made the folder must not choose the token of its page. Without a home nothing is
/// remembered.
class PageAddress {
 public:
  explicit PageAddress(const std::filesystem::path& project);

  /// With the last port where none is asked for and that is free still.
  web::WebOptions resumed(web::WebOptions options) const;
  void note(const std::string& url) const;
  /// A file that opens the page, beside what is kept; empty without a home.
  const std::filesystem::path& opener() const { return opener_; }

 private:
  std::filesystem::path file_, opener_;
  int port_ = 0;
  std::string token_;
};

/// What is to be said of a page that other machines can reach; nothing where this machine alone can.
std::vector<std::string> network_warnings(const web::WebOptions& options);

}  // namespace fernwood::apps
