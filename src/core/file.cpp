// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "core/platform/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

using Use = platform::OpenFile::For;

std::string reason(int error_number) { return std::strerror(error_number); }

bool is_folder(const fs::path& path) {
  std::error_code ignored;  // an error is reported by the operation that follows
  return fs::is_directory(path, ignored);
}

fs::file_status look_at(const fs::path& path, NamedBy named_by) {
  std::error_code ignored;  // an error is reported by the operation that follows
  return named_by == NamedBy::kUser ? fs::status(path, ignored) : fs::symlink_status(path, ignored);
}

/// The system would cut a name at a zero byte, and another file would be read or written.
void refuse_zero_byte(const fs::path& path) {
  FW_CHECK(path.native().find('\0') == std::string::npos, Usage,
           path.string() << ": a name cannot hold the byte 0; leave it out");
}

/// A temporary file that is written before it replaces the target, for the lifetime of this object. Its name is the
/// target's with ".part" appended, so that the next run reuses the file of a run that was killed. A lock keeps
/// processes apart; links and files of other users are not written to.
class AtomicFile {
 public:
  AtomicFile(const fs::path& target, NamedBy named_by)
      : target_(named_by == NamedBy::kUser ? behind_links(target) : target), path_(target_.string() + kPartSuffix) {
    check_replaceable(target, named_by);
    constexpr int kMaxTries = 500;  // of 10 ms each: writing a file takes less
    for (int i = 0; i < kMaxTries && !take(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    FW_CHECK(file_.is_open(), Runtime,
             target_.string() << " is being written by another process; wait for it, or choose another file");
    const fs::file_status old = look_at(target_, named_by);
    const bool kept_mode = !fs::is_regular_file(old) ||
                           file_.set_permissions(old.permissions() & fs::perms::all);  // not "runs as its owner"
    if (!kept_mode || !file_.truncate(0)) fail_writing(target_, errno);
  }
  ~AtomicFile() {
    std::error_code ignored;
    if (file_.is_open()) fs::remove(path_, ignored);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void fill(const std::function<void(std::ostream&)>& write) {
    // A duplicate, because the buffer closes its file; the lock stays with the original.
    platform::OpenFile duplicate = file_.duplicate();
    if (!duplicate.is_open()) fail_writing(target_, errno);
    platform::FileBuffer buffer(std::move(duplicate), std::ios::out);
    ClassicStream<std::ostream> stream(&buffer);
    write(stream);
    stream.flush();
    if (!stream) fail_writing(target_, buffer.error() ? buffer.error() : EIO);
    if (!buffer.close()) fail_writing(target_, errno);
  }

  void take_its_place(Durability outlasts) {
    // Until the new name is on the disk, the old one refers to the replaced file. While that file is open its blocks
    // are not reused; otherwise a crash could leave parts of other files under the old name.
    const platform::OpenFile replaced(target_, Use::kHold);
    if (replaced.is_regular()) file_.take_owner_of(replaced);
    // Sync first: a file system may store the new name on the disk before the contents of the file.
    if (!file_.sync()) fail_writing(target_, errno);
    std::error_code failure;
    fs::rename(path_, target_, failure);
    if (failure) fail_writing(target_, failure.value());
    file_.close();
    if (outlasts == Durability::kPowerFailure || replaced.is_open()) sync_folder(target_.parent_path());
  }

 private:
  bool take() {
    platform::OpenFile opened(path_, Use::kNew);
    const bool was_there = !opened.is_open() && errno == EEXIST;
    if (was_there) opened = platform::OpenFile(path_, Use::kOverwrite);
    if (was_there && !opened.is_open() && errno == ENOENT) return false;  // the other process has finished
    if (!opened.is_open() && errno != ELOOP && errno != ENXIO) fail_writing(target_, errno);
    const platform::OpenFile::Status there = opened.status();
    FW_CHECK(there.type == fs::file_type::regular && (!was_there || (there.is_own && there.has_one_name)), Runtime,
             path_.string() << " already exists and was not written by fernwood; remove it, or choose another file");
    // Before the lock was acquired, another process may have renamed the file to its target.
    if (!opened.lock() || !opened.is_at(path_)) return false;
    file_ = std::move(opened);
    return true;
  }

  fs::path target_, path_;
  platform::OpenFile file_;
};

}  // namespace

void fail_writing(const fs::path& path, int error_number, const char* remedy) {
  const bool is_full = platform::is_disk_full(error_number);
  throw FileError(is_full ? ErrorKind::kResource : ErrorKind::kRuntime, path, error_number,
                  "cannot be written: " + reason(error_number) + "; " +
                      (is_full ? "free some space or choose another place" : remedy));
}

void sync_path(const fs::path& path) {
  platform::OpenFile opened(path, Use::kRead);
  if (!opened.is_open() || opened.sync()) return;  // or writable but not readable
  // Other errors mean that the file system cannot sync folders; their files are safe.
  if (errno == EIO || platform::is_disk_full(errno)) fail_writing(path, errno, "check the disk");
}

void sync_folder(const fs::path& folder) { sync_path(folder.empty() ? "." : folder); }

void sync_folders(const fs::path& folder) {
  sync_folder(folder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.symlink_status().type() == fs::file_type::directory) sync_folder(entry.path());
}

std::vector<std::uint8_t> read_file(const fs::path& path) {
  refuse_zero_byte(path);
  if (is_folder(path)) throw FileError(ErrorKind::kRuntime, path, EISDIR, "is a folder; name a file");
  std::error_code ignored;  // opening a pipe would block until it has a writer
  FW_CHECK(!fs::is_fifo(path, ignored) && !fs::is_socket(path, ignored), Runtime,
           path.string() << " has no size; use a regular file, not a pipe");
  errno = 0;
  InputFile file(path);
  if (!file) {
    const int error_number = errno ? errno : ENOENT;
    throw FileError(ErrorKind::kRuntime, path, error_number,
                    "cannot be read: " + reason(error_number) + "; check the name and the permissions");
  }
  file.seekg(0, std::ios::end);
  const std::streamoff size_bytes = file.tellg();
  FW_CHECK(size_bytes >= 0, Runtime, path.string() << " has no size; use a regular file, not a pipe");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size_bytes));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  FW_CHECK(file, Runtime, path.string() << " cannot be read: " << reason(errno ? errno : EIO));
  return bytes;
}

