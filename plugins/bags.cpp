// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in bags: decompression for recordings of ROS (zstd, LZ4, bzip2), and SQLite for rosbag2.

#include <bzlib.h>
#include <lz4frame.h>
#include <sqlite3.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "recordings/bag/bag_file.h"

namespace {

using fernwood::recordings::BagCompression;
using fernwood::recordings::SqliteBag;
using fernwood::recordings::StoredMessage;
using fernwood::recordings::StoredTopic;

constexpr const char* kOtherSize = "it unfolds to another size than it says";

const char* unpack_zstd(const std::uint8_t* packed, std::size_t packed_bytes, std::uint8_t* unpacked,
                        std::size_t unpacked_bytes) {
  const std::size_t done = ZSTD_decompress(unpacked, unpacked_bytes, packed, packed_bytes);
  if (ZSTD_isError(done)) return ZSTD_getErrorName(done);
  return done == unpacked_bytes ? nullptr : kOtherSize;
}

const char* unpack_lz4(const std::uint8_t* packed, std::size_t packed_bytes, std::uint8_t* unpacked,
                       std::size_t unpacked_bytes) {
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION))) return "there is no memory to unpack it";
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(made,
                                                                                     &LZ4F_freeDecompressionContext);
  std::size_t in = 0, out = 0;
  for (std::size_t hint = 1; hint != 0;) {
    std::size_t read = packed_bytes - in, written = unpacked_bytes - out;
    hint = LZ4F_decompress(context.get(), unpacked + out, &written, packed + in, &read, nullptr);
    if (LZ4F_isError(hint)) return LZ4F_getErrorName(hint);
    in += read;
    out += written;
    if (hint != 0 && read == 0 && written == 0) return in == packed_bytes ? "it is cut off" : kOtherSize;
  }
  return out == unpacked_bytes ? nullptr : kOtherSize;
}

const char* unpack_bz2(const std::uint8_t* packed, std::size_t packed_bytes, std::uint8_t* unpacked,
                       std::size_t unpacked_bytes) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (packed_bytes > kMost || unpacked_bytes > kMost) return "it is larger than bzip2 can unpack at once";
  auto size = static_cast<unsigned int>(unpacked_bytes);
  // bzip2 does not write to its input, although its interface lacks const.
  char* const from = const_cast<char*>(reinterpret_cast<const char*>(packed));
  const int result = BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(unpacked), &size, from,
                                                static_cast<unsigned int>(packed_bytes), 0, 0);
  if (result == BZ_OUTBUFF_FULL) return kOtherSize;
  if (result != BZ_OK) return "its bzip2 stream is broken";
  return size == unpacked_bytes ? nullptr : kOtherSize;
}

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

