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

/// The lines of a text, with their positions.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// False at the end, and when the rest has no line feed.
  bool next() {
    const std::size_t end = text_.find('\n', place_);
    if (end == std::string_view::npos) return false;
    begin_ = place_;
    line_ = text_.substr(place_, end - place_);
    place_ = end + 1;
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }
  std::size_t begin() const { return begin_; }
  bool is_last() const { return place_ == text_.size(); }

 private:
  std::string_view text_, line_;
  std::size_t place_ = 0, begin_ = 0, number_ = 0;
};

/// Opens and locks a journal's file. The folder may come from others: a link could lead to any file.
platform::OpenFile taken(const fs::path& path) {
  platform::OpenFile opened(path, platform::OpenFile::For::kAppend);
  FW_CHECK(opened.is_open() || errno == ELOOP || errno == ENXIO, Runtime,
           path.string() << ": cannot be opened: " << std::strerror(errno) << "; check the folder and its permissions");
  FW_CHECK(opened.is_regular(), Data, path.string() << ": is a link, a pipe or a device, no journal; remove it");
  FW_CHECK(opened.lock(), Usage, path.string() << ": is open in another process; end that first");
  return opened;
}

}  // namespace

Journal::Journal(const fs::path& path, const std::string& title,
                 const std::function<void(const std::string& text, std::size_t line)>& replay)
    : path_(path) {
  file_.emplace(path_, taken(path_));
  const std::string content = file_->read();
  Lines lines(content);
  last_checksum_ = checksum(title.data(), title.size());
  if (!lines.next()) {  // new, or created just before the machine stopped
    FW_CHECK(title.starts_with(content), Data,
             path_.string() << ": does not begin with \"" << title << "\"; name another file, or move this one away");
    torn_bytes_ = content.size();
    if (torn_bytes_ > 0) file_->cut_off(0);
    write(title + "\n");
    return;
  }
  FW_CHECK(lines.line() == title, Data,
           path_.string() << ": begins with \"" << lines.line().substr(0, 60) << "\", not with \"" << title
                          << "\"; name another file, or take the program that wrote it");
  size_bytes_ = title.size() + 1;
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::string text(line.substr(std::min(line.size(), kChecksumLetters + 1)));
    const std::uint64_t expected = chained(last_checksum_, text);
    const bool is_whole = line.size() > kChecksumLetters && line.substr(0, kChecksumLetters) == to_hex(expected) &&
                          line[kChecksumLetters] == ' ';
    // Blocks of the last line may have reached the disk in any order.
    if (!is_whole && lines.is_last()) break;
    FW_CHECK(is_whole, Data,
             path_.string() << ": line " << lines.number()
                            << " is damaged, its checksum is another; take the file from a backup, or cut it off "
                               "before that line");
    replay(text, lines.number());
    last_checksum_ = expected;
    size_bytes_ += line.size() + 1;
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
