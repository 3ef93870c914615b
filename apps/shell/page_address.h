// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/web/web_server.h"

namespace fernwood::apps {

/// Port and token of a folder's last page, so that a page which is still open reconnects. They are stored in the user's
/// own state folder: the creator of the folder must not choose the token of its page. Without a home folder, nothing is
/// stored.
class PageAddress {
 public:
  explicit PageAddress(const std::filesystem::path& project);

  /// Uses the last token, and the last port if none is requested. New ones if another program has the last port: it may
  /// have heard the token from the open page.
  web::WebOptions resumed(web::WebOptions options) const;
  void note(const std::string& url) const;
  /// A file that opens the page, beside the stored address; empty without a home folder.
  const std::filesystem::path& opener() const { return opener_; }

 private:
  std::filesystem::path file_, opener_;
  int port_ = 0;
  std::string token_;
};

/// Warnings about a page that other machines can reach; empty if only this machine can.
std::vector<std::string> network_warnings(const web::WebOptions& options);

/// Opens an address in the user's browser. The address is passed in a file that only the user may read, because it may
/// contain a secret, and all users of a machine see the command lines of all programs.
class BrowserPage {
 public:
  /// @param file  Exists as long as this object. Without a browser or a display, nothing happens.
  BrowserPage(const std::filesystem::path& file, const std::string& url);
  ~BrowserPage();
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace fernwood::apps
