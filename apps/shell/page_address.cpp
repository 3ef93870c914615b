// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/page_address.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "shell/child_process.h"

namespace fernwood::apps {

namespace {

/// A page that redirects to an address.
std::string page_to(const std::string& url) {
  const std::string address = escape(url);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>fernwood</title>\n"
         "<meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; url=" +
         address + "\"></head>\n<body><a href=\"" + address + "\">fernwood</a></body></html>\n";
}

}  // namespace

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTokenDigits = 32;

bool is_token(const std::string& text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kTokenDigits && std::ranges::all_of(text, is_digit);
}

/// The contents of a short file that no other user can read or write; else empty.
std::string read_private_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about;
  const bool is_private =
      ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0;
  std::array<char, 128> text{};
  const ssize_t size = is_private ? ::read(file, text.data(), text.size()) : 0;
  ::close(file);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Makes an existing folder private to this user. False if it belongs to another user, or is a link.
bool make_private(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return false;
  struct stat about;
  const bool is_ours = ::fstat(opened, &about) == 0 && about.st_uid == ::geteuid() &&
                       ((about.st_mode & 077) == 0 || ::fchmod(opened, 0700) == 0);
  ::close(opened);
  return is_ours;
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
  ::mkdir(folder.c_str(), 0700);
  return make_private(folder) ? folder : fs::path();
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
  TextInput kept(read_private_file(file_));
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
  write_private_file(file_,
                     url.substr(colon + 1, slash - colon - 1) + " " + url.substr(slash + 1, kTokenDigits) + "\n");
}

std::vector<std::string> network_warnings(const web::WebOptions& options) {
  if (options.address.starts_with("127.") || options.address == "::1") return {};
  return {"the page on " + options.address +
          " is not encrypted: whoever can read the network between sees its token and its frames; where that is not "
          "wanted, leave --listen out and take a tunnel (ssh -L)"};
}

bool write_private_file(const std::filesystem::path& path, const std::string& text) {
  // A new file, so that permissions, links and readers of an existing one do not matter.
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && written;
}

BrowserPage::BrowserPage(const std::filesystem::path& file, const std::string& url)
    : file_(std::filesystem::absolute(file)) {
  if (!write_private_file(file_, page_to(url))) return;
  const Child child =
      start_program({platform::kPageOpener, file_.string()}, {.output = "/dev/null", .has_own_session = true});
  if (child.error_number == 0) wait_in_background(child.process);
}

BrowserPage::~BrowserPage() { ::unlink(file_.c_str()); }

}  // namespace fernwood::apps
