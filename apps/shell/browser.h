// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>

namespace fernwood::apps {

/// Writes a file that only its owner may read, in place of whatever has that name. @return  False when it cannot be.
bool write_private_file(const std::filesystem::path& path, const std::string& text);

/// Opens an address in the user's browser. It goes there by a file that only the user may read, as the address may hold
/// a secret and all users of a machine see the command lines of all programs.
class BrowserPage {
 public:
  /// @param file  Is there as long as this object. Without a browser, or a screen, nothing happens.
  BrowserPage(const std::filesystem::path& file, const std::string& url);
  ~BrowserPage();
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace fernwood::apps
