// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/tables/row_format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

namespace {
constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr int kMillisecondsBetween = 200;
constexpr std::size_t kShortest = 8;  // at least this much is read first, to find a byte order mark in the first piece

/// Tables that are not text, by how they begin and what their first 128 bytes have.
constexpr struct {
  std::string_view begin, within, what;
} kOtherTables[] = {{"PK\x03\x04", "opendocument", "an OpenDocument spreadsheet"},
                    {"PK\x03\x04", ".npy", "an .npz archive of NumPy"},
                    {"PK\x03\x04", "[Content_Types].xml", "an Excel workbook"},
                    {"PK\x03\x04", "_rels/", "an Excel workbook"},
                    {"PK\x03\x04", "docProps/", "an Excel workbook"},
                    {"PK\x03\x04", "xl/", "an Excel workbook"},
                    {"\xD0\xCF\x11\xE0", "", "an Excel workbook"},
                    {"PAR1", "", "a Parquet file"},
                    {"ARROW1", "", "an Arrow or Feather file"},
                    {"FEA1", "", "a Feather file"},
                    {"\x93NUMPY", "", "a .npy array of NumPy"},
                    {"\x89HDF", "", "an HDF5 file"},
                    {"SQLite format 3", "", "an SQLite database"},
                    {"\x80", "", "a pickle of Python"}};
}  // namespace

LineSource::LineSource(const std::filesystem::path& path, std::function<void()> while_waiting)
    : name_(path == "-" ? "standard input" : path.string()),
      while_waiting_(std::move(while_waiting)),
      file_(path, platform::OpenFile::For::kReadArriving) {
  if (!file_.is_open())
    throw FileError(ErrorKind::kRuntime, path, errno,
                    "cannot be read: " + std::string(std::strerror(errno)) + "; check the name and the permissions");
  const platform::OpenFile::Status about = file_.status();
  if (about.type == std::filesystem::file_type::regular) bytes_total_ = static_cast<std::size_t>(about.size_bytes);
  if (about.type == std::filesystem::file_type::directory)
    throw FileError(ErrorKind::kRuntime, path, EISDIR, "is a folder; name a file of records");
}

const std::vector<TextLine>& LineSource::next() {
  lines_.clear();
  while (lines_.empty() && fill()) cut();
  return lines_;
}

/// Drops the lines already returned and reads another piece after the remainder. @return False at the end.
bool LineSource::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_, scanned_ -= begin_, begin_ = 0;
  FW_CHECK(end_ < kLongestLine, Data,
           name_ << ":" << line_number_ + 1 << " is as long as " << format_bytes(kLongestLine)
                 << ", more than is read; check that the file is text with a record on each line");
  if (buffer_.size() < end_ + kPiece) buffer_.resize(end_ + kPiece);
  const std::size_t piece_begin = end_, piece_end = end_ + kPiece;
  while (!at_end_ && end_ < piece_end) {
    while (while_waiting_ && file_.waits(kMillisecondsBetween)) while_waiting_();
    const std::ptrdiff_t count = file_.read(buffer_.data() + end_, piece_end - end_);
    FW_CHECK(count >= 0, Runtime, name_ << " cannot be read: " << std::strerror(errno) << "; check the device");
    at_end_ = count == 0;
    end_ += static_cast<std::size_t>(count);
    if (end_ > kShortest && file_.waits(0)) break;  // return early with the data available
  }
  if (bytes_read_ == 0 && std::string_view(buffer_.data(), end_).starts_with("\xEF\xBB\xBF")) begin_ = scanned_ = 3;
  bytes_read_ += end_ - piece_begin;
  check_text(piece_begin);
  return end_ > begin_;
}

void LineSource::check_text(std::size_t begin) const {
  const std::string_view head(buffer_.data(), end_);
  const bool compressed = head.starts_with("\x1f\x8b") || head.starts_with("BZh") || head.starts_with("\xFD\x37zXZ") ||
                          head.starts_with("PK\x03\x04") || head.starts_with("\x28\xB5\x2F\xFD");
  const void* const found = std::memchr(buffer_.data() + begin, 0, end_ - begin);
  for (const auto& table : kOtherTables)
    FW_CHECK(begin > 0 || !(compressed || found) || !head.starts_with(table.begin) ||
                 head.substr(0, 128).find(table.within) == std::string_view::npos,
             Data, name_ << " is " << table.what << ", not text; save it as CSV in UTF-8");
  FW_CHECK(begin > 0 || !compressed, Data,
           name_ << " is compressed; unpack it first, for example through a pipe and the file name -");
  FW_CHECK(begin > 0 || !(head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")), Data,
           name_ << " is UTF-16 text; convert it first with iconv -f UTF-16 -t UTF-8");
  if (found == nullptr) return;
  const auto at = static_cast<const char*>(found) - buffer_.data();
  const auto line = std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + at, '\n');
  FW_CHECK(false, Data,
           name_ << ":" << line_number_ + 1 + static_cast<std::size_t>(line)
                 << " holds a byte 0, which text does not; use LIBSVM or CSV text in UTF-8");
}

void LineSource::cut() {
  const char* const base = buffer_.data();
  while (begin_ < end_) {
    const void* const found = std::memchr(base + scanned_, '\n', end_ - scanned_);
    if (found == nullptr && !at_end_) break;
    const std::size_t line_end = found ? static_cast<std::size_t>(static_cast<const char*>(found) - base) : end_;
    std::string_view text(base + begin_, line_end - begin_);
    if (text.ends_with('\r')) text.remove_suffix(1);
    ++line_number_;
    if (text.find_first_not_of(" \t") != std::string_view::npos) lines_.push_back({text, line_number_});
    begin_ = scanned_ = std::min(line_end + 1, end_);
  }
  if (begin_ < end_) scanned_ = end_;
}

}  // namespace fernwood::records
