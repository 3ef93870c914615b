// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

/// 0 or an errno; file systems that cannot sync (EINVAL) count as success.
int sync(int descriptor) { return ::fdatasync(descriptor) != 0 && errno != EINVAL ? errno : 0; }

/// 0 or an errno.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count > 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return count == 0 ? ENOSPC : errno;
  }
  return 0;
}

int make_file(const fs::path& path) {
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  FW_CHECK(made >= 0 || errno != EEXIST, Usage,
           path.string() << ": is there already and would be overwritten; name a new file");
  if (made < 0) fail_writing(path, errno);
  return made;
}

constexpr const char* kWriteRemedy = "check the disk; what was done before is safe";

[[noreturn]] void fail_reading(const fs::path& path, int error_number) {
  throw Error(ErrorKind::kRuntime, path.string() + ": cannot be read: " + std::strerror(error_number) +
                                       "; check the disk, and that no other program writes to the file");
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, int descriptor)
    // Absolute, because a host program may change its working directory later.
    : path_(std::filesystem::absolute(path)), descriptor_(descriptor) {
  try {
    if (const int failure = sync(descriptor)) fail_writing(path_, failure, kWriteRemedy);
    sync_folder(path_.parent_path());
    known_bytes_ = size_bytes();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

AppendFile::AppendFile(const std::filesystem::path& path) : AppendFile(path, make_file(path)) {}

AppendFile::~AppendFile() { ::close(descriptor_); }

void AppendFile::append(std::string_view bytes) {
  if (is_torn_) fail_writing(path_, EIO, kWriteRemedy);
  const std::uint64_t present_bytes = size_bytes();
  FW_CHECK(present_bytes == known_bytes_, Runtime,
           path_.string() << ": was changed by another program while it was being appended to, and has "
                          << present_bytes << " bytes in place of " << known_bytes_
                          << "; end this run and take the file from a backup");
  try {
    int failure = write_all(descriptor_, bytes);
    if (failure == 0) failure = sync(descriptor_);
    if (failure != 0) fail_writing(path_, failure, kWriteRemedy);
    check_named();
  } catch (...) {
    // A torn end that cannot be truncated now is cut off when the file is next opened; nothing may follow it.
    is_torn_ = ::ftruncate(descriptor_, static_cast<off_t>(known_bytes_)) != 0;
    throw;
  }
  known_bytes_ += bytes.size();
}

std::uint64_t AppendFile::size_bytes() const {
  struct stat about;
  if (::fstat(descriptor_, &about) != 0) fail_reading(path_, errno);
  return static_cast<std::uint64_t>(about.st_size);
}

std::string AppendFile::read(std::uint64_t from_byte) {
  const std::uint64_t end = known_bytes_ = size_bytes();
  std::string text(end > from_byte ? end - from_byte : 0, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count =
        ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(from_byte + done));
    if (count == 0 || (count < 0 && errno != EINTR)) fail_reading(path_, count == 0 ? EIO : errno);
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return text;
}

void AppendFile::cut_off(std::uint64_t size_bytes) {
  const std::string torn = read(size_bytes);
  const fs::path path = torn_path(path_);
  const std::string before = fs::is_regular_file(fs::symlink_status(path)) ? read_text(path) : "";
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& file) { file << before << torn << "\n"; });
  if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0) fail_writing(path_, errno, kWriteRemedy);
  known_bytes_ = size_bytes;
}

void AppendFile::check_named() const {
  struct stat mine, there;
  const bool is_there = ::fstat(descriptor_, &mine) == 0 && ::lstat(path_.c_str(), &there) == 0;
  FW_CHECK(is_there, Runtime,
           path_.string() << ": was removed or moved while it was being appended to; put it back, or start again");
  FW_CHECK(
      mine.st_dev == there.st_dev && mine.st_ino == there.st_ino, Runtime,
      path_.string() << ": was replaced by another file while it was being appended to; put the first one back, or "
                        "start anew");
}

}  // namespace fernwood
