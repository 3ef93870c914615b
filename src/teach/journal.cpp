// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

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

/// Opens and locks a journal's file. The folder may come from others: a link could lead to any file.
platform::OpenFile taken(const fs::path& path) {
  platform::OpenFile opened(path, platform::OpenFile::For::kAppend);
  FW_CHECK(opened.is_open() || errno == ELOOP || errno == ENXIO, Runtime,
           path.string() << " cannot be opened: " << std::strerror(errno) << "; check the folder and its permissions");
  FW_CHECK(opened.is_regular(), Data, path.string() << " is a link, a pipe or a device, no journal; remove it");
  FW_CHECK(opened.lock(), Usage, path.string() << " is open in another process; end that first");
  return opened;
}

}  // namespace

Journal::Journal(const fs::path& path, const std::string& title,
                 const std::function<void(const std::string& text, std::size_t line)>& replay)
    : path_(path) {
  file_.emplace(path_, taken(path_));
  const std::string content = file_->read();
  last_checksum_ = checksum(title.data(), title.size());
  std::size_t end = content.find('\n');
  if (end == std::string::npos) {  // new, or created just before the machine stopped
    FW_CHECK(title.starts_with(content), Data,
             path_.string() << " does not begin with \"" << title << "\"; choose another file, or move this one away");
    torn_bytes_ = content.size();
    if (torn_bytes_ > 0) file_->cut_off(0);
    write(title + "\n");
    return;
  }
  FW_CHECK(std::string_view(content).substr(0, end) == title, Data,
           path_.string() << " begins with \"" << content.substr(0, std::min<std::size_t>(end, 60)) << "\", not with \""
                          << title << "\"; choose another file, or take the program that wrote it");
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
