// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/export/formats.h"

#include <libdeflate.h>

#include <cstdint>

#include "fernwood/core/error.h"

namespace fernwood::formats {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kVersion = 20, kNamesAreUtf8 = 0x0800, kFirstDate = 0x0021;  // 1980-01-01, the earliest date

void append(std::string& bytes, std::uint32_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Fields that both headers of a file share, from the required version to the length of the name.
void append_file(std::string& bytes, const std::string& name, const std::string& content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  append(bytes, kVersion, 2);
  append(bytes, kNamesAreUtf8, 2);
  append(bytes, 0, 4);  // method: stored; no time
  append(bytes, kFirstDate, 2);
  append(bytes, libdeflate_crc32(0, content.data(), content.size()), 4);
  append(bytes, size, 4);
  append(bytes, size, 4);
  append(bytes, static_cast<std::uint32_t>(name.size()), 2);
  append(bytes, 0, 2);  // no extra field
}

}  // namespace

std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::uint64_t total_bytes = 0;
  for (const auto& [name, content] : files) total_bytes += 2 * name.size() + content.size() + 100;
  FW_CHECK(files.size() < 0xffff && total_bytes < 0xffffffff, Resource,
           "a ZIP archive has no room for " << files.size() << " files of " << total_bytes
                                            << " bytes; write them to a folder with fernwood dataset export");
  std::string bytes, directory;
  for (const auto& [name, content] : files) {
    append(directory, kCentralHeader, 4);
    append(directory, kVersion, 2);
    append_file(directory, name, content);
    append(directory, 0, 4);  // no comment, the first disk
    append(directory, 0, 2);
    append(directory, 0, 4);
    append(directory, static_cast<std::uint32_t>(bytes.size()), 4);
    directory += name;
    append(bytes, kLocalHeader, 4);
    append_file(bytes, name, content);
    bytes += name;
    bytes += content;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size()), count = static_cast<std::uint32_t>(files.size());
  bytes += directory;
  append(bytes, kEnd, 4);
  append(bytes, 0, 4);  // one disk
  append(bytes, count, 2);
  append(bytes, count, 2);
  append(bytes, static_cast<std::uint32_t>(directory.size()), 4);
  append(bytes, start, 4);
  append(bytes, 0, 2);
  return bytes;
}

}  // namespace fernwood::formats
