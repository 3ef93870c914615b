// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common interface of all kinds of recordings: topics, and messages stored in a file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/ros/messages.h"

namespace fernwood::recordings {

// Interface between the readers of recordings and the plug-in bags, which uses zstd, LZ4, bzip2 and SQLite.

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

struct BagTopic {
  std::string name;  ///< "/camera/color/image_raw"
  std::string type;  ///< "sensor_msgs/Image", for both ROS 1 and ROS 2.
  ros::MessageCoding coding = ros::MessageCoding::kOther;

  bool operator==(const BagTopic&) const = default;
};

/// Whether a topic contains the up direction, as McapRecorder writes it.
bool is_up(const BagTopic& topic);

/// Whether a topic of a recording by Intel's SDK holds the transform from its reference stream to a stream
/// (/device_0/sensor_1/Color_0/tf/0), or the unit of a sensor's depth in metres.
bool is_sdk_transform(const BagTopic& topic);
bool is_sdk_depth_unit(const BagTopic& topic);

/// Whether frames or their cameras are made from the messages of a topic; other topics are not indexed.
bool is_wanted(const BagTopic& topic);

/// Position of a message in its file.
struct MessagePlace {
  static constexpr std::uint32_t kNoChunk = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t topic = 0;  ///< Index.
  std::uint32_t chunk = kNoChunk;
  std::uint64_t offset = 0;  ///< In its unpacked chunk, else in the file; for SQLite the row id.
  std::int64_t time_ns = 0;  ///< Time of recording.
};

/// Bytes of a message, and their owner.
struct MessageBytes {
  std::shared_ptr<const void> keeps;
  std::span<const std::uint8_t> bytes;
};
/// A message that owns the bytes of a vector.
MessageBytes message_of(std::vector<std::uint8_t> bytes);

/// Index of a file, built when it is opened.
struct BagIndex {
  std::vector<BagTopic> topics;
  std::vector<MessagePlace> messages;      ///< Messages of wanted topics.
  std::vector<std::string> warnings = {};  ///< A sentence each.
  std::uint64_t file_bytes = 0;            ///< Size of the file; bounds the number of messages.

  /// The index of a topic, which is added if it is new.
  std::uint32_t index_of(const BagTopic& topic);
  /// Adds a message of a wanted topic. @throws Error(kData) for more messages than any camera records. @param file  Its
  /// name.
  void add(const MessagePlace& place, const std::string& file);
};

/// One file of a recording. Const members are thread-safe.
class BagFile {
 public:
  virtual ~BagFile() = default;
  const BagIndex& index() const { return index_; }
  /// @param most_bytes  Maximum number of bytes to read, from the beginning of the message. @throws Error(kData) for
  /// damage.
  virtual MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const = 0;

 protected:
  BagIndex index_;
};

/// Maximum size of a message: floating-point depth of the largest possible image.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 28;

/// Opens a file according to its first bytes: MCAP, SQLite, a bag of ROS 1, or one of these compressed by zstd.
/// @throws Error(kData) for other or damaged files; Error(kUsage) where the plug-in bags is missing.
std::unique_ptr<BagFile> open_bag_file(const std::filesystem::path& path);

}  // namespace fernwood::recordings
