// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <ios>
#include <istream>
#include <locale>
#include <memory>
#include <ostream>
#include <streambuf>

namespace fernwood {

namespace platform {
/// The buffer of a FileStream; null, with errno set, if the file cannot be opened.
std::unique_ptr<std::streambuf> open_stream(const std::filesystem::path& path, std::ios::openmode direction);
}  // namespace platform

/// A binary file stream whose file is closed on exec, unlike that of standard streams, so that child processes do not
/// inherit it. If the file cannot be opened, the stream is bad and errno has the reason. A pipe is also rejected,
/// without waiting for its other end, because folders may come from other people.
template <typename Stream, std::ios::openmode kDirection>
class FileStream : public Stream {
 public:
  explicit FileStream(const std::filesystem::path& path) : Stream(nullptr) {
    this->imbue(std::locale::classic());  // instead of the calling program's locale
    buffer_ = platform::open_stream(path, kDirection);
    if (buffer_) this->rdbuf(buffer_.get());
  }

 private:
  std::unique_ptr<std::streambuf> buffer_;
};

using InputFile = FileStream<std::istream, std::ios::in>;
/// The file is created or truncated. For names chosen by fernwood: the stream is also bad if the path is a link.
using OutputFile = FileStream<std::ostream, std::ios::out>;

}  // namespace fernwood
