// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/browser.h"

#include <fcntl.h>
#include <unistd.h>

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
