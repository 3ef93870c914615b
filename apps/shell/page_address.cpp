// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/page_address.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTokenDigits = 32;

std::string page_to(const std::string& url) {
  const std::string address = escape(url);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>fernwood</title>\n"
         "<meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; url=" +
         address + "\"></head>\n<body><a href=\"" + address + "\">fernwood</a></body></html>\n";
}

bool is_token(const std::string& text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kTokenDigits && std::ranges::all_of(text, is_digit);
}

bool is_free(web::WebOptions options, int port) {
  options.port = port;
  try {
    const web::WebServer probe(options, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Private to this user. Empty if it cannot be created.
fs::path folder_for_pages() {
  const fs::path states = user_folder("XDG_STATE_HOME", ".local/state");
  if (states.empty()) return {};
  std::error_code failure;
  fs::create_directories(states / "fernwood", failure);
  const fs::path folder = states / "fernwood" / "pages";
  return platform::make_private_folder(folder) ? folder : fs::path();
}

}  // namespace

PageAddress::PageAddress(const fs::path& project) {
  const fs::path folder = folder_for_pages();
  if (folder.empty()) return;
  std::error_code failure;
  const std::string place = fs::weakly_canonical(project, failure).string();
  const std::string name = to_hex(checksum(place.data(), place.size()));
  file_ = folder / (name + ".txt");
  opener_ = folder / (name + ".html");
  TextInput kept(platform::read_private_file(file_));
  if (!(kept >> port_ >> token_) || !is_token(token_)) token_.clear();
}

web::WebOptions PageAddress::resumed(web::WebOptions options) const {
  if (token_.empty() || (options.port == 0 && !is_free(options, port_))) return options;
  if (options.port == 0) options.port = port_;
  options.token = token_;
  return options;
}

void PageAddress::note(const std::string& url) const {
  if (file_.empty()) return;
  const std::size_t colon = url.rfind(':'), slash = url.find('/', colon);
  // Errors are ignored: the page works without the file.
  platform::write_private_file(
      file_, url.substr(colon + 1, slash - colon - 1) + " " + url.substr(slash + 1, kTokenDigits) + "\n");
}

std::vector<std::string> network_warnings(const web::WebOptions& options) {
  if (options.address.starts_with("127.") || options.address == "::1") return {};
  return {"the page on " + options.address +
          " is not encrypted: whoever can read the network between sees its token and its frames; where that is not "
          "wanted, leave --listen out and take a tunnel (ssh -L)"};
}

BrowserPage::BrowserPage(const std::filesystem::path& file, const std::string& url)
    : file_(std::filesystem::absolute(file)) {
  if (!platform::write_private_file(file_, page_to(url))) return;
  const platform::Child child = platform::start_program({platform::kPageOpener, file_.string()},
                                                        {.output = "/dev/null", .has_own_session = true});
  if (child.error_number == 0) platform::wait_in_background(child);
}

BrowserPage::~BrowserPage() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace fernwood::apps
