// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ios>
#include <new>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <utility>

namespace fernwood {

namespace platform {

/// An open file or folder, closed at the end, and in child processes. Where a function fails, errno has the reason.
class OpenFile {
 public:
  /// What it is opened for. A pipe is not waited for, and a link is not followed, where nothing else is said.
  enum class For {
    kRead,          ///< Links are followed.
    kReadArriving,  ///< Links are followed, a pipe is waited for; "-" is standard input.
    kReadHere,      ///< As kRead, but links are not followed.
    kHold,          ///< Nothing, but its blocks are not reused while it is open.
    kNew,           ///< Writing a file that must not be there.
    kNewPrivate,    ///< The same, and only its owner may read it.
    kOverwrite,     ///< Writing a file that is there.
    kReplace,       ///< Writing a file from its beginning; it is created or truncated.
    kAppendNew,     ///< Reading and appending; the file must not be there.
    kAppend,        ///< Reading and appending; the file is created if it is missing.
    kLock           ///< Reading and writing; the file is created if it is missing.
  };
  struct Status {
    std::filesystem::file_type type = std::filesystem::file_type::none;  ///< none: it is unknown.
    std::uint64_t size_bytes = 0;
    bool is_own = false;        ///< This user owns it.
    bool is_private = false;    ///< No other user can read or write it.
    bool has_one_name = false;  ///< There are no hard links.
  };

  OpenFile() = default;
  OpenFile(const std::filesystem::path& path, For use);
  ~OpenFile() { close(); }
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  bool is_open() const { return descriptor_ >= 0; }
  bool close();
  /// The same open file, with its lock and its place, to be closed on its own.
  OpenFile duplicate() const;
  Status status() const;
  bool is_regular() const { return status().type == std::filesystem::file_type::regular; }
  /// Whether a path is a name of this file, and no link.
  bool is_at(const std::filesystem::path& path) const;

  /// Locks it against other processes, which need not respect that. @return  False if another process has the lock;
  /// true also on file systems that have no locks.
  bool lock();
  bool set_permissions(std::filesystem::perms permissions);
  /// Gives it the owner and the group of another file as far as this user may: only root may give a file to another
  /// owner, others to a group of theirs.
  void take_owner_of(const OpenFile& other);

  /// Bytes that are there, at most `size`; 0 at the end, -1 on failure.
  std::ptrdiff_t read(void* into, std::size_t size);
  /// As read(), but all bytes until the end of the file; thread-safe.
  std::ptrdiff_t read_at(std::uint64_t offset, void* into, std::size_t size) const;
  /// Whether nothing arrives within a time, as with a pipe.
  bool waits(int milliseconds) const;
  /// @return  The number of bytes written, fewer on failure.
  std::size_t write(std::string_view bytes);
  bool truncate(std::uint64_t size_bytes);
  std::int64_t seek(std::int64_t offset, std::ios::seekdir from);
  /// Waits until it is on the disk; file systems that cannot sync count as success.
  bool sync();

 private:
  int descriptor_ = -1;
};

/// Stream buffer that reads from or writes to (but not both) an open file. Standard libraries provide this only as
/// vendor-specific extensions.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(OpenFile file, std::ios::openmode direction)
      : file_(std::move(file)), writes_((direction & std::ios::out) != 0) {
    if (writes_) setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~FileBuffer() override { close(); }

  /// Flushes the buffer and closes the file. @return  False, with errno set, if either fails.
  bool close() {
    if (!file_.is_open()) return true;
    const bool written = write_out(), closed = file_.close();
    if (!written) errno = error_;
    return written && closed;
  }
  /// The error of the last write that failed, which errno no longer has once the program went on; 0: none.
  int error() const { return error_; }

 protected:
  int_type underflow() override {
    if (writes_ || !file_.is_open()) return traits_type::eof();
    const std::ptrdiff_t count = file_.read(bytes_.data(), bytes_.size());
    // Streams convert an exception of their buffer to the state `bad`, which distinguishes it from the end of the file.
    if (count < 0) throw std::ios_base::failure("the file cannot be read");
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_[0]);
  }

  int_type overflow(int_type character) override {
    if (!writes_ || !file_.is_open() || !write_out()) return traits_type::eof();
    return traits_type::eq_int_type(character, traits_type::eof()) ? traits_type::not_eof(character)
                                                                   : sputc(static_cast<char>(character));
  }

  int sync() override { return !writes_ || write_out() ? 0 : -1; }

  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {
    if (!file_.is_open() || !write_out()) return pos_type(off_type(-1));
    if (from == std::ios::cur) offset -= egptr() - gptr();  // bytes read ahead
    setg(bytes_.data(), bytes_.data(), bytes_.data());
    return pos_type(off_type(file_.seek(offset, from)));
  }
  pos_type seekpos(pos_type place, std::ios::openmode mode) override {
    return seekoff(off_type(place), std::ios::beg, mode);
  }

 private:
  /// Flushes the buffer. Bytes that could not be written stay in it for the next attempt; no byte is written twice.
  bool write_out() {
    if (!writes_) return true;
    const auto size = static_cast<std::size_t>(pptr() - pbase()), written = file_.write({pbase(), size});
    if (written < size) error_ = errno;
    std::copy(pbase() + written, pptr(), bytes_.data());
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    pbump(static_cast<int>(size - written));
    return written == size;
  }

  OpenFile file_;
  int error_ = 0;
  bool writes_;
  std::array<char, 16384> bytes_;
};

}  // namespace platform

/// Target of a link, which need not exist, so that the target is written and the link stays; otherwise the path itself.
/// The system resolves the link, under its own rules.
/// @throws Error(kRuntime) for a link that another user has placed in a folder that anybody may write to.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// sync_folder() for a folder and all folders in it.
void sync_folders(const std::filesystem::path& folder);
/// The same for the contents of a file.
void sync_path(const std::filesystem::path& path);

/// The file functions of the standard library report exhausted memory by an error code; here it becomes std::bad_alloc,
/// as elsewhere.
inline void throw_if_no_memory(const std::error_code& failure) {
  if (failure == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace fernwood
