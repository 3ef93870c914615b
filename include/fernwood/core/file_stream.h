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

/// A binary file stream whose descriptor is closed on exec, unlike that of standard streams, so that child processes do
/// not inherit it. If the file cannot be opened, the stream is bad and errno has the reason. A pipe is also rejected,
/// without waiting for its other end, because folders may come from other people. Header-only, for plug-ins.
template <typename Stream>
class FileStream : public Stream {
 public:
  FileStream(const std::filesystem::path& path, int flags, std::ios::openmode mode) : Stream(nullptr) {
    this->imbue(std::locale::classic());  // instead of the calling program's locale
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

/// A file stream for reading.
class InputFile : public FileStream<std::istream> {
 public:
  explicit InputFile(const std::filesystem::path& path) : FileStream(path, O_RDONLY, std::ios::in) {}
};

/// A file stream for writing; the file is created or truncated. For names chosen by fernwood: the stream is bad if the
/// path is a link or a pipe.
class OutputFile : public FileStream<std::ostream> {
 public:
  explicit OutputFile(const std::filesystem::path& path)
      : FileStream(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, std::ios::out) {}
};

}  // namespace fernwood
