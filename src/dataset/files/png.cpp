// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

namespace {

struct Palette {
  std::array<image::Rgb, 256> colors{};
  std::size_t size = 0;
};

/// Pixels stored consecutively, row by row: the whole image, or one of the seven passes of an interlaced file (PNG
/// specification, 8.2). Pixel (i, j) of a pass is pixel (x + i dx, y + j dy) of the image.
struct Pass {
  std::size_t x, y, dx, dy;
  std::size_t cols = 0, rows = 0;
  std::size_t row_bytes = 0;  ///< Without the filter type before each row.
};

std::vector<Pass> passes_of(const ImageHeader& header) {
  static constexpr Pass kAll[] = {{0, 0, 1, 1}};
  static constexpr Pass kInterlaced[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                         {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  std::vector<Pass> passes;
  for (Pass pass : header.is_interlaced ? std::span<const Pass>(kInterlaced) : std::span<const Pass>(kAll)) {
    if (pass.x >= header.width || pass.y >= header.height) continue;
    pass.cols = (header.width - pass.x + pass.dx - 1) / pass.dx;
    pass.rows = (header.height - pass.y + pass.dy - 1) / pass.dy;
    pass.row_bytes = (pass.cols * header.bits_per_pixel() + 7) / 8;
    passes.push_back(pass);
  }
  return passes;
}

std::unique_ptr<std::uint8_t[]> inflate(const fs::path& path, Bytes file, std::size_t size_bytes) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  const std::vector<std::uint8_t> stream = png_content(file, "IDAT");
  auto inflated = std::make_unique_for_overwrite<std::uint8_t[]>(size_bytes);
  // Without a pointer for the actual size, libdeflate reports any other size as an error.
  const libdeflate_result result =
      libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(), inflated.get(), size_bytes, nullptr);
  FW_CHECK(result == LIBDEFLATE_SUCCESS, Data,
           path.string() << ": the image is damaged ("
                         << (result == LIBDEFLATE_BAD_DATA             ? "its zlib stream is broken"
                             : result == LIBDEFLATE_INSUFFICIENT_SPACE ? "it holds more pixels than its size says"
                                                                       : "it holds too few pixels for its size")
                         << "), it cannot be decoded; copy it again from its source");
  return inflated;
}

/// The Paeth predictor of the specification: of left, above and above-left, the one nearest to p = left + above -
/// above_left, the first of them on ties. Let low and high be the smaller and the larger of left and above; twice
/// above_left - p = 3 above_left - left - above. The result is high up to where the three meet, low from there on,
/// above_left in between.
inline int paeth(int left, int above, int above_left) {
  const int low = std::min(left, above), high = std::max(left, above);
  const int bound = 3 * above_left - above - left;
  const int from_above = high <= bound ? low : above_left;
  return bound <= low ? high : from_above;
}

/// Undoes a filter that predicts each byte from the bytes to the left, above and above-left, kStep bytes away.
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

/// Undoes a filter type, 0 to 4 (PNG specification, 9.2). @return false for invalid types.
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

/// Undoes the filters of a file and converts each row to pixels. @tparam kStep  Bytes per pixel, 1 where pixels share a
/// byte.
/// @param unpack  Called with the bytes of a row and the destination of its pixels.
template <int kStep, typename Pixel, typename Unpack>
void decode_rows(const fs::path& path, Bytes file, const ImageHeader& header, Array2<Pixel>* image, Unpack unpack) {
  const std::vector<Pass> passes = passes_of(header);
  std::size_t size_bytes = 0;
  for (const Pass& pass : passes) size_bytes += pass.rows * (pass.row_bytes + 1);
  const std::unique_ptr<std::uint8_t[]> inflated = inflate(path, file, size_bytes);
  std::uint8_t* filtered = inflated.get();
  std::vector<Pixel> spread(header.is_interlaced ? header.width : 0);
  for (const Pass& pass : passes) {
    const std::vector<std::uint8_t> zeros(pass.row_bytes);
    const std::uint8_t* above = zeros.data();
    for (std::size_t index = 0; index < pass.rows; ++index) {
      FW_CHECK(unfilter_row<kStep>(*filtered, above, pass.row_bytes, filtered + 1), Data,
               path.string() << ": the image is damaged (row " << index << " has the filter type "
                             << static_cast<int>(*filtered)
                             << ", known are 0 to 4), it cannot be decoded; copy it again from its source");
      above = filtered + 1;
      filtered += pass.row_bytes + 1;
      Pixel* const row = image->row(pass.y + index * pass.dy);
      if (pass.dx == 1) {
        unpack(above, std::span(row, pass.cols));
        continue;
      }
      unpack(above, std::span(spread.data(), pass.cols));
      for (std::size_t i = 0; i < pass.cols; ++i) row[pass.x + i * pass.dx] = spread[i];
    }
  }
}

Palette read_palette(const fs::path& path, Bytes file) {
  const std::vector<std::uint8_t> content = png_content(file, "PLTE");
  Palette palette;
  FW_CHECK(!content.empty() && content.size() % 3 == 0 && content.size() <= 3 * palette.colors.size(), Data,
           path.string() << ": the image is damaged (its palette has " << content.size()
                         << " bytes, not 3 for each of 1 to 256 colours), it cannot be decoded; copy it again from its "
                            "source");
  std::memcpy(palette.colors.data(), content.data(), content.size());
  palette.size = content.size() / 3;
  return palette;
}

/// Calls `take(pixel, number)` for each number of a row, of 1 to 8 bits.
template <typename Pixel, typename Take>
void unpack(const std::uint8_t* row, std::size_t bits, std::span<Pixel> pixels, Take take) {
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::size_t bit = 0;
  for (Pixel& pixel : pixels) {
    take(pixel, static_cast<std::size_t>(row[bit / 8] >> (8 - bits - bit % 8)) & mask);
    bit += bits;
  }
}

void append_big_endian(std::uint32_t value, std::vector<std::uint8_t>* bytes) {
  for (const int shift : {24, 16, 8, 0}) bytes->push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(std::string_view type, Bytes content, std::vector<std::uint8_t>* bytes) {
  append_big_endian(static_cast<std::uint32_t>(content.size()), bytes);
  const std::size_t checked = bytes->size();
  bytes->insert(bytes->end(), type.begin(), type.end());
  bytes->insert(bytes->end(), content.begin(), content.end());
  append_big_endian(libdeflate_crc32(0, bytes->data() + checked, bytes->size() - checked), bytes);
}

/// Adds the filter type Sub before each row: each byte becomes its difference from that of the pixel to the left.
std::vector<std::uint8_t> filter_rows(Bytes rows, std::size_t row_bytes, std::size_t step) {
  constexpr std::uint8_t kSub = 1;
  std::vector<std::uint8_t> filtered(rows.size() + rows.size() / row_bytes);
  std::uint8_t* out = filtered.data();
  for (const std::uint8_t* row = rows.data(); row != rows.data() + rows.size(); row += row_bytes) {
    *out++ = kSub;
    out = std::copy_n(row, step, out);
    out = std::transform(row + step, row + row_bytes, row, out,
                         [](int value, int left) { return static_cast<std::uint8_t>(value - left); });
  }
  return filtered;
}

}  // namespace

void decode_png(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<image::Rgb>* image) {
  static_assert(sizeof(image::Rgb) == 3);
  if (header.is_palette) {
    const Palette palette = read_palette(path, bytes);
    std::size_t greatest = 0;
    decode_rows<1>(path, bytes, header, image, [&](const std::uint8_t* row, std::span<image::Rgb> pixels) {
      unpack(row, static_cast<std::size_t>(header.bits), pixels, [&](image::Rgb& pixel, std::size_t index) {
        pixel = palette.colors[index];
        greatest = std::max(greatest, index);
      });
    });
    FW_CHECK(greatest < palette.size, Data,
             path.string() << ": the palette index " << greatest << " has no colour, the palette has " << palette.size
                           << "; write the file with a palette of a colour for every index");
  } else if (header.num_channels == 3) {
    decode_rows<3>(path, bytes, header, image, [](const std::uint8_t* row, std::span<image::Rgb> pixels) {
      std::memcpy(pixels.data(), row, pixels.size_bytes());
    });
  } else {
    decode_rows<4>(path, bytes, header, image, [](const std::uint8_t* row, std::span<image::Rgb> pixels) {
      for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = {row[4 * i], row[4 * i + 1], row[4 * i + 2]};
    });
  }
}

void decode_png(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<std::uint16_t>* image) {
  decode_rows<2>(path, bytes, header, image, [](const std::uint8_t* row, std::span<std::uint16_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::uint16_t>(row[2 * i] << 8 | row[2 * i + 1]);
  });
}

void decode_png_indices(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<std::uint16_t>* image) {
  using Numbers = std::span<std::uint16_t>;
  if (header.bits == 16 && header.num_channels == 1) return decode_png(path, bytes, header, image);
  if (header.bits == 16)  // with alpha
    decode_rows<4>(path, bytes, header, image, [](const std::uint8_t* row, Numbers values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint16_t>(row[4 * i] << 8 | row[4 * i + 1]);
    });
  else if (header.num_channels == 2)
    decode_rows<2>(path, bytes, header, image, [](const std::uint8_t* row, Numbers values) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = row[2 * i];
    });
  else
    decode_rows<1>(path, bytes, header, image, [&](const std::uint8_t* row, Numbers values) {
      unpack(row, static_cast<std::size_t>(header.bits), values,
             [](std::uint16_t& value, std::size_t number) { value = static_cast<std::uint16_t>(number); });
    });
}

