// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/append_file.h"
#include "recordings/bag/bag_file.h"

namespace fernwood::recordings {

/// Encodes the bytes of a recording: little-endian numbers, strings and bytes with a length prefix.
class McapBytes {
 public:
  template <typename Number>
  McapBytes& number(Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      bytes_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
    return *this;
  }
  McapBytes& raw(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  McapBytes& text(std::string_view text) {
    return number(static_cast<std::uint32_t>(text.size()))
        .raw({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// An opcode, the size of the content, and the content.
  McapBytes& record(std::uint8_t opcode, const McapBytes& content) {
    return number(opcode).number(std::uint64_t{content.size()}).raw(content.view());
  }
  std::size_t size() const { return bytes_.size(); }
  std::span<const std::uint8_t> view() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// A topic to write.
struct McapTopic {
  std::string name, type;   ///< "sensor_msgs/Image".
  bool is_latched = false;  ///< Late subscribers receive the last message: transient local.
  std::uint64_t num_messages = 0;
};

/// Writes ROS 2 messages into an MCAP file, in chunks. Chunks already written are readable wherever the process ends;
/// finish() adds the summary, by which readers find messages without reading the whole file.
class McapOutput {
 public:
  /// Creates the file; chunks are compressed by zstd if the plug-in bags is available.
  /// @throws Error(kUsage) when the file exists already, Error(kRuntime) when it cannot be created.
  explicit McapOutput(const std::filesystem::path& path);

  bool is_compressed() const { return pack_ != nullptr; }
  /// @return  Its number, for write().
  std::size_t add_topic(McapTopic topic);
  /// @param time_ns  Time of recording; times before 1970 count as 1970.
  /// @throws Error(kResource) when the disk is full, Error(kRuntime), Error(kUsage) for a message that is too large to
  /// be read back.
  void write(std::size_t topic, std::int64_t time_ns, std::span<const std::uint8_t> message);
  /// Writes and syncs the current chunk; messages written so far then survive a crash of the process or the machine.
  void flush();
  /// As flush(), if the chunk is large enough: to be called between messages that belong together. @return  Whether it
  /// was.
  bool flush_if_full();
  /// Writes the remaining messages and the end of the file.
  void finish();

 private:
  struct MessageOffset {
    std::uint64_t time_ns = 0, offset = 0;
  };
  using ChunkIndex = std::map<std::uint16_t, std::vector<MessageOffset>>;  // [topic's id]; in the unpacked chunk
  struct Times {
    std::uint64_t first_ns = 0, last_ns = 0;
    void include(std::uint64_t time_ns, bool is_first);
  };

  void append(const McapBytes& bytes);
  std::uint16_t schema_id(std::size_t topic) const;
  /// @param added  Ids of the schemas added already.
  void add_schema(std::size_t topic, McapBytes& records, std::set<std::uint16_t>& added) const;
  void add_channel(std::size_t topic, McapBytes& records) const;
  McapBytes chunk_record(std::span<const std::uint8_t> packed) const;
  McapBytes summary(std::uint64_t begin) const;
  McapBytes statistics() const;

  std::string name_;
  std::optional<AppendFile> file_;
  PackZstd* pack_ = nullptr;
  std::uint64_t size_bytes_ = 0;  // of the file
  std::vector<McapTopic> topics_;
  std::set<std::uint16_t> written_schemas_;
  std::uint64_t num_messages_ = 0;
  Times times_;

  McapBytes chunk_;  // the chunk being filled
  ChunkIndex chunk_index_;
  Times chunk_times_;
  std::vector<std::uint8_t> packed_;

  McapBytes chunk_indexes_;  // records of the summary
  std::uint32_t num_chunks_ = 0;
};

}  // namespace fernwood::recordings
