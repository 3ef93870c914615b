// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "plugins/mat_hdf5.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/saturated.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"

namespace fernwood {

namespace {

// A version 5 file is a header of 128 bytes, followed by variables: a tag of 8 bytes (type and length), then that
// number of bytes (MAT-File Format, "Level 5"). A variable is a matrix, or a compressed stream that contains one. A
// matrix again consists of tagged elements: flags, sizes, name and data; the data of a cell array are one matrix for
// each cell.

constexpr std::uint64_t kHeaderBytes = 128, kTagBytes = 8, kFlagBytes = 8, kMaxNameBytes = 1024, kMaxSizeBytes = 256;
constexpr std::uint32_t kInt8 = 1, kInt32 = 5, kUint32 = 6, kMatrix = 14, kCompressed = 15;  // types of elements
constexpr std::uint32_t kCells = 1, kChars = 4, kNumbers = 6;  // classes of matrices; kNumbers to kLastNumbers are
                                                               // numeric
constexpr std::uint32_t kLastNumbers = 15;
constexpr int kDeepest = 4;  // nesting of cells

/// @param swaps  Whether the file has the other byte order.
std::uint32_t word_at(const std::uint8_t* bytes, bool swaps) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{bytes[i]} << (8 * (swaps ? 3 - i : i));
  return value;
}

/// Reads the bytes of a variable in sequence, uncompressed or compressed.
class MatBytes {
 public:
  /// @param size  Number of bytes of the variable, which begin at the file's current position.
  MatBytes(std::istream& file, std::uint64_t size, bool is_compressed)
      : file_(file), left_(size), is_compressed_(is_compressed) {
    if (is_compressed_) inflateInit(&stream_);
  }
  ~MatBytes() {
    if (is_compressed_) inflateEnd(&stream_);
  }
  MatBytes(const MatBytes&) = delete;
  MatBytes& operator=(const MatBytes&) = delete;

  bool read(std::uint8_t* out, std::size_t size) { return is_compressed_ ? unfold(out, size) : take(out, size); }
  bool skip(std::uint64_t size) {
    std::array<std::uint8_t, 4096> skipped;
    for (; size > 0; size -= std::min<std::uint64_t>(size, skipped.size()))
      if (!read(skipped.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, skipped.size())))) return false;
    return true;
  }

 private:
  bool take(std::uint8_t* out, std::size_t size) {
    if (size > left_ || !file_.read(reinterpret_cast<char*>(out), static_cast<std::streamsize>(size))) return false;
    left_ -= size;
    return true;
  }
  bool unfold(std::uint8_t* out, std::size_t size) {
    stream_.next_out = out;
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const std::size_t piece = std::min<std::uint64_t>(left_, buffer_.size());
        if (piece == 0 || !take(buffer_.data(), piece)) return false;
        stream_.next_in = buffer_.data();
        stream_.avail_in = static_cast<uInt>(piece);
      }
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && (state != Z_STREAM_END || stream_.avail_out > 0)) return false;
    }
    return true;
  }

  std::istream& file_;
  std::uint64_t left_;
  const bool is_compressed_;
  z_stream stream_{};
  std::array<std::uint8_t, 16384> buffer_;
};

/// Parses a variable, and checks that each element lies within its parent and has the size that its matrix requires.
class MatWalk {
 public:
  MatWalk(MatBytes& bytes, bool swaps, const std::string& place) : bytes_(bytes), swaps_(swaps), place_(place) {}

  void variable() {
    std::uint64_t left = kTagBytes;
    const Tag tag = read_tag(left);
    require(tag.type == kMatrix && !tag.is_small);
    matrix(tag.size, 0);
  }

  /// @param left  Number of its bytes after the tag, which was read before.
  void matrix(std::uint64_t left, int depth) {
    if (left == 0) return;  // an empty cell
    require(depth <= kDeepest);
    const std::uint32_t kind = word(element(left, kUint32, kFlagBytes), 0) & 0xff;
    const std::uint64_t count = product(element(left, kInt32, kMaxSizeBytes));
    element(left, kInt8, kMaxNameBytes);
    if (kind == kCells)
      for (std::uint64_t cell = 0; cell < count; ++cell) {
        const Tag tag = read_tag(left);
        require(tag.type == kMatrix && !tag.is_small && tag.size <= left);
        matrix(tag.size, depth + 1);
        left -= tag.size;
      }
    else if (kind == kChars || (kind >= kNumbers && kind <= kLastNumbers))
      while (left > 0) {  // the real part, then the imaginary part, if present
        const Tag tag = read_tag(left);
        require(kind == kChars || count <= tag.size);  // at least a byte for each number
        pass(tag, left);
      }
    else
      require(false);
    require(bytes_.skip(left));
  }

