// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// A file of which parts are read in any order, from any thread.
class FileBytes {
 public:
  /// @throws FileError(kData) for a file that is not there or a folder, Error(kRuntime) for one that cannot be opened.
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// @return  How many bytes there were, fewer than asked for at the end. @throws Error(kRuntime).
  std::size_t read_some(std::uint64_t offset, std::span<std::uint8_t> into) const;
  /// @throws Error(kData) when the file has become shorter.
  void read(std::uint64_t offset, std::span<std::uint8_t> into) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
};

/// Small parts of a file from its beginning on, without a call of the system for each.
class FileWindow {
 public:
  static constexpr std::size_t kMostBytes = 8192;

  explicit FileWindow(const FileBytes& file) : file_(file) {}
  /// Valid until the next call; fewer bytes at the end of the file. @param size_bytes  At most kMostBytes.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::size_t size_bytes);

 private:
  const FileBytes& file_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t begin_ = 0;
};

}  // namespace fernwood::dataset
