// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>

namespace fernwood::apps {

/// Writes a file that only its owner may read, replacing an existing one. @return  False if that fails.
bool write_private_file(const std::filesystem::path& path, const std::string& text);

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
