// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "fernwood/core/error.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

std::string reason(int error_number) { return std::strerror(error_number); }

ErrorKind kind_of(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT ? ErrorKind::kResource : ErrorKind::kRuntime;
}

void fail_writing(const fs::path& path, int error_number) {
  throw Error(kind_of(error_number),
              path.string() + ": cannot be written: " + reason(error_number) +
                  (kind_of(error_number) == ErrorKind::kResource ? "; free some space or choose another place"
                                                                 : "; check the folder and its permissions"));
}

void sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  if (descriptor < 0) return;
  const bool failed = ::fsync(descriptor) != 0;
  const int error_number = errno;
  ::close(descriptor);
  if (failed && error_number != EINVAL) fail_writing(path, error_number);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at is told by the operation that follows
  return fs::is_directory(path, ignored);
}

fs::path temporary_beside(const fs::path& path) {
  return path.string() + ".part" + std::to_string(static_cast<long>(::getpid()));
}

}  // namespace

std::vector<std::uint8_t> read_file(const fs::path& path) {
  FW_CHECK(!is_folder(path), Runtime, path.string() << ": is a folder; name a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  FW_CHECK(file, Runtime,
           path.string() << ": cannot be read: " << reason(errno ? errno : ENOENT)
                         << "; check the name and the permissions");
  const std::streamoff size_bytes = file.tellg();
  FW_CHECK(size_bytes >= 0, Runtime, path.string() << ": has no size; give a regular file, not a pipe");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size_bytes));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  FW_CHECK(file, Runtime, path.string() << ": cannot be read: " << reason(errno ? errno : EIO));
  return bytes;
}

void write_file_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path temporary = temporary_beside(path);
  try {
    errno = 0;
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    if (!file) fail_writing(path, errno ? errno : EACCES);
    write(file);
    file.close();
    if (!file) fail_writing(path, errno ? errno : EIO);
    sync_to_disk(temporary);
    std::error_code failure;
    fs::rename(temporary, path, failure);
    if (failure) fail_writing(path, failure.value());
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

void check_writable(const fs::path& path) {
  FW_CHECK(!path.empty(), Usage, "the output path is empty; name a file");
  FW_CHECK(!is_folder(path), Runtime, path.string() << ": is a folder; name a file in it");
  // Renaming a finished file onto a device would replace the device.
  std::error_code ignored;
  FW_CHECK(!fs::exists(path, ignored) || fs::is_regular_file(path, ignored), Runtime,
           path.string() << ": is a device or a pipe; name a regular file");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  FW_CHECK(is_folder(folder), Runtime,
           path.string() << ": the folder " << folder.string() << " does not exist; create it or name another");
  const fs::path temporary = temporary_beside(path);
  errno = 0;
  // Without O_EXCL: a run that died may have left the file, and process numbers come back.
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT, 0600);
  if (descriptor < 0) fail_writing(path, errno);
  ::close(descriptor);
  ::unlink(temporary.c_str());
}

std::uint64_t checksum(const void* data, std::size_t size_bytes) { return XXH3_64bits(data, size_bytes); }

}  // namespace fernwood
