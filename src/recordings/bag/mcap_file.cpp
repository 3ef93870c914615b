// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

#include <map>
#include <optional>

#include "fernwood/core/error.h"
#include "recordings/bag/chunks.h"
#include "ros/byte_reader.h"

namespace fernwood::recordings {

namespace {

constexpr std::size_t kMcapHeaderBytes = 9;  // opcode and length
constexpr std::size_t kMcapIndexBytes = 6;   // preceding the entries

struct McapRecord {
  std::uint8_t opcode = 0;
  std::uint64_t offset = 0, size_bytes = 0;  // of its content
};

class McapWalk {
 public:
  McapWalk(const FileBytes& file, BagChunks& chunks, BagIndex& index)
      : file_(file), window_(file), chunks_(chunks), index_(index) {}

  void run() {
    index_.file_bytes = file_.size_bytes();
    walk_file();
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      if (has_whole_index(i))
        read_indexes(i);
      else
        walk_chunk(i);
    }
    for (const LooseMessage& message : loose_)
      if (const auto topic = topics_.find(message.channel); topic != topics_.end())
        add(topic->second, MessagePlace::kNoChunk, message.offset, message.time_ns);
    if (is_cut_)
      index_.warnings.push_back(file_.name() + ": the recording is cut off after " +
                                std::to_string(file_.size_bytes()) +
                                " bytes (it has no end mark); what is whole before is read");
  }

 private:
  struct LooseMessage {
    std::uint16_t channel = 0;
    std::uint64_t offset = 0;
    std::int64_t time_ns = 0;
  };
  struct ChunkIndexes {
    std::vector<McapRecord> records;
    std::vector<std::uint16_t> channels;
    bool may_lack_some = true;  // the file ends after them
  };

  /// Empty at the end, and where the file is truncated.
  std::optional<McapRecord> record_at(std::uint64_t offset) {
    const auto bytes = window_.at(offset, kMcapHeaderBytes);
    if (bytes.size() < kMcapHeaderBytes) return std::nullopt;
    ros::ByteReader reader(bytes, file_.name());
    McapRecord record{reader.number<std::uint8_t>(), offset + kMcapHeaderBytes, reader.number<std::uint64_t>()};
    if (record.opcode == 0 || record.size_bytes > file_.size_bytes() - record.offset) return std::nullopt;
    return record;
  }

  void walk_file() {
    std::uint64_t offset = kMcapMagic.size();
    for (auto record = record_at(offset); record; record = record_at(offset)) {
      if (record->opcode == kMcapFooter) {
        is_cut_ = false;
        end_indexes();
        return;
      }
      take(*record);
      offset = record->offset + record->size_bytes;
    }
  }

  /// Called when all message indexes of the last chunk were seen.
  void end_indexes() {
    if (!indexes_.empty()) indexes_.back().may_lack_some = false;
  }

  void take(const McapRecord& record) {
    if (record.opcode == kMcapMessageIndex) {
      take_index(record);
      return;
    }
    end_indexes();
    if (record.opcode == kMcapSchema || record.opcode == kMcapChannel)
      take_definition(record.opcode, file_.read_record(record.offset, record.size_bytes));
    else if (record.opcode == kMcapMessage)
      take_message(record);
    else if (record.opcode == kMcapChunk)
      take_chunk(record);
  }

  void take_index(const McapRecord& record) {
    if (indexes_.empty()) return;
    ros::ByteReader reader(window_.at(record.offset, sizeof(std::uint16_t)), file_.name());
    indexes_.back().records.push_back(record);
    indexes_.back().channels.push_back(reader.number<std::uint16_t>());
  }

  void take_message(const McapRecord& record) {
    ros::ByteReader reader(window_.at(record.offset, kMcapMessageBytes), file_.name());
    LooseMessage message{reader.number<std::uint16_t>(), record.offset, 0};
    reader.take(sizeof(std::uint32_t));
    message.time_ns = reader.number<std::int64_t>();
    const auto topic = topics_.find(message.channel);
    if (topic == topics_.end() || is_wanted(index_.topics[topic->second])) loose_.push_back(message);
  }

  void take_chunk(const McapRecord& record) {
    constexpr std::size_t kMaxHeader = 128;  // sufficient, as names of compressions are short
    const std::uint64_t in_record = std::min<std::uint64_t>(kMaxHeader, record.size_bytes);
    const auto bytes = window_.at(record.offset, static_cast<std::size_t>(in_record));
    ros::ByteReader reader(bytes, file_.name());
    reader.take(2 * sizeof(std::uint64_t));  // start and end time of its messages
    BagChunk chunk;
    chunk.unpacked_bytes = reader.number<std::uint64_t>();
    chunk.crc = reader.number<std::uint32_t>();
    chunk.compression =
        parse_compression(reader.counted_text(), file_.name() + ": the chunk at byte " + std::to_string(record.offset));
    chunk.packed_bytes = reader.number<std::uint64_t>();
    chunk.offset = record.offset + bytes.size() - reader.left();
    FW_CHECK(chunk.packed_bytes <= record.offset + record.size_bytes - chunk.offset, Data,
             file_.name() << ": the chunk at byte " << record.offset << " is damaged (it says that it holds "
                          << chunk.packed_bytes << " bytes, and has " << record.size_bytes
                          << "); copy the recording again from its source");
    chunks_.add(chunk);
    indexes_.emplace_back();
  }

