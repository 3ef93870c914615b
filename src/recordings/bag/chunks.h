// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/file_system.h"
#include "recordings/bag/bag_file.h"

namespace fernwood::recordings {

/// A file with random access, thread-safe.
class FileBytes {
 public:
  /// @throws FileError(kData) if the file is missing or a folder, Error(kRuntime) if it cannot be opened.
  explicit FileBytes(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// @return  The number of bytes read, fewer than requested at the end of the file. @throws Error(kRuntime).
  std::size_t read_some(std::uint64_t offset, std::span<std::uint8_t> into) const;
  /// @throws Error(kData) when the file has become shorter.
  void read(std::uint64_t offset, std::span<std::uint8_t> into) const;
  /// The content of a record that is not an image. @throws Error(kData) also for more than 64 MiB.
  std::vector<std::uint8_t> read_record(std::uint64_t offset, std::uint64_t size_bytes) const;

 private:
  std::string name_;
  platform::OpenFile file_;
  std::uint64_t size_bytes_ = 0;
};

/// Buffered access to small, mostly ascending parts of a file, without a system call for each.
class FileWindow {
 public:
  static constexpr std::size_t kMaxBytes = 8192;

  explicit FileWindow(const FileBytes& file) : file_(file) {}
  /// The result is valid until the next call, and shorter at the end of the file. @param size_bytes  At most
  /// kMaxBytes.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::size_t size_bytes);

 private:
  const FileBytes& file_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t begin_ = 0;
};

/// Chunks up to this size are unpacked whatever their compression ratio.
inline constexpr std::uint64_t kFreelyUnpackedBytes = std::uint64_t{1} << 26;

/// Messages that are compressed together in a file.
struct BagChunk {
  std::uint64_t offset = 0, packed_bytes = 0, unpacked_bytes = 0;
  BagCompression compression = BagCompression::kNone;
  std::uint32_t crc = 0;  ///< CRC-32 of the unpacked bytes; 0: unknown.
};

/// Unpacked bytes.
struct UnpackedBytes {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size_bytes = 0;

  std::span<const std::uint8_t> view() const { return {bytes.get(), size_bytes}; }
};

/// Parses "", "none", "lz4", "zstd" or "bz2". @throws Error(kData) for another name. @param place  For messages.
BagCompression parse_compression(std::string_view name, const std::string& place);

/// @throws Error(kData) for damage and impossible sizes; Error(kUsage) where the plug-in bags is missing.
UnpackedBytes unpack(BagCompression compression, std::span<const std::uint8_t> packed, std::uint64_t unpacked_bytes,
                     const std::string& place);

/// Whether rosbag2 has compressed this message separately. CDR begins with a 0. @param bytes  At least the first four.
bool is_packed_message(std::span<const std::uint8_t> bytes);
MessageBytes unpack_message(std::span<const std::uint8_t> packed, const std::string& place);

/// Finds a function of the plug-in. @throws Error(kUsage) where the plug-in bags is missing, naming the reason it is
/// needed.
template <typename Function>
Function* bags_function(const char* function, const std::string& place, const char* needs_it);

/// The chunks of a file; the most recently unpacked ones are cached. Const members are thread-safe.
class BagChunks {
 public:
  explicit BagChunks(const FileBytes& file) : file_(file) {}

  /// @return  The index of the chunk. @throws Error(kData) if it lies outside the file, or is too large.
  std::uint32_t add(const BagChunk& chunk);
  std::size_t size() const { return chunks_.size(); }
  std::uint64_t unpacked_bytes(std::uint32_t index) const { return chunks_[index].unpacked_bytes; }
  std::string place(std::uint32_t index) const;
  std::shared_ptr<const UnpackedBytes> load(std::uint32_t index) const;
  /// Bytes of a chunk from `offset` on: at least `most_bytes`, unless the chunk ends before. A few bytes of an
  /// uncompressed chunk are read without reading the whole chunk.
  MessageBytes bytes_from(std::uint32_t index, std::uint64_t offset, std::size_t most_bytes) const;

 private:
  struct Kept {
    std::uint32_t index;
    std::shared_ptr<const UnpackedBytes> bytes;
  };

  const FileBytes& file_;
  std::vector<BagChunk> chunks_;
  mutable std::mutex mutex_;
  mutable std::list<Kept> kept_;  // most recently used first
};

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";

// Opcodes of records.
inline constexpr std::uint8_t kMcapFileHeader = 1, kMcapFooter = 2, kMcapSchema = 3, kMcapChannel = 4, kMcapMessage = 5,
                              kMcapChunk = 6, kMcapMessageIndex = 7, kMcapChunkIndex = 8, kMcapStatistics = 11,
                              kMcapSummaryOffset = 14, kMcapDataEnd = 15;

inline constexpr std::size_t kMcapMessageBytes = 22;  ///< Of a message record, preceding its content.

/// Opens MCAP (https://mcap.dev/spec), with the profiles ros2 and ros1. Records are traversed from the beginning,
/// header by header, so that files need no summary and may be truncated.
/// @throws Error(kData) for damage, Error(kUsage) where chunks are compressed and the plug-in bags is missing.
std::unique_ptr<BagFile> open_mcap(const std::filesystem::path& path);

inline constexpr std::string_view kRosbag1Magic = "#ROSBAG V2.0\n";

/// Opens a bag of ROS 1 (http://wiki.ros.org/Bags/Format/2.0). Traversed like MCAP, so that it needs no index and may
/// be truncated.
/// @throws Error(kData) for damage and encrypted bags, Error(kUsage) where chunks are compressed and the plug-in bags
/// is missing.
std::unique_ptr<BagFile> open_rosbag1(const std::filesystem::path& path);

}  // namespace fernwood::recordings
