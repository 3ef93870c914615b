// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <istream>
#include <locale>
#include <optional>
#include <ostream>

#include "fernwood/core/descriptor_buffer.h"

namespace fernwood {

/// A file as a stream, in binary, that no program which is started meanwhile holds open, unlike those of the standard
/// library. It is bad when the file cannot be opened, and errno tells why, or is a pipe, for
/// whose other end nobody waits: folders may come from somebody else. Of headers alone, for plug-ins.
template <typename Stream>
class FileStream : public Stream {
 public:
  FileStream(const std::filesystem::path& path, int flags, std::ios::openmode mode) : Stream(nullptr) {
    this->imbue(std::locale::classic());  // whatever the calling program has set
    const int descriptor = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0) return;
    struct stat about;
    if (::fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode)) {
      ::close(descriptor);
      errno = ESPIPE;
      return;
    }
    buffer_.emplace(descriptor, mode);
    this->rdbuf(&*buffer_);
  }

 private:
  std::optional<DescriptorBuffer> buffer_;
};

/// Is read.
class InputFile : public FileStream<std::istream> {
 public:
  explicit InputFile(const std::filesystem::path& path) : FileStream(path, O_RDONLY, std::ios::in) {}
};

/// Is written: made, or emptied. Its name is one that fernwood picks: where a link or a pipe is in the way, it is bad.
class OutputFile : public FileStream<std::ostream> {
 public:
  explicit OutputFile(const std::filesystem::path& path)
      : FileStream(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, std::ios::out) {}
};

}  // namespace fernwood
