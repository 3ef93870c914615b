// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/append_file.h"

#include <cerrno>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

using platform::OpenFile;

OpenFile make_file(const fs::path& path) {
  OpenFile made(path, OpenFile::For::kAppendNew);
  FW_CHECK(made.is_open() || errno != EEXIST, Usage,
           path.string() << " is there already and would be overwritten; choose a new file");
  if (!made.is_open()) fail_writing(path, errno);
  return made;
}

constexpr const char* kWriteRemedy = "check the disk; what was done before is safe";

[[noreturn]] void fail_reading(const fs::path& path, int error_number) {
  throw Error(ErrorKind::kRuntime, path.string() + " cannot be read: " + std::strerror(error_number) +
                                       "; check the disk, and that no other program writes to the file");
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, OpenFile file)
    // Absolute, because a host program may change its working directory later.
    : path_(std::filesystem::absolute(path)), file_(std::move(file)) {
  if (!file_.sync()) fail_writing(path_, errno, kWriteRemedy);
  sync_folder(path_.parent_path());
  known_bytes_ = size_bytes();
}

AppendFile::AppendFile(const std::filesystem::path& path) : AppendFile(path, make_file(path)) {}

void AppendFile::append(std::string_view bytes) {
  if (is_torn_) fail_writing(path_, EIO, kWriteRemedy);
  const std::uint64_t present_bytes = size_bytes();
  FW_CHECK(present_bytes == known_bytes_, Runtime,
           path_.string() << " was changed by another program while it was being appended to, and has " << present_bytes
                          << " bytes instead of " << known_bytes_ << "; end this run and take the file from a backup");
  try {
    if (file_.write(bytes) < bytes.size() || !file_.sync()) fail_writing(path_, errno, kWriteRemedy);
    check_named();
  } catch (...) {
    // A torn end that cannot be truncated now is cut off when the file is next opened; nothing may follow it.
    is_torn_ = !file_.truncate(known_bytes_);
    throw;
  }
  known_bytes_ += bytes.size();
}

std::uint64_t AppendFile::size_bytes() const {
  const OpenFile::Status about = file_.status();
  if (about.type == fs::file_type::none) fail_reading(path_, errno);
  return about.size_bytes;
}

std::string AppendFile::read(std::uint64_t from_byte) {
  const std::uint64_t end = known_bytes_ = size_bytes();
  std::string text(end > from_byte ? end - from_byte : 0, '\0');
  const std::ptrdiff_t count = file_.read_at(from_byte, text.data(), text.size());
  if (static_cast<std::size_t>(count) != text.size()) fail_reading(path_, count < 0 ? errno : EIO);
  return text;
}

void AppendFile::cut_off(std::uint64_t size_bytes) {
  const std::string torn = read(size_bytes);
  const fs::path path = torn_path(path_);
  const std::string before = fs::is_regular_file(fs::symlink_status(path)) ? read_text(path) : "";
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& file) { file << before << torn << "\n"; });
  if (!file_.truncate(size_bytes)) fail_writing(path_, errno, kWriteRemedy);
  known_bytes_ = size_bytes;
}

void AppendFile::check_named() const {
  std::error_code failure;
  const bool is_there = fs::exists(fs::symlink_status(path_, failure));
  FW_CHECK(is_there, Runtime,
           path_.string() << " was removed or moved while it was being appended to; put it back, or start again");
  FW_CHECK(file_.is_at(path_), Runtime,
           path_.string() << " was replaced by another file while it was being appended to; put the first one back, or "
                             "start anew");
}

}  // namespace fernwood
