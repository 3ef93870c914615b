// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/chunks.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood::recordings {

namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 30;
constexpr std::array<std::uint8_t, 4> kZstdFrame = {0x28, 0xb5, 0x2f, 0xfd};
constexpr const char* kDamagedRecording = "; copy the recording again from its source";

struct NamedCompression {
  BagCompression compression;
  std::string_view name;
};
constexpr std::array<NamedCompression, 4> kCompressions = {{{BagCompression::kNone, "none"},
                                                            {BagCompression::kLz4, "lz4"},
                                                            {BagCompression::kZstd, "zstd"},
                                                            {BagCompression::kBz2, "bz2"}}};

std::string_view name_of(BagCompression compression) {
  return std::ranges::find(kCompressions, compression, &NamedCompression::compression)->name;
}

/// Limits the memory that a small file can request, whether it declares a false size or really expands to it.
void check_unpacked_size(BagCompression compression, std::uint64_t packed_bytes, std::uint64_t unpacked_bytes,
                         const std::string& place) {
  constexpr std::uint64_t kMaxRatio = 64;
  FW_CHECK(compression != BagCompression::kNone || unpacked_bytes == packed_bytes, Data,
           place << " is damaged (it says that it has " << unpacked_bytes << " bytes, it has " << packed_bytes << ")"
                 << kDamagedRecording);
  FW_CHECK(unpacked_bytes <= kMaxChunkBytes &&
               (unpacked_bytes <= kFreelyUnpackedBytes || unpacked_bytes / kMaxRatio <= packed_bytes),
           Data,
           place << " says that its " << packed_bytes << " bytes unfold to " << unpacked_bytes
                 << "; supported are chunks of " << kMaxChunkBytes << " bytes, beyond " << kFreelyUnpackedBytes
                 << " at most " << kMaxRatio
                 << " times as many as are packed: copy the recording again, or record smaller chunks");
}

}  // namespace

template <typename Function>
Function* bags_function(const char* function, const std::string& place, const char* needs_it) {
  Function* const found = find_plugin<Function>("bags", function);
  FW_CHECK(
      found != nullptr, Usage,
      place << ": " << needs_it
            << " by the plug-in fernwood_bags.so, which is not installed; install zstd, LZ4, bzip2 and SQLite (Debian "
               "and Ubuntu: libzstd-dev liblz4-dev libbz2-dev libsqlite3-dev), configure and build fernwood again, "
               "or convert the recording to MCAP without compression");
  return found;
}
template OpenSqliteBag* bags_function<OpenSqliteBag>(const char*, const std::string&, const char*);
template UnpackFile* bags_function<UnpackFile>(const char*, const std::string&, const char*);

BagCompression parse_compression(std::string_view name, const std::string& place) {
  if (name.empty()) return BagCompression::kNone;
  for (const NamedCompression& known : kCompressions)
    if (known.name == name) return known.compression;
  throw Error(ErrorKind::kData, place + " is compressed by \"" + std::string(name) +
                                    "\"; known are lz4, zstd and bz2: convert the recording to one of them");
}

UnpackedBytes unpack(BagCompression compression, std::span<const std::uint8_t> packed, std::uint64_t unpacked_bytes,
                     const std::string& place) {
  check_unpacked_size(compression, packed.size(), unpacked_bytes, place);
  const std::string needs_it = "is compressed by " + std::string(name_of(compression)) + ", which is read";
  const auto function = bags_function<UnpackBytes>("fernwood_unpack", place, needs_it.c_str());
  UnpackedBytes unpacked;
  unpacked.size_bytes = static_cast<std::size_t>(unpacked_bytes);
  unpacked.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(unpacked.size_bytes);
  const char* const problem =
      function(compression, packed.data(), packed.size(), unpacked.bytes.get(), unpacked.size_bytes);
  FW_CHECK(problem == nullptr, Data, place << " is damaged (" << problem << ")" << kDamagedRecording);
  return unpacked;
}

bool is_packed_message(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kZstdFrame.size() && std::equal(kZstdFrame.begin(), kZstdFrame.end(), bytes.begin());
}

MessageBytes unpack_message(std::span<const std::uint8_t> packed, const std::string& place) {
  const auto size_of = bags_function<ZstdSize>("fernwood_zstd_size", place, "is compressed by zstd, which is read");
  const std::uint64_t size_bytes = size_of(packed.data(), packed.size());
  FW_CHECK(size_bytes > 0 && size_bytes <= kMaxMessageBytes, Data,
           place << " has a message that is compressed to an unknown size or one of more than " << kMaxMessageBytes
                 << " bytes; convert the recording to MCAP");
  const auto unpacked = std::make_shared<UnpackedBytes>(unpack(BagCompression::kZstd, packed, size_bytes, place));
  return {unpacked, unpacked->view()};
}

std::uint32_t BagChunks::add(const BagChunk& chunk) {
  chunks_.push_back(chunk);
  const auto index = static_cast<std::uint32_t>(chunks_.size() - 1);
  check_unpacked_size(chunk.compression, chunk.packed_bytes, chunk.unpacked_bytes, place(index));
  return index;
}

