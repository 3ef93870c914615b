// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/append_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood {

namespace {

/// 0, or why not; some file systems have nothing to sync.
int sync(int descriptor) { return ::fdatasync(descriptor) != 0 && errno != EINVAL ? errno : 0; }

/// 0, or why not.
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

constexpr const char* kWriteRemedy = "check the disk; what was done before is safe";

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, int descriptor)
    // A host program may change its folder meanwhile.
    : path_(std::filesystem::absolute(path)), descriptor_(descriptor) {
  try {
    if (const int failure = sync(descriptor)) fail_writing(path_, failure, kWriteRemedy);
    sync_folder(path_.parent_path());
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

AppendFile::~AppendFile() { ::close(descriptor_); }

void AppendFile::append(std::string_view bytes) {
  struct stat before;
  int failure = ::fstat(descriptor_, &before) != 0 ? errno : is_torn_ ? EIO : 0;
  if (failure != 0) fail_writing(path_, failure, kWriteRemedy);
  try {
    failure = write_all(descriptor_, bytes);
    if (failure == 0) failure = sync(descriptor_);
    if (failure != 0) fail_writing(path_, failure, kWriteRemedy);
    check_named();
  } catch (...) {
    // What cannot be cut off now is when the file is opened again; nothing may come after it.
    is_torn_ = ::ftruncate(descriptor_, before.st_size) != 0;
    throw;
  }
}

void AppendFile::check_named() const {
  struct stat mine, there;
  const bool is_there = ::fstat(descriptor_, &mine) == 0 && ::lstat(path_.c_str(), &there) == 0;
  FW_CHECK(is_there, Runtime,
           path_.string() << ": was removed or moved while it was being appended to; put it back, or start anew");
  FW_CHECK(
      mine.st_dev == there.st_dev && mine.st_ino == there.st_ino, Runtime,
      path_.string() << ": was replaced by another file while it was being appended to; put the first one back, or "
                        "start anew");
}

}  // namespace fernwood