void decode_png_rgba(const fs::path& path, Bytes bytes, const ImageHeader& header, Array2<std::uint32_t>* image) {
  decode_rows<4>(path, bytes, header, image, [](const std::uint8_t* row, std::span<std::uint32_t> pixels) {
    for (std::uint32_t& pixel : pixels) {
      pixel = row[0] | row[1] << 8 | row[2] << 16 | static_cast<std::uint32_t>(row[3]) << 24;
      row += 4;
    }
  });
}

std::vector<std::uint8_t> encode_png_rows(const ImageHeader& header, Bytes rows, std::span<const image::Rgb> palette) {
  const std::size_t step = header.bits_per_pixel() / 8;
  std::vector<std::uint8_t> ihdr;
  append_big_endian(static_cast<std::uint32_t>(header.width), &ihdr);
  append_big_endian(static_cast<std::uint32_t>(header.height), &ihdr);
  const int color_type = header.is_palette ? kPngPalette : header.is_grey() ? kPngGrey : kPngRgb;
  for (const int byte : {header.bits, color_type, 0, 0, 0}) ihdr.push_back(static_cast<std::uint8_t>(byte));
  std::vector<std::uint8_t> file(kPngSignature.begin(), kPngSignature.end());
  append_chunk("IHDR", ihdr, &file);
  if (header.is_palette)
    append_chunk("PLTE", {reinterpret_cast<const std::uint8_t*>(palette.data()), palette.size_bytes()}, &file);
  append_chunk("IDAT", compress_zlib(filter_rows(rows, header.width * step, step), kFastZlib), &file);
  append_chunk("IEND", {}, &file);
  return file;
}

std::vector<std::uint8_t> compress_zlib(std::span<const std::uint8_t> bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  const std::size_t most = libdeflate_zlib_compress_bound(compressor.get(), bytes.size());
  const auto stream = std::make_unique_for_overwrite<std::uint8_t[]>(most);  // no memory for pages not written
  const std::size_t size = libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), stream.get(), most);
  return {stream.get(), stream.get() + size};
}

std::optional<std::vector<std::uint8_t>> decompress_zlib(std::span<const std::uint8_t> bytes, std::size_t most_bytes) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  for (std::size_t size = std::max<std::size_t>(4096, 4 * bytes.size()); size <= most_bytes; size *= 4) {
    std::vector<std::uint8_t> out(size);
    std::size_t used = 0;
    const libdeflate_result result =
        libdeflate_zlib_decompress(decompressor.get(), bytes.data(), bytes.size(), out.data(), out.size(), &used);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) continue;
    if (result != LIBDEFLATE_SUCCESS) break;
    out.resize(used);
    return out;
  }
  return std::nullopt;
}

}  // namespace fernwood::dataset
