// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "core/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

std::string reason(int error_number) { return std::strerror(error_number); }

ErrorKind kind_of(int error_number) {
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  return is_full ? ErrorKind::kResource : ErrorKind::kRuntime;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;  // an error is reported by the operation that follows
  return fs::is_directory(path, ignored);
}

int look_at(const fs::path& path, NamedBy named_by, struct stat* found) {
  return named_by == NamedBy::kUser ? ::stat(path.c_str(), found) : ::lstat(path.c_str(), found);
}

/// The system would cut a name at a zero byte, and another file would be read or written.
void refuse_zero_byte(const fs::path& path) {
  FW_CHECK(path.native().find('\0') == std::string::npos, Usage,
           path.native() << ": a name cannot hold the byte 0; leave it out");
}

/// Closes the descriptor at the end, if it is open.
struct Descriptor {
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

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
    FW_CHECK(descriptor_ >= 0, Runtime,
             target_.string() << ": is being written by another process; wait for it, or name another file");
    struct stat old;
    const bool replaces = look_at(target_, named_by, &old) == 0 && S_ISREG(old.st_mode);
    const bool kept_mode = !replaces || ::fchmod(descriptor_, old.st_mode & 0777) == 0;  // not "runs as its owner"
    if (!kept_mode || ::ftruncate(descriptor_, 0) != 0) give_up(errno);
  }
  ~AtomicFile() {
    if (descriptor_ < 0) return;
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void fill(const std::function<void(std::ostream&)>& write) {
    // A duplicate, because the stream closes its descriptor; the lock stays with the original.
    const int duplicate = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) fail_writing(target_, errno);
    DescriptorBuffer buffer(duplicate, std::ios::out);
    ClassicStream<std::ostream> stream(&buffer);
    write(stream);
    stream.flush();
    if (!stream) fail_writing(target_, buffer.error() ? buffer.error() : EIO);
    if (!buffer.close()) fail_writing(target_, errno);
  }

  void take_its_place(Durability outlasts) {
    // Until the new name is on the disk, the old one refers to the replaced file. While that file is open its blocks
    // are not reused; otherwise a crash could leave parts of other files under the old name.
    const Descriptor replaced{::open(target_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat old;
    const bool replaces = ::fstat(replaced.number, &old) == 0 && S_ISREG(old.st_mode);
    // Only root may give a file to another owner, others to a group of theirs; without permission the file is ours.
    if (replaces && ::fchown(descriptor_, old.st_uid, old.st_gid) != 0 &&
        ::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) != 0)
      errno = 0;
    // Sync first: a file system may store the new name on the disk before the contents of the file.
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_writing(target_, errno);
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail_writing(target_, errno);
    ::close(std::exchange(descriptor_, -1));
    if (outlasts == Durability::kPowerFailure || replaced.number >= 0) sync_folder(target_.parent_path());
  }

 private:
  /// Tries to lock the file; false when another process has it.
  bool take() {
    errno = 0;
    constexpr int kHow = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int opened = ::open(path_.c_str(), kHow | O_CREAT | O_EXCL, 0666);
    const bool was_there = opened < 0 && errno == EEXIST;
    if (was_there) opened = ::open(path_.c_str(), kHow);
    if (was_there && opened < 0 && errno == ENOENT) return false;  // the other process has finished
    if (opened < 0 && (errno == ELOOP || errno == ENXIO)) give_up(EEXIST);
    if (opened < 0) fail_writing(target_, errno);
    descriptor_ = opened;
    struct stat mine, there;
    if (::fstat(opened, &mine) != 0) give_up(errno);
    const bool is_ours = S_ISREG(mine.st_mode) && mine.st_uid == ::geteuid() && mine.st_nlink <= 1;
    if (was_there && !is_ours) give_up(EEXIST);
    const bool locked = ::flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    // Before the lock was acquired, another process may have renamed the file to its target.
    if (locked && ::stat(path_.c_str(), &there) == 0 && there.st_ino == mine.st_ino && there.st_dev == mine.st_dev)
      return true;
    ::close(std::exchange(descriptor_, -1));
    return false;
  }

  [[noreturn]] void give_up(int error_number) {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    FW_CHECK(error_number != EEXIST, Runtime,
             path_.string() << ": is in the way and is not a file of ours; remove it, or name another file");
    fail_writing(target_, error_number);
  }

  fs::path target_, path_;
  int descriptor_ = -1;
};

}  // namespace

