// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

/// The contents of our lock file, for other processes: "process 12 on atlas".
std::string this_run() {
  const std::string machine = platform::machine_name();
  return "process " + std::to_string(::getpid()) + (machine.empty() ? "" : " on " + machine);
}

std::string begin_of(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Writers follow links, so runs that write through a link must share the lock of its target.
fs::path lock_file(const fs::path& path) { return behind_links(path).string() + ".lock"; }

bool is_same_file(int descriptor, const fs::path& path) {
  struct stat mine, there;
  return ::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

/// A file of another user can be locked as well; nothing is written to it.
int open_lock_file(const fs::path& path) {
  constexpr int kHow = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int opened = ::open(path.c_str(), O_RDWR | O_CREAT | kHow, 0666);
  return opened >= 0 ? opened : ::open(path.c_str(), O_RDONLY | kHow);
}

/// Whether a text is the complete content of one of our lock files: "process 12" or "process 12 on atlas"; empty where
/// a run was killed before it could write that.
bool is_text_of_ours(std::string_view text) {
  constexpr std::string_view kBegin = "process ";
  if (text.empty()) return true;
  if (!text.starts_with(kBegin) || !text.ends_with('\n') || text.find('\n') + 1 != text.size()) return false;
  text.remove_prefix(kBegin.size());
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits > 0 && (text[digits] == '\n' || text.substr(digits).starts_with(" on "));
}

std::string holder_of(int descriptor) {
  const std::string text = begin_of(descriptor);
  return is_text_of_ours(text) ? text.substr(0, text.find('\n')) : "";
}

/// Other tools use the same names: Cargo.lock, poetry.lock.
void check_is_ours(int descriptor, const fs::path& file, const fs::path& output) {
  struct stat about;
  const bool is_file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink <= 1;
  FW_CHECK(is_file && is_text_of_ours(begin_of(descriptor)), Runtime,
           output.string() << ": while it is written, fernwood keeps a lock in " << file.string()
                           << ", which is a file of something else; name another output, or move that file away");
}

bool is_held_by_another(int descriptor) {
  int result = 0;
  do result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result != 0 && errno == EWOULDBLOCK;
}

}  // namespace

std::optional<OutputLock> OutputLock::try_lock(const fs::path& path, std::string* holder) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const fs::path file = is_folder ? path : lock_file(path);
  constexpr int kMaxTries = 100;  // each retry means that another run ended at that moment
  for (int i = 0; i < kMaxTries; ++i) {
    OutputLock lock;
    lock.descriptor_ = is_folder ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : open_lock_file(file);
    if (lock.descriptor_ < 0) return lock;
    if (is_held_by_another(lock.descriptor_)) {
      if (holder) *holder = is_folder ? "" : holder_of(lock.descriptor_);
      return std::nullopt;
    }
    if (is_folder) return lock;
    if (!is_same_file(lock.descriptor_, file)) continue;  // removed by the run that held it until now
    check_is_ours(lock.descriptor_, file, path);
    lock.file_ = file;
    const std::string text = this_run() + "\n";
    if (::ftruncate(lock.descriptor_, 0) != 0 || ::pwrite(lock.descriptor_, text.data(), text.size(), 0) < 0)
      return lock;  // the lock holds even without the text
    return lock;
  }
  return OutputLock();
}

OutputLock::OutputLock(const fs::path& path) {
  std::string holder;
  std::optional<OutputLock> lock = try_lock(path, &holder);
  FW_CHECK(lock, Runtime,
           path.string() << ": another run" << (holder.empty() ? "" : " (" + holder + ")")
                         << " is writing it; wait until that has ended, or name another output");
  *this = std::move(*lock);
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  if (!file_.empty() && is_same_file(descriptor_, file_)) ::unlink(file_.c_str());
  ::close(descriptor_);
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : file_(std::exchange(other.file_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

}  // namespace fernwood
