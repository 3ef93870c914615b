// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/image_file.h"

#ifdef FERNWOOD_HAS_LIBDEFLATE
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#endif

namespace fernwood::dataset {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

#ifdef FERNWOOD_HAS_LIBDEFLATE

namespace {

using Palette = std::array<image::Rgb, 256>;

/// Where the rows of a file come from; each is a filter type and `row_bytes` filtered bytes.
struct PngRows {
  const fs::path& path;
  Bytes file;
  std::size_t num_rows, row_bytes;

  std::size_t size_bytes() const { return num_rows * (row_bytes + 1); }
};

std::unique_ptr<std::uint8_t[]> inflate_rows(const PngRows& rows) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  const std::vector<std::uint8_t> stream = png_content(rows.file, "IDAT");
  auto inflated = std::make_unique_for_overwrite<std::uint8_t[]>(rows.size_bytes());
  // Without a place for the size, any other size than this one is an error.
  const libdeflate_result result = libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(),
                                                              inflated.get(), rows.size_bytes(), nullptr);
  FW_CHECK(result == LIBDEFLATE_SUCCESS, Data,
           rows.path.string() << ": the image is damaged ("
                              << (result == LIBDEFLATE_BAD_DATA             ? "its zlib stream is broken"
                                  : result == LIBDEFLATE_INSUFFICIENT_SPACE ? "it holds more pixels than its size says"
                                                                            : "it holds too few pixels for its size")
                              << "), it cannot be decoded; copy it again from its source");
  return inflated;
}

/// The specification's predictor: of left, above and above-left, the one nearest to p = left + above - above_left, the
/// first of them on ties. With low and high the smaller and the larger of left and above, and twice above_left - p =
/// 3 above_left - left - above, that is: high up to where the three meet, low from there on, above_left in between.
inline int paeth(int left, int above, int above_left) {
  const int low = std::min(left, above), high = std::max(left, above);
  const int bound = 3 * above_left - above - left;
  const int from_above = high <= bound ? low : above_left;
  return bound <= low ? high : from_above;
}

/// Undoes a filter that predicts each byte from the bytes left, above and above-left of it, kStep bytes away.
template <int kStep, typename Predict>
void add_predictions(const std::uint8_t* above, std::size_t size_bytes, std::uint8_t* row, Predict predict) {
  std::uint8_t left[kStep] = {}, above_left[kStep] = {};  // kept in registers: memory is too slow for the recurrence
  for (std::size_t i = 0; i < size_bytes; i += kStep)
    for (int k = 0; k < kStep; ++k) {
      left[k] = static_cast<std::uint8_t>(row[i + k] + predict(left[k], above[i + k], above_left[k]));
      above_left[k] = above[i + k];
      row[i + k] = left[k];
    }
}

/// Undoes a filter type, 0 to 4 (PNG specification, 9.2). @return false for other types.
template <int kStep>
bool unfilter_row(int type, const std::uint8_t* above, std::size_t size_bytes, std::uint8_t* row) {
  switch (type) {
    case 0:
      return true;
    case 1:
      add_predictions<kStep>(above, size_bytes, row, [](int left, int, int) { return left; });
      return true;
    case 2:
      for (std::size_t i = 0; i < size_bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
      return true;
    case 3:
      add_predictions<kStep>(above, size_bytes, row, [](int left, int up, int) { return (left + up) >> 1; });
      return true;
    case 4:
      add_predictions<kStep>(above, size_bytes, row, paeth);
      return true;
    default:
      return false;
  }
}

/// Calls convert(row index, its bytes) for all rows. @tparam kStep  Bytes of a pixel, 1 where pixels share a byte.
template <int kStep, typename Convert>
void decode_rows(const PngRows& rows, Convert convert) {
  const std::unique_ptr<std::uint8_t[]> inflated = inflate_rows(rows);
  const std::vector<std::uint8_t> zeros(rows.row_bytes);
  const std::uint8_t* above = zeros.data();
  for (std::size_t index = 0; index < rows.num_rows; ++index) {
    std::uint8_t* filtered = inflated.get() + index * (rows.row_bytes + 1);
    FW_CHECK(unfilter_row<kStep>(*filtered, above, rows.row_bytes, filtered + 1), Data,
             rows.path.string() << ": the image is damaged (row " << index << " has the filter type "
                                << static_cast<int>(*filtered)
                                << ", known are 0 to 4), it cannot be decoded; copy it again from its source");
    above = filtered + 1;
    convert(index, above);
  }
}

/// @return false unless the file has a palette that decoders agree on.
bool read_palette(Bytes file, Palette* palette) {
  const std::vector<std::uint8_t> content = png_content(file, "PLTE");
  if (content.empty() || content.size() % 3 != 0 || content.size() > 3 * palette->size()) return false;
  std::memcpy(palette->data(), content.data(), content.size());
  return true;
}

void look_up(const std::uint8_t* row, std::size_t bits, const Palette& palette, std::span<image::Rgb> pixels) {
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::size_t bit = 0;
  for (image::Rgb& pixel : pixels) {
    pixel = palette[row[bit / 8] >> (8 - bits - bit % 8) & mask];
    bit += bits;
  }
}

}  // namespace

bool decode_png(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<image::Rgb>* image) {
  static_assert(sizeof(image::Rgb) == 3);
  const std::size_t cols = image->cols();
  const auto bits = static_cast<std::size_t>(header.bits);
  if (!header.has_plain_rows) return false;
  if (header.is_palette) {
    Palette palette{};
    if ((bits != 1 && bits != 2 && bits != 4 && bits != 8) || !read_palette(bytes, &palette)) return false;
    decode_rows<1>({path, bytes, image->rows(), (cols * bits + 7) / 8},
                   [&](std::size_t index, const std::uint8_t* row) {
                     look_up(row, bits, palette, {image->row(index), cols});
                   });
  } else if (bits == 8 && header.num_channels == 3) {
    decode_rows<3>({path, bytes, image->rows(), 3 * cols},
                   [&](std::size_t index, const std::uint8_t* row) { std::memcpy(image->row(index), row, 3 * cols); });
  } else if (bits == 8 && header.num_channels == 4) {
    decode_rows<4>({path, bytes, image->rows(), 4 * cols}, [&](std::size_t index, const std::uint8_t* row) {
      image::Rgb* pixels = image->row(index);
      for (std::size_t col = 0; col < cols; ++col) pixels[col] = {row[4 * col], row[4 * col + 1], row[4 * col + 2]};
    });
  } else {
    return false;
  }
  return true;
}

bool decode_png(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<std::uint16_t>* image) {
  if (!header.has_plain_rows || header.bits != 16 || header.num_channels != 1) return false;
  const std::size_t cols = image->cols();
  decode_rows<2>({path, bytes, image->rows(), 2 * cols}, [&](std::size_t index, const std::uint8_t* row) {
    std::uint16_t* values = image->row(index);
    for (std::size_t col = 0; col < cols; ++col)
      values[col] = static_cast<std::uint16_t>(row[2 * col] << 8 | row[2 * col + 1]);
  });
  return true;
}

#else

bool decode_png(const fs::path&, Bytes, const ImageHeader&, Array2<image::Rgb>*) { return false; }

bool decode_png(const fs::path&, Bytes, const ImageHeader&, Array2<std::uint16_t>*) { return false; }

#endif

}  // namespace fernwood::dataset