void fail_writing(const fs::path& path, int error_number, const char* remedy) {
  const bool is_full = kind_of(error_number) == ErrorKind::kResource;
  throw FileError(kind_of(error_number), path, error_number,
                  "cannot be written: " + reason(error_number) + "; " +
                      (is_full ? "free some space or choose another place" : remedy));
}

void sync_path(const fs::path& path) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return;  // writable but not readable
  const int failure = ::fsync(opened) != 0 ? errno : 0;
  ::close(opened);
  // Other errors mean that the file system cannot sync folders; their files are safe.
  if (failure == EIO || failure == ENOSPC || failure == EDQUOT) fail_writing(path, failure, "check the disk");
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
           path.string() << ": has no size; give a regular file, not a pipe");
  errno = 0;
  InputFile file(path);
  if (!file) {
    const int error_number = errno ? errno : ENOENT;
    throw FileError(ErrorKind::kRuntime, path, error_number,
                    "cannot be read: " + reason(error_number) + "; check the name and the permissions");
  }
  file.seekg(0, std::ios::end);
  const std::streamoff size_bytes = file.tellg();
  FW_CHECK(size_bytes >= 0, Runtime, path.string() << ": has no size; give a regular file, not a pipe");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size_bytes));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  FW_CHECK(file, Runtime, path.string() << ": cannot be read: " << reason(errno ? errno : EIO));
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
                  "the output folder cannot be created: " + failure.message() + "; name another folder");
}

void make_folder_within(const fs::path& folder, const fs::path& below) {
  make_folder(folder);
  fs::path made = folder;
  for (const fs::path& name : below) {
    made /= name;
    std::error_code ignored;  // an error is reported when the folder is created
    if (fs::is_symlink(fs::symlink_status(made, ignored)))
      throw FileError(ErrorKind::kRuntime, made, ELOOP,
                      "is a link, where a folder for output is to be; remove it, or name another output folder");
    make_folder(made);
  }
}

void check_replaceable(const fs::path& path, NamedBy named_by) {
  refuse_zero_byte(path);
  struct stat there;
  if (look_at(path, named_by, &there) != 0 || S_ISREG(there.st_mode)) return;
  if (named_by == NamedBy::kFernwood && S_ISLNK(there.st_mode)) return;
  const bool is_directory = S_ISDIR(there.st_mode), by_user = named_by == NamedBy::kUser;
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
                    "the folder " + folder.string() + " does not exist; create it or name another");
  const AtomicFile part(path, named_by);
}

std::uint64_t checksum(const void* data, std::size_t size_bytes) { return XXH3_64bits(data, size_bytes); }

namespace fs = std::filesystem;

namespace {

/// Refuses a link that another user has placed in a folder that anybody may write to, in order to redirect our output:
/// Linux refuses to follow such links only where it is configured to (proc(5), protected_symlinks).
void check_link(const fs::path& path) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat link, folder;
  const fs::path above = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || ::stat(above.c_str(), &folder) != 0) return;
  const bool is_foreign = link.st_uid != ::geteuid() && link.st_uid != folder.st_uid;
  if (is_foreign && (folder.st_mode & kShared) == kShared)
    throw FileError(
        ErrorKind::kRuntime, path, EACCES,
        "is a link of another user, in a folder that anybody may write to; remove it, or name another file");
}

}  // namespace

fs::path behind_links(const fs::path& path) {
  std::error_code failure;
  fs::path next = path;
  constexpr int kMaxLinks = 40;  // the same limit as the system's
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(next, failure)); ++i) {
    check_link(next);
    const fs::path target = fs::read_symlink(next, failure);
    if (failure) break;
    next = target.is_absolute() ? target : next.parent_path() / target;
  }
  if (next == path) return path;
  const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0 && errno == EACCES) fail_writing(path, EACCES, "it is a link; name the file that it leads to");
  if (opened < 0) return errno == ENOENT ? next : path;  // a dangling link names a file to be created
  const fs::path target = platform::path_of(opened, failure);
  ::close(opened);
  return failure ? fs::canonical(path) : target;
}

ScratchFolder::ScratchFolder() {
  const char* const place = std::getenv("TMPDIR");
  std::string name = (std::filesystem::path(place && *place ? place : "/tmp") / "fernwood_XXXXXX").string();
  FW_CHECK(::mkdtemp(name.data()) != nullptr, Runtime,
           name << ": cannot be made: " << std::strerror(errno) << "; set TMPDIR to a folder that can be written");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fernwood
