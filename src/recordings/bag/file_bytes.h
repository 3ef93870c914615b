// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// A file with random access, thread-safe.
class FileBytes {
 public:
  /// @throws FileError(kData) if the file is missing or a folder, Error(kRuntime) if it cannot be opened.
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// @return  The number of bytes read, fewer than requested at the end of the file. @throws Error(kRuntime).
  std::size_t read_some(std::uint64_t offset, std::span<std::uint8_t> into) const;
  /// @throws Error(kData) when the file has become shorter.
  void read(std::uint64_t offset, std::span<std::uint8_t> into) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
};

/// Buffered access to small, mostly ascending parts of a file, without a system call for each.
class FileWindow {
 public:
  static constexpr std::size_t kMostBytes = 8192;

  explicit FileWindow(const FileBytes& file) : file_(file) {}
  /// The result is valid until the next call, and shorter at the end of the file. @param size_bytes  At most
  /// kMostBytes.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::size_t size_bytes);

 private:
  const FileBytes& file_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t begin_ = 0;
};

}  // namespace fernwood::dataset
