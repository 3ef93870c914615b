// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Interface between the readers of recordings and the plug-in bags, which uses zstd, LZ4, bzip2 and SQLite.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fernwood::recordings {

enum class BagCompression { kNone, kLz4, kZstd, kBz2 };

/// The plug-in's fernwood_unpack: fills `unpacked` completely. @return  An error description, or null.
using UnpackBytes = const char*(BagCompression compression, const std::uint8_t* packed, std::size_t packed_bytes,
                                std::uint8_t* unpacked, std::size_t unpacked_bytes);

/// The plug-in's fernwood_zstd_size: the unpacked size declared by a zstd frame; 0 where it declares none.
using ZstdSize = std::uint64_t(const std::uint8_t* packed, std::size_t packed_bytes);

/// The plug-in's fernwood_unpack_file, for zstd. @return  An error description, or null. @param most_bytes  Maximum
/// size of the unpacked file.
using UnpackFile = const char*(const char* packed, const char* unpacked, std::uint64_t most_bytes);

/// The plug-in's fernwood_pack_zstd. @return  The packed size; 0 where it is not smaller than `most_bytes`.
using PackZstd = std::size_t(int level, const std::uint8_t* bytes, std::size_t size_bytes, std::uint8_t* packed,
                             std::size_t most_bytes);

/// A row of the table `topics` of rosbag2.
struct StoredTopic {
  std::int64_t id = 0;
  std::string name, type, format;
};

/// A row of the table `messages` of rosbag2.
struct StoredMessage {
  std::int64_t row = 0, topic = 0, time_ns = 0;
};

/// A recording of rosbag2 in SQLite, open for reading by one thread at a time.
class SqliteBag {
 public:
  virtual ~SqliteBag() = default;
  virtual std::vector<StoredTopic> topics() const = 0;
  /// @param topics  Ids of the wanted topics. @throws Error(kData), as all functions here, for damage.
  virtual std::vector<StoredMessage> messages(const std::vector<std::int64_t>& topics) const = 0;
  /// @param most_bytes  Maximum number of bytes to read, from the beginning of the message.
  virtual std::vector<std::uint8_t> read(std::int64_t row, std::size_t most_bytes) const = 0;
};

/// The plug-in's fernwood_open_sqlite_bag; the caller owns the bag. @throws Error(kData) when it is not a recording.
using OpenSqliteBag = SqliteBag*(const char* path);

}  // namespace fernwood::recordings
