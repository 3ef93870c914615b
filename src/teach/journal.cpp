// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChecksumLetters = 16;

std::uint64_t chained(std::uint64_t last, std::string_view text) {
  const std::string both = to_hex(last) + std::string(text);
  return checksum(both.data(), both.size());
}

}  // namespace

Journal::Journal(const fs::path& path, const std::string& title,
                 const std::function<void(const std::string& text, std::size_t line)>& replay)
    : path_(path) {
  file_.emplace(path_, take());
  const std::string content = file_->read();
  last_checksum_ = checksum(title.data(), title.size());
  std::size_t end = content.find('\n');
  if (end == std::string::npos) {  // new, or created just before the machine stopped
    FW_CHECK(title.starts_with(content), Data,
             path_.string() << ": does not begin with \"" << title << "\"; name another file, or move this one away");
    torn_bytes_ = content.size();
    if (torn_bytes_ > 0) file_->cut_off(0);
    write(title + "\n");
    return;
  }
  FW_CHECK(std::string_view(content).substr(0, end) == title, Data,
           path_.string() << ": begins with \"" << content.substr(0, std::min<std::size_t>(end, 60))
                          << "\", not with \"" << title << "\"; name another file, or take the program that wrote it");
  size_bytes_ = title.size() + 1;
  for (std::size_t number = 2; (end = content.find('\n', size_bytes_)) != std::string::npos; ++number) {
    const std::string_view line = std::string_view(content).substr(size_bytes_, end - size_bytes_);
    const std::string text(line.substr(std::min(line.size(), kChecksumLetters + 1)));
    const std::uint64_t expected = chained(last_checksum_, text);
    const bool is_whole = line.size() > kChecksumLetters && line.substr(0, kChecksumLetters) == to_hex(expected) &&
                          line[kChecksumLetters] == ' ';
    // Blocks of the last line may have reached the disk in any order.
    if (!is_whole && end + 1 == content.size()) break;
    FW_CHECK(is_whole, Data,
             path_.string() << ": line " << number
                            << " is damaged, its checksum is another; take the file from a backup, or cut it off "
                               "before that line");
    replay(text, number);
    last_checksum_ = expected;
    size_bytes_ = end + 1;
  }
  torn_bytes_ = content.size() - size_bytes_;
  if (torn_bytes_ > 0) file_->cut_off(size_bytes_);
}

int Journal::take() const {
  // The folder may come from others: a link could lead to any file, and opening a pipe could block.
  const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  try {
    struct stat about;
    const bool is_file =
        opened < 0 ? errno != ELOOP && errno != ENXIO : ::fstat(opened, &about) == 0 && S_ISREG(about.st_mode);
    FW_CHECK(is_file, Data, path_.string() << ": is a link, a pipe or a device, no journal; remove it");
    FW_CHECK(
        opened >= 0, Runtime,
        path_.string() << ": cannot be opened: " << std::strerror(errno) << "; check the folder and its permissions");
    FW_CHECK(::flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, Usage,
             path_.string() << ": is open in another process; end that first");
  } catch (...) {
    if (opened >= 0) ::close(opened);
    throw;
  }
  return opened;
}

void Journal::append(const std::string& text) {
  const std::uint64_t sum = chained(last_checksum_, text);
  write(to_hex(sum) + " " + text + "\n");
  last_checksum_ = sum;
}

void Journal::write(const std::string& bytes) {
  file_->append(bytes);
  size_bytes_ += bytes.size();
}

}  // namespace fernwood::teach
