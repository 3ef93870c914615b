// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <ios>
#include <istream>
#include <locale>
#include <optional>
#include <ostream>
#include <streambuf>

namespace fernwood {

/// Stream buffer that reads from or writes to (but not both) an open file given by its file descriptor. Standard
/// libraries provide this only as vendor-specific extensions.
class DescriptorBuffer : public std::streambuf {
 public:
  /// @param descriptor  Owned by the buffer, which closes it.
  DescriptorBuffer(int descriptor, std::ios::openmode direction)
      : descriptor_(descriptor), writes_((direction & std::ios::out) != 0) {
    if (writes_) setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~DescriptorBuffer() override { close(); }
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

  /// Flushes the buffer and closes the file. @return  False, with errno set, if either fails.
  bool close() {
    if (descriptor_ < 0) return true;
    const bool written = write_out();
    const int why = errno;
    const bool closed = ::close(descriptor_) == 0;
    descriptor_ = -1;
    if (!written) errno = why;
    return written && closed;
  }
  /// The error of the last write that failed, which errno no longer has once the program went on; 0: none.
  int error() const { return error_; }

 protected:
  int_type underflow() override {
    if (writes_ || descriptor_ < 0) return traits_type::eof();
    ssize_t count;
    do count = ::read(descriptor_, bytes_.data(), bytes_.size());
    while (count < 0 && errno == EINTR);
    if (count < 0) throw_as_bad();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_[0]);
  }

  int_type overflow(int_type character) override {
    if (!writes_ || descriptor_ < 0 || !write_out()) return traits_type::eof();
    return traits_type::eq_int_type(character, traits_type::eof()) ? traits_type::not_eof(character)
                                                                   : sputc(static_cast<char>(character));
  }

  int sync() override { return !writes_ || write_out() ? 0 : -1; }

  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {
    if (descriptor_ < 0 || !write_out()) return pos_type(off_type(-1));
    if (from == std::ios::cur) offset -= egptr() - gptr();  // bytes read ahead
    const off_t place = ::lseek(descriptor_, offset,
                                from == std::ios::beg   ? SEEK_SET
                                : from == std::ios::cur ? SEEK_CUR
                                                        : SEEK_END);
    setg(bytes_.data(), bytes_.data(), bytes_.data());
    return pos_type(off_type(place));
  }
  pos_type seekpos(pos_type place, std::ios::openmode mode) override {
    return seekoff(off_type(place), std::ios::beg, mode);
  }

 private:
  /// Streams convert an exception of their buffer to the state `bad`, which distinguishes it from the end of the file.
  [[noreturn]] static void throw_as_bad() { throw std::ios_base::failure("the file cannot be read"); }

  /// Flushes the buffer. Bytes that could not be written stay in it for the next attempt; no byte is written twice.
  bool write_out() {
    if (!writes_) return true;
    const char* next = pbase();
    const char* const end = pptr();
    while (next < end) {
      const ssize_t count = ::write(descriptor_, next, static_cast<std::size_t>(end - next));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) error_ = errno;
      if (count <= 0) break;
      next += count;
    }
    std::copy(next, end, bytes_.data());
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    pbump(static_cast<int>(end - next));
    return next == end;
  }

  int descriptor_, error_ = 0;
  bool writes_;
  std::array<char, 16384> bytes_;
};

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