 private:
  struct Tag {
    std::uint32_t type = 0;
    std::uint64_t size = 0;
    bool is_small = false;                   ///< The data are in the tag.
    std::array<std::uint8_t, 4> bytes = {};  ///< These data.
  };

  void require(bool holds) const {
    FW_CHECK(holds, Data,
             place_ << " is damaged, or no array of numbers, text or cells; copy or download the file again, or save "
                       "the arrays alone");
  }
  std::uint32_t word(const std::vector<std::uint8_t>& bytes, std::size_t at) const {
    require(at + 4 <= bytes.size());
    return word_at(bytes.data() + at, swaps_);
  }
  /// @param left  Bytes left in the parent; reduced by those of the tag.
  Tag read_tag(std::uint64_t& left) {
    std::vector<std::uint8_t> bytes(kTagBytes);
    require(left >= kTagBytes && bytes_.read(bytes.data(), bytes.size()));
    left -= kTagBytes;
    const std::uint32_t first = word(bytes, 0);
    if (first >> 16 == 0) return {first, word(bytes, 4), false, {}};
    Tag small{first & 0xffff, first >> 16, true, {}};
    require(small.size <= small.bytes.size());
    std::copy_n(bytes.begin() + 4, small.size, small.bytes.begin());
    return small;
  }
  /// The size rounded up to a multiple of 8, at which the next element begins, except at the end of the matrix.
  static std::uint64_t padded(std::uint64_t size, std::uint64_t left) { return std::min((size + 7) / 8 * 8, left); }

  void pass(const Tag& tag, std::uint64_t& left) {
    if (tag.is_small) return;
    require(tag.size <= left && bytes_.skip(padded(tag.size, left)));
    left -= padded(tag.size, left);
  }
  /// Reads the data of the next element, at most `most` bytes. Its type must match: matio would misinterpret an element
  /// of another type, and continue to read inside it.
  std::vector<std::uint8_t> element(std::uint64_t& left, std::uint32_t type, std::uint64_t most) {
    const Tag tag = read_tag(left);
    require(tag.type == type);
    if (tag.is_small) return {tag.bytes.begin(), tag.bytes.begin() + static_cast<std::ptrdiff_t>(tag.size)};
    require(tag.size <= most && tag.size <= left);
    std::vector<std::uint8_t> bytes(padded(tag.size, left));
    require(bytes_.read(bytes.data(), bytes.size()));
    left -= bytes.size();
    bytes.resize(tag.size);
    return bytes;
  }
  std::uint64_t product(const std::vector<std::uint8_t>& sizes) const {
    require(!sizes.empty());  // without sizes matio allocates no cells
    std::uint64_t count = 1;
    for (std::size_t at = 0; at < sizes.size(); at += 4) count = saturated_product(count, word(sizes, at));
    return count;
  }

  MatBytes& bytes_;
  const bool swaps_;
  const std::string place_;
};

}  // namespace

void check_mat5(const std::filesystem::path& path) {
  const std::uint64_t file_bytes = std::filesystem::file_size(path);
  InputFile file(path);
  std::array<char, kHeaderBytes> header{};
  file.read(header.data(), header.size());
  const bool swaps = header[kHeaderBytes - 2] == 'M';
  for (std::uint64_t start = kHeaderBytes; start < file_bytes;) {
    const std::string place = path.string() + ": the variable at byte " + std::to_string(start);
    file.seekg(static_cast<std::streamoff>(start));
    std::array<std::uint8_t, kTagBytes> tag{};
    file.read(reinterpret_cast<char*>(tag.data()), tag.size());
    const std::uint32_t type = word_at(tag.data(), swaps), size = word_at(tag.data() + 4, swaps);
    // matio silently skips a variable that the end of the file cuts off.
    FW_CHECK(file && (type == kMatrix || type == kCompressed) && size <= file_bytes - start - kTagBytes, Data,
             place << " is cut off or damaged: the file ends after " << file_bytes
                   << " bytes; copy or download the file again");
    MatBytes bytes(file, size, type == kCompressed);
    MatWalk walk(bytes, swaps, place);
    if (type == kCompressed)
      walk.variable();
    else
      walk.matrix(size, 0);
    start += kTagBytes + size;
  }
}

}  // namespace fernwood
