// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/stored_zip.h"

#include <algorithm>
#include <string_view>

#include "backbone/import/pickle.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::string_view kLocalMark = "PK\3\4", kCentralMark = "PK\1\2", kEndMark = "PK\5\6";
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kMostComment = 65535;

bool has_mark(Bytes bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
}

}  // namespace

bool is_zip(Bytes bytes) { return has_mark(bytes, kLocalMark); }

std::map<std::string, Bytes> read_stored_zip(Bytes bytes, const ErrorContext& place) {
  const auto require = [&](bool holds) {
    FW_CHECK(holds, Data, place.file << ": its archive is damaged or truncated" << place.remedy);
  };
  require(bytes.size() >= kEndSize);
  std::size_t end = bytes.size() - kEndSize;
  const std::size_t least = end > kMostComment ? end - kMostComment : 0;
  while (end > least && !has_mark(bytes.subspan(end), kEndMark)) --end;
  require(has_mark(bytes.subspan(end), kEndMark));
  ByteCursor tail(bytes.subspan(end + 10), place);
  const std::uint64_t num_files = tail.number(2), directory_size = tail.number(4), directory = tail.number(4);
  require(directory <= end && directory_size <= end - directory);

  std::map<std::string, Bytes> files;
  ByteCursor entries(bytes.subspan(directory, directory_size), place);
  for (std::uint64_t i = 0; i < num_files; ++i) {
    require(entries.num_left() >= kCentralSize);
    require(has_mark(entries.take(4), kCentralMark));
    entries.take(6);
    const std::uint64_t method = entries.number(2);
    entries.take(8);
    const std::uint64_t packed = entries.number(4), size = entries.number(4), name_size = entries.number(2);
    const std::uint64_t extra = entries.number(2), comment = entries.number(2);
    entries.take(8);
    const std::uint64_t offset = entries.number(4);
    const Bytes name_bytes = entries.take(name_size);
    entries.take(extra + comment);
    const std::string name(name_bytes.begin(), name_bytes.end());
    FW_CHECK(method == 0 && packed == size, Data,
             place.file << ": \"" << name << "\" in its archive is compressed, which torch.save() does not do; write "
                        << "the file again");
    require(offset <= bytes.size() && bytes.size() - offset >= kLocalSize);
    const Bytes local = bytes.subspan(offset);
    require(has_mark(local, kLocalMark));
    ByteCursor header(local.subspan(26), place);
    const std::uint64_t start = kLocalSize + header.number(2) + header.number(2);
    require(start <= local.size() && size <= local.size() - start);
    files.emplace(name, local.subspan(start, size));
  }
  return files;
}

}  // namespace fernwood::backbone
