// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/links.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "fernwood/core/file.h"
#include "fernwood/core/file_error.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

/// Refuses a link that another user has placed in a folder that anybody may write to, in order to redirect our output:
/// Linux refuses to follow such links only where it is configured to (proc(5), protected_symlinks).
void check_link(const fs::path& path) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat link, folder;
  const fs::path above = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || ::stat(above.c_str(), &folder) != 0) return;
  const bool is_foreign = link.st_uid != ::geteuid() && link.st_uid != folder.st_uid;
  if (is_foreign && (folder.st_mode & kShared) == kShared)
    throw FileError(
        ErrorKind::kRuntime, path, EACCES,
        "is a link of another user, in a folder that anybody may write to; remove it, or name another file");
}

}  // namespace

fs::path behind_links(const fs::path& path) {
  std::error_code failure;
  fs::path next = path;
  constexpr int kMaxLinks = 40;  // the same limit as the system's
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(next, failure)); ++i) {
    check_link(next);
    const fs::path target = fs::read_symlink(next, failure);
    if (failure) break;
    next = target.is_absolute() ? target : next.parent_path() / target;
  }
  if (next == path) return path;
  const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0 && errno == EACCES) fail_writing(path, EACCES, "it is a link; name the file that it leads to");
  if (opened < 0) return errno == ENOENT ? next : path;  // a dangling link names a file to be created
  const fs::path target = platform::path_of(opened, failure);
  ::close(opened);
  return failure ? fs::canonical(path) : target;
}

}  // namespace fernwood
