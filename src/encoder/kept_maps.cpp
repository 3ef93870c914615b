// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/half.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"
#include "fernwood/encoder/encoder.h"

namespace fernwood::encoder {

namespace fs = std::filesystem;

namespace {

// A file of kept maps: a KeptHeader, then half-precision numbers [maps][rows][cols]. Half the size of floats, and finer
// than the 16 bits into which a model divides the range of a map, but for the largest values.

constexpr std::uint32_t kMagic = 0x314d5746;  // "FWM1"

struct KeptHeader {
  std::uint32_t magic = kMagic;
  std::array<std::uint32_t, 3> sizes{};
  std::uint64_t content = 0;  ///< Checksum of the numbers.
};

class KeptMaps final : public Encoder {
 public:
  KeptMaps(std::shared_ptr<const Encoder> encoder, const fs::path& folder, std::uintmax_t max_bytes)
      : encoder_(std::move(encoder)),
        root_(folder),
        folder_(folder / encoder_->info().checksum),
        max_bytes_(max_bytes) {}

  const EncoderInfo& info() const override { return encoder_->info(); }

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    const fs::path path = folder_ / (key_of(frame) + ".maps");
    if (std::optional<image::SuppliedMaps> kept = read(path)) return std::move(*kept);
    image::SuppliedMaps maps = encoder_->encode(frame);
    try {
      write(path, maps);
    } catch (const Error&) {  // a full disk, a folder that cannot be written to: the frame is encoded again next time
    }
    return maps;
  }

 private:
  static std::string key_of(const image::Frame& frame) {
    const std::array<std::uint64_t, 4> parts = {
        frame.rows(), frame.cols(), checksum(frame.color.data(), frame.color.size() * sizeof(image::Rgb)),
        checksum(frame.depth_mm.data(), frame.depth_mm.size() * sizeof(std::uint16_t))};
    return to_hex(checksum(parts.data(), sizeof parts));
  }

  /// Empty for a missing or damaged file.
  static std::optional<image::SuppliedMaps> read(const fs::path& path) {
    std::error_code failure;
    if (!fs::exists(path, failure)) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    try {
      bytes = read_file(path);
    } catch (const Error&) {
      return std::nullopt;
    }
    KeptHeader header;
    if (bytes.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::size_t num_bytes = bytes.size() - sizeof header;
    const auto [num_maps, rows, cols] = header.sizes;
    if (header.magic != kMagic || num_bytes != std::size_t{num_maps} * rows * cols * sizeof(std::uint16_t) ||
        header.content != checksum(bytes.data() + sizeof header, num_bytes))
      return std::nullopt;
    std::vector<std::uint16_t> halves(num_bytes / sizeof(std::uint16_t));
    std::memcpy(halves.data(), bytes.data() + sizeof header, num_bytes);
    image::SuppliedMaps maps = {num_maps, rows, cols, std::vector<float>(halves.size())};
    std::ranges::transform(halves, maps.values.begin(), from_half);
    fs::last_write_time(path, fs::file_time_type::clock::now(), failure);  // files used last are removed last
    return maps;
  }

  void write(const fs::path& path, const image::SuppliedMaps& maps) const {
    std::vector<std::uint16_t> halves(maps.values.size());
    std::ranges::transform(maps.values, halves.begin(), to_half);
    const std::size_t num_bytes = halves.size() * sizeof(std::uint16_t);
    const auto size = [](std::size_t count) { return static_cast<std::uint32_t>(count); };
    const KeptHeader header = {.sizes = {size(maps.num_maps), size(maps.rows), size(maps.cols)},
                               .content = checksum(halves.data(), num_bytes)};
    const std::lock_guard lock(mutex_);
    if (!kept_bytes_) make_folder(folder_);
    make_room(sizeof header + num_bytes);
    write_file_atomically(
        path, NamedBy::kFernwood,
        [&](std::ostream& out) {
          out.write(reinterpret_cast<const char*>(&header), sizeof header);
          out.write(reinterpret_cast<const char*>(halves.data()), static_cast<std::streamsize>(num_bytes));
        },
        Durability::kProcess);
  }

  /// Removes the files not used for the longest time, of all encoders, until a tenth is free for the next ones.
  void make_room(std::uintmax_t num_bytes) const {
    if (kept_bytes_ && *kept_bytes_ + num_bytes <= max_bytes_) {
      *kept_bytes_ += num_bytes;
      return;
    }
    struct File {
      fs::file_time_type used;
      std::uintmax_t size_bytes;
      fs::path path;
    };
    std::vector<File> files;
    std::uintmax_t all = num_bytes;
    std::error_code failure;
    for (fs::recursive_directory_iterator file(root_, failure), end; !failure && file != end; file.increment(failure)) {
      std::error_code gone;  // another process removes files, too
      if (file->path().extension() != ".maps") continue;
      const std::uintmax_t size = file->file_size(gone);
      const fs::file_time_type used = file->last_write_time(gone);
      if (gone) continue;
      files.push_back({used, size, file->path()});
      all += size;
    }
    if (all > max_bytes_) {
      std::ranges::sort(files, {}, &File::used);
      for (const File& file : files) {
        if (all <= max_bytes_ - max_bytes_ / 10) break;
        fs::remove(file.path, failure);
        all -= file.size_bytes;
      }
    }
    kept_bytes_ = all;
  }

  std::shared_ptr<const Encoder> encoder_;
  fs::path root_, folder_;
  std::uintmax_t max_bytes_;
  mutable std::mutex mutex_;
  mutable std::optional<std::uintmax_t> kept_bytes_;  // of the whole folder; empty: not yet counted
};

}  // namespace

std::shared_ptr<const Encoder> keep_maps(std::shared_ptr<const Encoder> encoder, fs::path folder,
                                         std::uintmax_t max_bytes) {
  if (folder.empty())
    if (const fs::path cache = cache_folder(); !cache.empty()) folder = cache / "maps";
  if (folder.empty() || encoder->info().checksum.empty()) return encoder;
  return std::make_shared<KeptMaps>(std::move(encoder), folder, max_bytes);
}

}  // namespace fernwood::encoder