/// A database from an untrusted source: only its tables are read, and code in it (views, triggers, computed columns) is
/// not run.
class SqliteFile final : public SqliteBag {
 public:
  explicit SqliteFile(const char* path) : path_(path), database_(open(path)) {
    for (const int off : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
      sqlite3_db_config(database_.get(), off, 0, nullptr);
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_limit(database_.get(), SQLITE_LIMIT_LENGTH, static_cast<int>(fernwood::recordings::kMaxMessageBytes));
    const Statement computed = prepare(
        "SELECT 1 FROM pragma_table_xinfo('topics') WHERE hidden UNION ALL "
        "SELECT 1 FROM pragma_table_xinfo('messages') WHERE hidden");
    FW_CHECK(!step(computed), Data, path_ << ": a column of its tables is computed; record it again");
  }

  std::vector<StoredTopic> topics() const override {
    constexpr std::size_t kMaxTopics = 65535;
    std::vector<StoredTopic> topics;
    const Statement statement = prepare("SELECT id, name, type, serialization_format FROM topics ORDER BY id");
    while (step(statement)) {
      FW_CHECK(topics.size() < kMaxTopics, Data, path_ << " has more than " << kMaxTopics << " topics");
      topics.push_back(
          {sqlite3_column_int64(statement.get(), 0), text(statement, 1), text(statement, 2), text(statement, 3)});
    }
    return topics;
  }

  std::vector<StoredMessage> messages(const std::vector<std::int64_t>& topics) const override {
    constexpr std::size_t kMaxMessages = std::size_t{1} << 24;
    std::vector<StoredMessage> messages;
    const Statement statement = prepare("SELECT rowid, topic_id, timestamp FROM messages");
    while (step(statement)) {
      const std::int64_t topic = sqlite3_column_int64(statement.get(), 1);
      if (std::find(topics.begin(), topics.end(), topic) == topics.end()) continue;
      FW_CHECK(messages.size() < kMaxMessages, Data,
               path_ << " has more than " << kMaxMessages << " images; split the recording into several files");
      messages.push_back({sqlite3_column_int64(statement.get(), 0), topic, sqlite3_column_int64(statement.get(), 2)});
    }
    return messages;
  }

  std::vector<std::uint8_t> read(std::int64_t row, std::size_t most_bytes) const override {
    sqlite3_blob* opened = nullptr;
    check(sqlite3_blob_open(database_.get(), "main", "messages", "data", row, 0, &opened));
    const std::unique_ptr<sqlite3_blob, decltype(&sqlite3_blob_close)> blob(opened, &sqlite3_blob_close);
    std::vector<std::uint8_t> bytes(std::min(most_bytes, static_cast<std::size_t>(sqlite3_blob_bytes(opened))));
    check(sqlite3_blob_read(opened, bytes.data(), static_cast<int>(bytes.size()), 0));
    return bytes;
  }

 private:
  static Database open(const char* path) {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY, nullptr);
    Database database(opened, &sqlite3_close);
    FW_CHECK(result == SQLITE_OK, Data,
             path << " cannot be opened as an SQLite database (" << sqlite3_errstr(result) << ")");
    return database;
  }
  void check(int result) const {
    const bool is_fine = result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE;
    FW_CHECK(is_fine, Data,
             path_ << " is not a recording of rosbag2, or damaged (SQLite says: " << sqlite3_errmsg(database_.get())
                   << "); copy it again from its source, or mend it with \"sqlite3 FILE .recover\"");
  }
  Statement prepare(const char* query) const {
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(database_.get(), query, -1, &prepared, nullptr));
    return {prepared, &sqlite3_finalize};
  }
  bool step(const Statement& statement) const {
    const int result = sqlite3_step(statement.get());
    check(result);
    return result == SQLITE_ROW;
  }
  std::string text(const Statement& statement, int column) const {
    constexpr int kMaxBytes = 1024;  // the default of a column is stored once, and read for each row
    FW_CHECK(sqlite3_column_bytes(statement.get(), column) <= kMaxBytes, Data,
             path_ << ": the name of a topic or type is longer than " << kMaxBytes << " bytes");
    const auto* const letters = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
    return letters == nullptr ? "" : std::string(letters);
  }

  std::string path_;
  Database database_;
};

}  // namespace

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

const char* fernwood_unpack(BagCompression compression, const std::uint8_t* packed, std::size_t packed_bytes,
                            std::uint8_t* unpacked, std::size_t unpacked_bytes) {
  switch (compression) {
    case BagCompression::kLz4:
      return unpack_lz4(packed, packed_bytes, unpacked, unpacked_bytes);
    case BagCompression::kZstd:
      return unpack_zstd(packed, packed_bytes, unpacked, unpacked_bytes);
    case BagCompression::kBz2:
      return unpack_bz2(packed, packed_bytes, unpacked, unpacked_bytes);
    case BagCompression::kNone:
      break;
  }
  return "it is not compressed";
}

std::uint64_t fernwood_zstd_size(const std::uint8_t* packed, std::size_t packed_bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed, packed_bytes);
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? 0 : size;
}

std::size_t fernwood_pack_zstd(int level, const std::uint8_t* bytes, std::size_t size_bytes, std::uint8_t* packed,
                               std::size_t most_bytes) {
  const std::size_t packed_bytes = ZSTD_compress(packed, most_bytes, bytes, size_bytes, level);
  return ZSTD_isError(packed_bytes) ? 0 : packed_bytes;
}

const char* fernwood_unpack_file(const char* packed, const char* unpacked, std::uint64_t most_bytes) {
  fernwood::InputFile from(packed);
  fernwood::OutputFile to(unpacked);
  if (!from || !to) return std::strerror(errno);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (context == nullptr) return "there is no memory to unpack it";
  std::vector<char> in(ZSTD_DStreamInSize()), out(ZSTD_DStreamOutSize());
  std::uint64_t written = 0;
  std::size_t hint = 0;
  while (from.read(in.data(), static_cast<std::streamsize>(in.size())), from.gcount() > 0) {
    ZSTD_inBuffer input = {in.data(), static_cast<std::size_t>(from.gcount()), 0};
    for (bool is_full = true; input.pos < input.size || is_full;) {
      ZSTD_outBuffer output = {out.data(), out.size(), 0};
      hint = ZSTD_decompressStream(context.get(), &output, &input);
      if (ZSTD_isError(hint)) return ZSTD_getErrorName(hint);
      is_full = output.pos == output.size;
      written += output.pos;
      if (written > most_bytes) return "it unfolds to far more than recordings do";
      if (!to.write(out.data(), static_cast<std::streamsize>(output.pos))) return std::strerror(errno);
    }
  }
  if (hint != 0) return "it is cut off";
  return to.flush() ? nullptr : std::strerror(errno);
}

SqliteBag* fernwood_open_sqlite_bag(const char* path) { return std::make_unique<SqliteFile>(path).release(); }
}
