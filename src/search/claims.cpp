// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/claims.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_error.h"

namespace fernwood::search {

namespace fs = std::filesystem;

namespace {

constexpr int kHowClaims = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr const char* kOtherFolder = "check the folder and its permissions, or give another folder";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a name has the form TRIAL-FOLD, as "12-3".
bool is_name_of_claim(std::string_view name) {
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

bool is_empty_file(int descriptor) {
  struct stat about;
  return ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

/// Removes the claims of processes that were killed.
void remove_free_claims(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // closedir() closes it
  DIR* const listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) {
    if (copy >= 0) ::close(copy);
    return;
  }
  while (const dirent* entry = ::readdir(listing)) {
    if (!is_name_of_claim(entry->d_name)) continue;
    const int claim = ::openat(folder, entry->d_name, kHowClaims);
    if (claim < 0) continue;
    if (is_empty_file(claim) && ::flock(claim, LOCK_EX | LOCK_NB) == 0) ::unlinkat(folder, entry->d_name, 0);
    ::close(claim);
  }
  ::closedir(listing);
}

}  // namespace

OpenFolder::~OpenFolder() { ::close(descriptor_); }

Claim::~Claim() {
  if (descriptor_ < 0) return;
  ::unlinkat(folder_->descriptor(), name_.c_str(), 0);
  ::close(descriptor_);
}

Claims::Claims(const fs::path& search_folder) : path_(search_folder / "claims") {
  make_folder(search_folder);
  open();
}

Claims::~Claims() {
  remove_free_claims(folder_->descriptor());
  ::rmdir(path_.c_str());
}

void Claims::open() {
  // Another process that ends may remove the folder in between.
  int opened = -1;
  for (int tries = 0; opened < 0 && tries < 100; ++tries) {
    if (::mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST) fail_writing(path_, errno, kOtherFolder);
    opened = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 && errno != ENOENT) break;
  }
  if (opened < 0 && (errno == ENOTDIR || errno == ELOOP))
    throw FileError(ErrorKind::kRuntime, path_, errno,
                    "is a link or a file, where a folder of the search is to be; remove it, or give another folder");
  if (opened < 0) fail_writing(path_, errno, kOtherFolder);
  folder_ = std::make_shared<const OpenFolder>(opened);
}

std::optional<Claim> Claims::claim(std::size_t trial, std::size_t fold) {
  std::string name = std::to_string(trial) + "-" + std::to_string(fold);
  const int opened = ::openat(folder_->descriptor(), name.c_str(), kHowClaims | O_CREAT, 0666);
  if (opened < 0 && errno == ENOENT) {  // another process has ended and removed the folder
    open();
    return {};
  }
  if (opened < 0) fail_writing(path_ / name, errno, kOtherFolder);
  if (!is_empty_file(opened)) {
    ::close(opened);
    throw FileError(ErrorKind::kRuntime, path_ / name, EEXIST,
                    "is in the way and is not a claim of a search; remove it, or give another folder");
  }
  if (::flock(opened, LOCK_EX | LOCK_NB) == 0) return Claim(folder_, std::move(name), opened);
  ::close(opened);
  return {};
}

}  // namespace fernwood::search