std::string BagChunks::place(std::uint32_t index) const {
  return file_.name() + ": the chunk at byte " + std::to_string(chunks_[index].offset);
}

MessageBytes BagChunks::bytes_from(std::uint32_t index, std::uint64_t offset, std::size_t most_bytes) const {
  constexpr std::size_t kFewBytes = 4096;
  const BagChunk& chunk = chunks_[index];
  FW_CHECK(offset < chunk.unpacked_bytes, Data,
           place(index) << " is damaged (its index names a message at byte " << offset << ", it has "
                        << chunk.unpacked_bytes << ")" << kDamagedRecording);
  if (chunk.compression == BagCompression::kNone && most_bytes <= kFewBytes) {
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(std::min<std::uint64_t>(most_bytes, chunk.unpacked_bytes - offset)));
    file_.read(chunk.offset + offset, bytes);
    return message_of(std::move(bytes));
  }
  const auto unpacked = load(index);
  return {unpacked, unpacked->view().subspan(static_cast<std::size_t>(offset))};
}

std::shared_ptr<const UnpackedBytes> BagChunks::load(std::uint32_t index) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = std::ranges::find(kept_, index, &Kept::index); found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
      return found->bytes;
    }
  }
  const BagChunk& chunk = chunks_[index];
  UnpackedBytes packed;
  packed.size_bytes = static_cast<std::size_t>(chunk.packed_bytes);
  packed.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(packed.size_bytes);
  file_.read(chunk.offset, {packed.bytes.get(), packed.size_bytes});
  auto unpacked = std::make_shared<const UnpackedBytes>(
      chunk.compression == BagCompression::kNone
          ? std::move(packed)
          : unpack(chunk.compression, packed.view(), chunk.unpacked_bytes, place(index)));
  FW_CHECK(chunk.crc == 0 || chunk.crc == libdeflate_crc32(0, unpacked->bytes.get(), unpacked->size_bytes), Data,
           place(index) << " is damaged (its checksum differs)" << kDamagedRecording
                        << ", or leave the chunk out with \"mcap recover\"");
  constexpr std::size_t kMaxKept = 16, kMaxBytes = std::size_t{1} << 26;  // the two newest stay in any case
  const std::lock_guard lock(mutex_);
  kept_.push_front({index, unpacked});
  std::size_t num_kept = 0, size_bytes = 0;
  for (auto place = kept_.begin(); place != kept_.end();) {
    size_bytes += place->bytes->size_bytes;
    ++num_kept;
    place = num_kept > 2 && (num_kept > kMaxKept || size_bytes > kMaxBytes) ? kept_.erase(place) : std::next(place);
  }
  return unpacked;
}

FileBytes::FileBytes(const std::filesystem::path& path)
    : name_(path.string()), file_(path, platform::OpenFile::For::kRead) {
  if (!file_.is_open())
    throw FileError(errno == ENOENT ? ErrorKind::kData : ErrorKind::kRuntime, path, errno,
                    "cannot be read: " + std::generic_category().message(errno) + "; name a recording of ROS");
  if (!file_.is_regular()) throw FileError(ErrorKind::kData, path, EISDIR, "is not a file; name a recording of ROS");
  size_bytes_ = file_.status().size_bytes;
}

std::size_t FileBytes::read_some(std::uint64_t offset, std::span<std::uint8_t> into) const {
  const std::ptrdiff_t count = file_.read_at(offset, into.data(), into.size());
  FW_CHECK(count >= 0, Runtime,
           name_ << " cannot be read: " << std::generic_category().message(errno) << "; check the disk");
  return static_cast<std::size_t>(count);
}

void FileBytes::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  FW_CHECK(read_some(offset, into) == into.size(), Data,
           name_ << " has become shorter while it was read (it had " << size_bytes_
                 << " bytes); copy the recording first, if it is still being written");
}

std::vector<std::uint8_t> FileBytes::read_record(std::uint64_t offset, std::uint64_t size_bytes) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 26;
  FW_CHECK(size_bytes <= kMost, Data,
           name_ << ": the record at byte " << offset << " has " << size_bytes << " bytes, more than the " << kMost
                 << " supported; copy the recording again");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size_bytes));
  read(offset, bytes);
  return bytes;
}

std::span<const std::uint8_t> FileWindow::at(std::uint64_t offset, std::size_t size_bytes) {
  if (offset < begin_ || offset + size_bytes > begin_ + bytes_.size()) {
    bytes_.resize(kMaxBytes);
    bytes_.resize(offset < file_.size_bytes() ? file_.read_some(offset, bytes_) : 0);
    begin_ = offset;
  }
  const std::span<const std::uint8_t> known(bytes_);
  const std::size_t first = static_cast<std::size_t>(offset - begin_);
  return known.subspan(first, std::min(size_bytes, known.size() - first));
}

}  // namespace fernwood::recordings