  void take_definition(std::uint8_t opcode, std::span<const std::uint8_t> bytes) {
    ros::ByteReader reader(bytes, file_.name());
    const auto id = reader.number<std::uint16_t>();
    if (opcode == kMcapSchema) {
      schemas_.try_emplace(id, reader.counted_text());
      return;
    }
    const auto schema = schemas_.find(reader.number<std::uint16_t>());
    BagTopic topic;
    topic.name = reader.counted_text();
    if (schema != schemas_.end()) topic.type = ros::plain_type(schema->second);
    const std::string_view coding = reader.counted_text();
    topic.coding = coding == "cdr"    ? ros::MessageCoding::kCdr
                   : coding == "ros1" ? ros::MessageCoding::kRos1
                                      : ros::MessageCoding::kOther;
    topics_.try_emplace(id, index_.index_of(topic));
  }

  bool has_whole_index(std::uint32_t chunk) const {
    const ChunkIndexes& indexes = indexes_[chunk];
    if (indexes.records.empty() || indexes.may_lack_some) return false;
    for (const std::uint16_t channel : indexes.channels)
      if (!topics_.contains(channel)) return false;
    return true;
  }

  void read_indexes(std::uint32_t chunk) {
    const ChunkIndexes& indexes = indexes_[chunk];
    for (std::size_t i = 0; i < indexes.records.size(); ++i) {
      const std::uint32_t topic = topics_.at(indexes.channels[i]);
      if (!is_wanted(index_.topics[topic])) continue;
      const McapRecord& record = indexes.records[i];
      const std::vector<std::uint8_t> bytes = file_.read_record(record.offset, record.size_bytes);
      ros::ByteReader reader(bytes, file_.name());
      reader.take(kMcapIndexBytes - sizeof(std::uint32_t));
      ros::ByteReader entries(reader.counted_bytes(), file_.name());
      while (entries.left() > 0) {
        const auto time_ns = entries.number<std::int64_t>();
        add(topic, chunk, entries.number<std::uint64_t>(), time_ns);
      }
    }
  }

  void walk_chunk(std::uint32_t chunk) {
    const auto unpacked = chunks_.load(chunk);
    const std::string place = chunks_.place(chunk);
    ros::ByteReader reader(unpacked->view(), place);
    while (reader.left() > 0) {
      const std::uint64_t offset = unpacked->size_bytes - reader.left();
      const auto opcode = reader.number<std::uint8_t>();
      const auto bytes = reader.take(reader.number<std::uint64_t>());
      if (opcode == kMcapSchema || opcode == kMcapChannel) take_definition(opcode, bytes);
      if (opcode != kMcapMessage) continue;
      ros::ByteReader message(bytes, place);
      const auto topic = topics_.find(message.number<std::uint16_t>());
      message.take(sizeof(std::uint32_t));
      const auto time_ns = message.number<std::int64_t>();
      if (topic != topics_.end()) add(topic->second, chunk, offset, time_ns);
    }
  }

  void add(std::uint32_t topic, std::uint32_t chunk, std::uint64_t offset, std::int64_t time_ns) {
    if (is_wanted(index_.topics[topic])) index_.add({topic, chunk, offset, time_ns}, file_.name());
  }

  const FileBytes& file_;
  FileWindow window_;
  BagChunks& chunks_;
  BagIndex& index_;
  std::map<std::uint16_t, std::string> schemas_;
  std::map<std::uint16_t, std::uint32_t> topics_;  // [channel] index
  std::vector<ChunkIndexes> indexes_;              // [chunk]
  std::vector<LooseMessage> loose_;                // outside chunks
  bool is_cut_ = true;
};

class McapFile final : public BagFile {
 public:
  explicit McapFile(const std::filesystem::path& path) : file_(path) { McapWalk(file_, chunks_, index_).run(); }

  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override {
    if (place.chunk != MessagePlace::kNoChunk) {
      const std::size_t wanted_bytes = kMcapHeaderBytes + kMcapMessageBytes + most_bytes;
      const MessageBytes record = chunks_.bytes_from(place.chunk, place.offset, wanted_bytes);
      const std::string where = chunks_.place(place.chunk);
      ros::ByteReader reader(record.bytes, where);
      const bool is_message = reader.number<std::uint8_t>() == kMcapMessage;
      const auto record_bytes = reader.number<std::uint64_t>();
      FW_CHECK(is_message && record_bytes >= kMcapMessageBytes, Data,
               where << " is damaged (there is no message at byte " << place.offset
                     << ", where its index says one); rebuild the index with \"mcap recover\"");
      reader.take(kMcapMessageBytes);
      return {record.keeps, reader.take(std::min<std::uint64_t>(record_bytes - kMcapMessageBytes, most_bytes))};
    }
    std::uint8_t size[sizeof(std::uint64_t)];
    file_.read(place.offset - sizeof(size), size);
    const std::uint64_t record_bytes = ros::ByteReader(size, file_.name()).number<std::uint64_t>();
    FW_CHECK(record_bytes >= kMcapMessageBytes && record_bytes <= kMaxMessageBytes, Data,
             file_.name() << ": the message at byte " << place.offset << " has " << record_bytes
                          << " bytes; supported are " << kMcapMessageBytes << " to " << kMaxMessageBytes);
    std::vector<std::uint8_t> bytes(std::min(most_bytes, static_cast<std::size_t>(record_bytes) - kMcapMessageBytes));
    file_.read(place.offset + kMcapMessageBytes, bytes);
    return message_of(std::move(bytes));
  }

 private:
  FileBytes file_;
  BagChunks chunks_{file_};
};

}  // namespace

std::unique_ptr<BagFile> open_mcap(const std::filesystem::path& path) { return std::make_unique<McapFile>(path); }

}  // namespace fernwood::recordings
