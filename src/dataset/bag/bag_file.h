// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What all kinds of recordings are: topics, and messages that lie somewhere in a file.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

struct BagTopic {
  std::string name;  ///< "/camera/color/image_raw"
  std::string type;  ///< "sensor_msgs/Image", of ROS 1 and 2 alike.
  ros::MessageCoding coding = ros::MessageCoding::kOther;

  bool operator==(const BagTopic&) const = default;
};

/// Whether it tells where up is, as McapRecorder writes it.
bool is_up(const BagTopic& topic);

/// Whether frames or their cameras are made of the messages of a topic; others are not looked for.
bool is_wanted(const BagTopic& topic);

/// A message's place in its file.
struct MessagePlace {
  static constexpr std::uint32_t kNoChunk = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t topic = 0;  ///< Index.
  std::uint32_t chunk = kNoChunk;
  std::uint64_t offset = 0;  ///< In its unpacked chunk, else in the file; of SQLite the row.
  std::int64_t time_ns = 0;  ///< When it was recorded.
};

/// Bytes of a message, and what keeps them in memory.
struct MessageBytes {
  std::shared_ptr<const void> keeps;
  std::span<const std::uint8_t> bytes;
};
/// Those of a vector.
MessageBytes message_of(std::vector<std::uint8_t> bytes);

/// What is known of a file when it has been opened.
struct BagIndex {
  std::vector<BagTopic> topics;
  std::vector<MessagePlace> messages;      ///< Of wanted topics.
  std::vector<std::string> warnings = {};  ///< A sentence each.
  std::uint64_t file_bytes = 0;            ///< Of the file; bounds the number of messages.

  /// The index of a topic, which is added where it is new.
  std::uint32_t index_of(const BagTopic& topic);
  /// Adds a message of a wanted topic. @throws Error(kData) for more than any camera takes. @param file  Its name.
  void add(const MessagePlace& place, const std::string& file);
};

/// One file of a recording. Const members may be called from many threads.
class BagFile {
 public:
  virtual ~BagFile() = default;
  const BagIndex& index() const { return index_; }
  /// @param most_bytes  Of the message, from its beginning. @throws Error(kData) for damage.
  virtual MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const = 0;

 protected:
  BagIndex index_;
};

/// Most bytes of a message: of floating-point depth of as many pixels as an image may have.
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 28;

/// Opens a file by what its first bytes say it is: MCAP, SQLite, a bag of ROS 1, or one of them packed by zstd.
/// @throws Error(kData) for another file or a damaged one; Error(kUsage) where the plug-in bags is missing.
std::unique_ptr<BagFile> open_bag_file(const std::filesystem::path& path);

}  // namespace fernwood::dataset
