// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/platform/file_system.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>

#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"

namespace fernwood::platform {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

int flags_for(OpenFile::For use) {
  using enum OpenFile::For;
  switch (use) {
    case kRead:
      return O_RDONLY | O_NONBLOCK;
    case kReadArriving:
      return O_RDONLY;
    case kReadHere:
      return O_RDONLY | O_NONBLOCK | O_NOFOLLOW;
    case kHold:
      return O_PATH | O_NOFOLLOW;
    case kNew:
    case kNewPrivate:
      return O_WRONLY | O_CREAT | O_EXCL;
    case kOverwrite:
      return O_WRONLY | O_NONBLOCK | O_NOFOLLOW;
    case kReplace:
      return O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW;
    case kAppendNew:
      return O_RDWR | O_CREAT | O_EXCL | O_APPEND;
    case kAppend:
      return O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW;
    case kLock:
      return O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW;
  }
  return O_RDONLY;
}

fs::file_type type_of(mode_t mode) {
  return S_ISREG(mode)    ? fs::file_type::regular
         : S_ISDIR(mode)  ? fs::file_type::directory
         : S_ISFIFO(mode) ? fs::file_type::fifo
                          : fs::file_type::unknown;
}

/// Repeats a system call that a signal has interrupted.
template <typename Call>
ssize_t uninterrupted(const Call& call) {
  ssize_t result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

OpenFile::OpenFile(const fs::path& path, For use)
    : descriptor_(use == For::kReadArriving && path == "-"
                      ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                      : ::open(path.c_str(), flags_for(use) | O_CLOEXEC, use == For::kNewPrivate ? 0600 : 0666)) {}

bool OpenFile::close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

OpenFile OpenFile::duplicate() const {
  OpenFile copy;
  copy.descriptor_ = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  return copy;
}

OpenFile::Status OpenFile::status() const {
  struct stat about;
  if (::fstat(descriptor_, &about) != 0) return {};
  return {type_of(about.st_mode), static_cast<std::uint64_t>(about.st_size), about.st_uid == ::geteuid(),
          (about.st_mode & kOthers) == 0, about.st_nlink <= 1};
}

bool OpenFile::is_at(const fs::path& path) const {
  struct stat mine, there;
  return ::fstat(descriptor_, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

bool OpenFile::lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

bool OpenFile::set_permissions(fs::perms permissions) {
  return ::fchmod(descriptor_, static_cast<mode_t>(permissions)) == 0;
}

void OpenFile::take_owner_of(const OpenFile& other) {
  struct stat about;
  if (::fstat(other.descriptor_, &about) == 0 && ::fchown(descriptor_, about.st_uid, about.st_gid) != 0 &&
      ::fchown(descriptor_, static_cast<uid_t>(-1), about.st_gid) != 0)
    errno = 0;
}

std::ptrdiff_t OpenFile::read(void* into, std::size_t size) {
  return uninterrupted([&] { return ::read(descriptor_, into, size); });
}

std::ptrdiff_t OpenFile::read_at(std::uint64_t offset, void* into, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = uninterrupted([&] {
      return ::pread(descriptor_, static_cast<char*>(into) + done, size - done, static_cast<off_t>(offset + done));
    });
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<std::ptrdiff_t>(done);
}

bool OpenFile::waits(int milliseconds) const {
  pollfd next{descriptor_, POLLIN, 0};
  return ::poll(&next, 1, milliseconds) == 0;
}

std::size_t OpenFile::write(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = uninterrupted([&] { return ::write(descriptor_, bytes.data() + done, bytes.size() - done); });
    if (count == 0) errno = ENOSPC;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool OpenFile::truncate(std::uint64_t size_bytes) {
  return ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)) == 0;
}

std::int64_t OpenFile::seek(std::int64_t offset, std::ios::seekdir from) {
  return ::lseek(descriptor_, offset, from == std::ios::beg ? SEEK_SET : from == std::ios::cur ? SEEK_CUR : SEEK_END);
}

bool OpenFile::sync() { return ::fsync(descriptor_) == 0 || errno == EINVAL; }

std::unique_ptr<std::streambuf> open_stream(const fs::path& path, std::ios::openmode direction) {
  OpenFile file(path, direction == std::ios::in ? OpenFile::For::kRead : OpenFile::For::kReplace);
  if (!file.is_open()) return nullptr;
  if (file.status().type == fs::file_type::fifo) {
    file.close();
    errno = ESPIPE;
    return nullptr;
  }
  return std::make_unique<FileBuffer>(std::move(file), direction);
}

bool is_foreign_link(const fs::path& path) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat link, folder;
  const fs::path above = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || ::stat(above.c_str(), &folder) != 0) return false;
  const bool is_foreign = link.st_uid != ::geteuid() && link.st_uid != folder.st_uid;
  return is_foreign && (folder.st_mode & kShared) == kShared;
}

bool make_private_folder(const fs::path& path) {
  ::mkdir(path.c_str(), 0700);
  OpenFile folder(path, OpenFile::For::kReadHere);
  const OpenFile::Status about = folder.status();
  return about.type == fs::file_type::directory && about.is_own &&
         (about.is_private || folder.set_permissions(fs::perms::owner_all));
}

bool make_scratch_folder(fs::path& path) {
  std::string name = path.string();
  if (::mkdtemp(name.data()) == nullptr) return false;
  path = name;
  return true;
}

bool write_private_file(const fs::path& path, std::string_view text) {
  // A new file, so that permissions, links and readers of an existing one do not matter.
  ::unlink(path.c_str());
  OpenFile file(path, OpenFile::For::kNewPrivate);
  return file.is_open() && file.write(text) == text.size() && file.close();
}

std::string read_private_file(const fs::path& path) {
  const OpenFile file(path, OpenFile::For::kReadHere);
  const OpenFile::Status about = file.status();
  std::array<char, 128> text;
  const std::ptrdiff_t size = about.type == fs::file_type::regular && about.is_own && about.is_private
                                  ? file.read_at(0, text.data(), text.size())
                                  : 0;
  return {text.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(size, 0))};
}

bool is_disk_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

}  // namespace fernwood::platform