std::string read_text(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

void write_file_atomically(const fs::path& path, NamedBy named_by, const std::function<void(std::ostream&)>& write,
                           Durability outlasts) {
  AtomicFile part(path, named_by);
  part.fill(write);
  part.take_its_place(outlasts);
}

fs::path full_path(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

void make_folder(const fs::path& folder) {
  FW_CHECK(!folder.empty(), Usage, "the name of the output folder is empty; name a folder");
  std::error_code failure;
  std::vector<fs::path> missing;
  for (fs::path above = folder; !above.empty() && !fs::exists(above, failure); above = above.parent_path())
    missing.push_back(above);
  fs::create_directories(folder, failure);
  if (is_folder(folder)) {
    for (const fs::path& made : missing) sync_folder(made.parent_path());
    return;
  }
  throw_if_no_memory(failure);
  if (!failure) failure = std::make_error_code(std::errc::not_a_directory);
  throw FileError(ErrorKind::kRuntime, folder, failure.value(),
                  "cannot be created: " + failure.message() + "; choose another folder");
}

void make_folder_within(const fs::path& folder, const fs::path& below) {
  make_folder(folder);
  fs::path made = folder;
  for (const fs::path& name : below) {
    made /= name;
    std::error_code ignored;  // an error is reported when the folder is created
    if (fs::is_symlink(fs::symlink_status(made, ignored)))
      throw FileError(ErrorKind::kRuntime, made, ELOOP,
                      "is a link, where a folder for output is to be; remove it, or choose another output folder");
    make_folder(made);
  }
}

void check_replaceable(const fs::path& path, NamedBy named_by) {
  refuse_zero_byte(path);
  const fs::file_status there = look_at(path, named_by);  // a link only if fernwood has named it
  if (!fs::exists(there) || fs::is_regular_file(there) || fs::is_symlink(there)) return;
  const bool is_directory = fs::is_directory(there), by_user = named_by == NamedBy::kUser;
  std::string sentence = is_directory ? "is a folder" : "is a device, a pipe or a socket";
  sentence += !by_user       ? ", where a file is to be written; remove it"
              : is_directory ? "; name a file in it"
                             : "; name a regular file";
  throw FileError(ErrorKind::kRuntime, path, is_directory ? EISDIR : EINVAL, sentence);
}

void check_writable(const fs::path& path, NamedBy named_by) {
  FW_CHECK(!path.empty(), Usage, "the output path is empty; name a file");
  check_replaceable(path, named_by);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!is_folder(folder))
    throw FileError(ErrorKind::kRuntime, path, ENOENT,
                    "cannot be written: the folder " + folder.string() + " does not exist; create it or name another");
  const AtomicFile part(path, named_by);
}

std::uint64_t checksum(const void* data, std::size_t size_bytes) { return XXH3_64bits(data, size_bytes); }

fs::path behind_links(const fs::path& path) {
  std::error_code failure;
  fs::path next = path;
  constexpr int kMaxLinks = 40;  // the same limit as the system's
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(next, failure)); ++i) {
    if (platform::is_foreign_link(next))  // it may be there to redirect our output
      throw FileError(
          ErrorKind::kRuntime, next, EACCES,
          "is a link of another user, in a folder that anybody may write to; remove it, or choose another file");
    const fs::path target = fs::read_symlink(next, failure);
    if (failure) break;
    next = target.is_absolute() ? target : next.parent_path() / target;
  }
  if (next == path) return path;
  const fs::path target = platform::path_behind_links(path, failure);
  if (failure == std::errc::permission_denied)
    fail_writing(path, EACCES, "it is a link; name the file that it leads to");
  if (failure) return failure == std::errc::no_such_file_or_directory ? next : path;  // next is a file to be created
  return target;
}

ScratchFolder::ScratchFolder() {
  const char* const place = std::getenv("TMPDIR");
  path_ = std::filesystem::path(place && *place ? place : "/tmp") / "fernwood_XXXXXX";
  FW_CHECK(
      platform::make_scratch_folder(path_), Runtime,
      path_.string() << " cannot be made: " << std::strerror(errno) << "; set TMPDIR to a folder that can be written");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fernwood
