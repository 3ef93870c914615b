// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/file_error.h"

namespace fernwood::dataset {

FileBytes::FileBytes(const std::filesystem::path& path)
    : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw FileError(errno == ENOENT ? ErrorKind::kData : ErrorKind::kRuntime, path, errno,
                    "cannot be read: " + std::generic_category().message(errno) + "; name a recording of ROS");
  struct stat about;
  const bool is_file = ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
  if (!is_file) {
    ::close(descriptor_);
    throw FileError(ErrorKind::kData, path, EISDIR, "is not a file; name a recording of ROS");
  }
  size_bytes_ = static_cast<std::uint64_t>(about.st_size);
}

FileBytes::~FileBytes() { ::close(descriptor_); }

std::size_t FileBytes::read_some(std::uint64_t offset, std::span<std::uint8_t> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count =
        ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    FW_CHECK(count >= 0, Runtime,
             name_ << ": cannot be read: " << std::generic_category().message(errno) << "; check the disk");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void FileBytes::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  FW_CHECK(read_some(offset, into) == into.size(), Data,
           name_ << ": has become shorter while it was read (it had " << size_bytes_
                 << " bytes); copy the recording first, if it is still being written");
}

std::span<const std::uint8_t> FileWindow::at(std::uint64_t offset, std::size_t size_bytes) {
  if (offset < begin_ || offset + size_bytes > begin_ + bytes_.size()) {
    bytes_.resize(kMostBytes);
    bytes_.resize(offset < file_.size_bytes() ? file_.read_some(offset, bytes_) : 0);
    begin_ = offset;
  }
  const std::span<const std::uint8_t> known(bytes_);
  const std::size_t first = static_cast<std::size_t>(offset - begin_);
  return known.subspan(first, std::min(size_bytes, known.size() - first));
}

}  // namespace fernwood::dataset
