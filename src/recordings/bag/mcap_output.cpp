// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/mcap_output.h"

#include <libdeflate.h>

#include <algorithm>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/plugin.h"
#include "recordings/bag/bag_file.h"
#include "recordings/bag/chunks.h"
#include "ros/message_definitions.h"

namespace fernwood::recordings {

namespace {

constexpr std::size_t kFullChunkBytes = std::size_t{1} << 22;  // size at which a chunk is written
constexpr int kZstdLevel = 1;

/// QoS that rosbag2 stores for a topic, so that it is played back as published: keep last 1, reliable, transient local.
constexpr const char* kLatchedQos =
    "- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n"
    "  deadline:\n    sec: 9223372036\n    nsec: 854775807\n"
    "  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n"
    "  liveliness: 1\n  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n"
    "  avoid_ros_namespace_conventions: false\n";

std::uint32_t mcap_crc(std::span<const std::uint8_t> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

std::uint16_t channel_id(std::size_t topic) { return static_cast<std::uint16_t>(topic + 1); }

/// A list of pairs preceded by its size in bytes, the encoding of maps.
McapBytes counted_map(const McapBytes& pairs) {
  return McapBytes().number(static_cast<std::uint32_t>(pairs.size())).raw(pairs.view());
}

}  // namespace

void McapOutput::Times::include(std::uint64_t time_ns, bool is_first) {
  first_ns = is_first ? time_ns : std::min(first_ns, time_ns);
  last_ns = is_first ? time_ns : std::max(last_ns, time_ns);
}

McapOutput::McapOutput(const std::filesystem::path& path)
    : name_(path.string()), pack_(find_plugin<PackZstd>("bags", "fernwood_pack_zstd")) {
  file_.emplace(path);
  McapBytes start;
  start.raw({reinterpret_cast<const std::uint8_t*>(kMcapMagic.data()), kMcapMagic.size()});
  append(start.record(kMcapFileHeader, McapBytes().text("ros2").text("fernwood " + build_info().version)));
}

void McapOutput::append(const McapBytes& bytes) {
  file_->append({reinterpret_cast<const char*>(bytes.view().data()), bytes.size()});
  size_bytes_ += bytes.size();
}

std::size_t McapOutput::add_topic(McapTopic topic) {
  topics_.push_back(std::move(topic));
  return topics_.size() - 1;
}

std::uint16_t McapOutput::schema_id(std::size_t topic) const {
  const auto first = std::ranges::find(topics_, topics_[topic].type, &McapTopic::type);
  return channel_id(static_cast<std::size_t>(first - topics_.begin()));
}

void McapOutput::add_schema(std::size_t topic, McapBytes& records, std::set<std::uint16_t>& added) const {
  const std::string& type = topics_[topic].type;
  if (!added.insert(schema_id(topic)).second) return;
  records.record(kMcapSchema, McapBytes()
                                  .number(schema_id(topic))
                                  .text(ros::full_type(type))
                                  .text("ros2msg")
                                  .text(ros::message_definition(type)));
}

void McapOutput::add_channel(std::size_t topic, McapBytes& records) const {
  McapBytes metadata;
  if (topics_[topic].is_latched) metadata.text("offered_qos_profiles").text(kLatchedQos);
  records.record(kMcapChannel, McapBytes()
                                   .number(channel_id(topic))
                                   .number(schema_id(topic))
                                   .text(topics_[topic].name)
                                   .text("cdr")
                                   .raw(counted_map(metadata).view()));
}

void McapOutput::write(std::size_t topic, std::int64_t time_ns, std::span<const std::uint8_t> message) {
  FW_CHECK(message.size() <= kMaxMessageBytes, Usage,
           name_ << ": a message of " << topics_[topic].name << " has " << message.size()
                 << " bytes; recordings are read with at most " << kMaxMessageBytes << ": record to a folder");
  if (topics_[topic].num_messages == 0) {
    add_schema(topic, chunk_, written_schemas_);
    add_channel(topic, chunk_);
  }
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(time_ns, 0));
  chunk_times_.include(time, chunk_index_.empty());
  times_.include(time, num_messages_ == 0);
  chunk_index_[channel_id(topic)].push_back({time, chunk_.size()});
  chunk_.number(kMcapMessage).number(std::uint64_t{kMcapMessageBytes + message.size()});
  chunk_.number(channel_id(topic)).number(static_cast<std::uint32_t>(topics_[topic].num_messages));
  chunk_.number(time).number(time).raw(message);
  ++topics_[topic].num_messages;
  ++num_messages_;
}

/// @param packed  Empty: the chunk is written uncompressed.
McapBytes McapOutput::chunk_record(std::span<const std::uint8_t> packed) const {
  const bool is_packed = !packed.empty();
  const std::span<const std::uint8_t> content = is_packed ? packed : chunk_.view();
  McapBytes head;
  head.number(chunk_times_.first_ns).number(chunk_times_.last_ns);
  head.number(std::uint64_t{chunk_.size()}).number(mcap_crc(chunk_.view())).text(is_packed ? "zstd" : "");
  head.number(std::uint64_t{content.size()});
  McapBytes record;
  record.number(kMcapChunk).number(std::uint64_t{head.size() + content.size()}).raw(head.view()).raw(content);
  return record;
}

void McapOutput::flush() {
  if (chunk_index_.empty()) return;
  std::span<const std::uint8_t> packed;
  if (pack_ != nullptr && chunk_.size() <= kFreelyUnpackedBytes) {  // readers might reject larger ones as bombs
    packed_.resize(chunk_.size());
    const std::size_t packed_bytes =
        pack_(kZstdLevel, chunk_.view().data(), chunk_.size(), packed_.data(), packed_.size());
    packed = std::span(packed_).first(packed_bytes);
  }
  McapBytes bytes = chunk_record(packed);
  const std::uint64_t record_bytes = bytes.size();
  McapBytes index;  // of this chunk, for the summary
  index.number(chunk_times_.first_ns).number(chunk_times_.last_ns).number(size_bytes_).number(record_bytes);
  McapBytes offsets;
  for (const auto& [id, messages] : chunk_index_) {
    offsets.number(id).number(size_bytes_ + bytes.size());
    McapBytes entries;
    for (const MessageOffset& message : messages) entries.number(message.time_ns).number(message.offset);
    bytes.record(kMcapMessageIndex, McapBytes().number(id).raw(counted_map(entries).view()));
  }
  index.raw(counted_map(offsets).view()).number(bytes.size() - record_bytes).text(packed.empty() ? "" : "zstd");
  index.number(std::uint64_t{packed.empty() ? chunk_.size() : packed.size()}).number(std::uint64_t{chunk_.size()});
  append(bytes);
  chunk_indexes_.record(kMcapChunkIndex, index);
  ++num_chunks_;
  chunk_.clear();
  chunk_index_.clear();
}

bool McapOutput::flush_if_full() {
  if (chunk_.size() < kFullChunkBytes) return false;
  flush();
  return true;
}

McapBytes McapOutput::statistics() const {
  McapBytes counts;
  std::uint32_t num_channels = 0;
  for (std::size_t topic = 0; topic < topics_.size(); ++topic) {
    if (topics_[topic].num_messages == 0) continue;
    counts.number(channel_id(topic)).number(topics_[topic].num_messages);
    ++num_channels;
  }
  McapBytes statistics;
  statistics.number(num_messages_).number(static_cast<std::uint16_t>(written_schemas_.size())).number(num_channels);
  statistics.number(std::uint32_t{0}).number(std::uint32_t{0}).number(num_chunks_);  // no attachments, no metadata
  return statistics.number(times_.first_ns).number(times_.last_ns).raw(counted_map(counts).view());
}

/// @param begin  Its future offset in the file.
McapBytes McapOutput::summary(std::uint64_t begin) const {
  McapBytes schemas, channels;
  std::set<std::uint16_t> added;
  for (std::size_t topic = 0; topic < topics_.size(); ++topic) {
    if (topics_[topic].num_messages == 0) continue;
    add_schema(topic, schemas, added);
    add_channel(topic, channels);
  }
  McapBytes records, offsets;
  const auto add_group = [&](std::uint8_t opcode, const McapBytes& group) {
    if (group.size() == 0) return;
    const McapBytes place =
        McapBytes().number(opcode).number(begin + records.size()).number(std::uint64_t{group.size()});
    offsets.record(kMcapSummaryOffset, place);
    records.raw(group.view());
  };
  add_group(kMcapSchema, schemas);
  add_group(kMcapChannel, channels);
  add_group(kMcapStatistics, McapBytes().record(kMcapStatistics, statistics()));
  add_group(kMcapChunkIndex, chunk_indexes_);
  const std::uint64_t offsets_begin = begin + records.size();
  records.raw(offsets.view());
  // The checksum covers everything before it, from the beginning of the summary.
  constexpr std::uint64_t kFooterBytes = 20;
  records.number(kMcapFooter).number(kFooterBytes).number(begin).number(offsets_begin);
  records.number(mcap_crc(records.view()));
  return records.raw({reinterpret_cast<const std::uint8_t*>(kMcapMagic.data()), kMcapMagic.size()});
}

void McapOutput::finish() {
  flush();
  McapBytes end;
  end.record(kMcapDataEnd, McapBytes().number(std::uint32_t{0}));  // no checksum; chunks have their own
  end.raw(summary(size_bytes_ + end.size()).view());
  append(end);
}

}  // namespace fernwood::recordings
