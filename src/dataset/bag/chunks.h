// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/bag/bag_file.h"
#include "dataset/bag/bag_plugin.h"
#include "dataset/bag/file_bytes.h"

namespace fernwood::dataset {

/// Chunks up to this size are unpacked however small they were packed.
inline constexpr std::uint64_t kFreelyUnpackedBytes = std::uint64_t{1} << 26;

/// Messages that lie packed together in a file.
struct BagChunk {
  std::uint64_t offset = 0, packed_bytes = 0, unpacked_bytes = 0;
  BagCompression compression = BagCompression::kNone;
  std::uint32_t crc = 0;  ///< CRC-32 of the unpacked bytes; 0: unknown.
};

/// Bytes that were unpacked.
struct UnpackedBytes {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size_bytes = 0;

  std::span<const std::uint8_t> view() const { return {bytes.get(), size_bytes}; }
};

/// "", "none", "lz4", "zstd" or "bz2". @throws Error(kData) for another name. @param place  For messages.
BagCompression parse_compression(std::string_view name, const std::string& place);

/// @throws Error(kData) for damage, and for sizes that cannot be; Error(kUsage) where the plug-in bags is missing.
UnpackedBytes unpack(BagCompression compression, std::span<const std::uint8_t> packed, std::uint64_t unpacked_bytes,
                     const std::string& place);

/// Whether rosbag2 has packed a message by itself. CDR begins with a 0. @param bytes  At least its first four.
bool is_packed_message(std::span<const std::uint8_t> bytes);
MessageBytes unpack_message(std::span<const std::uint8_t> packed, const std::string& place);

/// The plug-in's function. @throws Error(kUsage) where the plug-in bags is missing, telling what needs it.
template <typename Function>
Function* bags_function(const char* function, const std::string& place, const char* needs_it);

/// The chunks of a file; those that were unpacked last stay in memory. Const members may be called from many threads.
class BagChunks {
 public:
  explicit BagChunks(const FileBytes& file) : file_(file) {}

  /// @return  Its index. @throws Error(kData) for one that does not lie in the file, or is too large.
  std::uint32_t add(const BagChunk& chunk);
  std::size_t size() const { return chunks_.size(); }
  std::uint64_t unpacked_bytes(std::uint32_t index) const { return chunks_[index].unpacked_bytes; }
  std::string place(std::uint32_t index) const;
  std::shared_ptr<const UnpackedBytes> load(std::uint32_t index) const;
  /// Bytes from a place in a chunk on, `most_bytes` at least unless it ends before. A few bytes of a chunk that is not
  /// compressed are read by themselves.
  MessageBytes bytes_from(std::uint32_t index, std::uint64_t offset, std::size_t most_bytes) const;

 private:
  struct Kept {
    std::uint32_t index;
    std::shared_ptr<const UnpackedBytes> bytes;
  };
  std::shared_ptr<const UnpackedBytes> find_kept(std::uint32_t index) const;
  void keep(const Kept& kept) const;

  const FileBytes& file_;
  std::vector<BagChunk> chunks_;
  mutable std::mutex mutex_;
  mutable std::list<Kept> kept_;  // the last used first
};

}  // namespace fernwood::dataset
