// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reads and writes PNG files through libpng, the reference for our own implementation.

#include <png.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "dataset/test_files.h"

namespace fernwood::dataset {

/// libpng is written in C, so neither an exception nor a failed test may pass through it.
[[noreturn]] inline void fail_in_libpng(png_structp, png_const_charp message) {
  std::cerr << "libpng: " << message << "\n";
  std::abort();
}

inline void ignore_warning(png_structp, png_const_charp) {}

/// Rows of a file, interlaced or not. @param prepare  Sets the transformations of libpng. @return  [rows][cols] pixels.
template <typename Pixel, typename Prepare>
Array2<Pixel> read_by_libpng(const Bytes& file, const Prepare& prepare) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, fail_in_libpng, ignore_warning);
  png_infop info = png_create_info_struct(png);
  const std::uint8_t* at = file.data();
  png_set_read_fn(png, &at, [](png_structp from, png_bytep out, png_size_t size) {
    const auto** const next = static_cast<const std::uint8_t**>(png_get_io_ptr(from));
    std::memcpy(out, *next, size);
    *next += size;
  });
  png_read_info(png, info);
  prepare(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  Array2<Pixel> image(png_get_image_height(png, info), png_get_image_width(png, info));
  EXPECT_EQ(png_get_rowbytes(png, info), image.cols() * sizeof(Pixel));
  std::vector<png_bytep> rows;
  for (std::size_t row = 0; row < image.rows(); ++row) rows.push_back(reinterpret_cast<png_bytep>(image.row(row)));
  png_read_image(png, rows.data());
  png_destroy_read_struct(&png, &info, nullptr);
  return image;
}

inline Array2<image::Rgb> libpng_rgb(const Bytes& file) {
  return read_by_libpng<image::Rgb>(file, [](png_structp png) {
    png_set_palette_to_rgb(png);
    png_set_strip_alpha(png);
  });
}

inline Array2<std::uint16_t> libpng_grey16(const Bytes& file) {
  return read_by_libpng<std::uint16_t>(file, [](png_structp png) { png_set_swap(png); });
}

struct LibpngFile {
  int width, height, bits;
  PngFile::ColorType type;
  bool interlaced;
  int level, strategy;  ///< For zlib.
};

/// @param rows  In the format of the file: 16-bit numbers are big-endian. Palettes get 256 colours.
inline Bytes encode_by_libpng(const LibpngFile& file, Bytes rows) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail_in_libpng, ignore_warning);
  png_infop info = png_create_info_struct(png);
  Bytes bytes;
  png_set_write_fn(
      png, &bytes,
      [](png_structp to, png_bytep data, png_size_t size) {
        auto* const all = static_cast<Bytes*>(png_get_io_ptr(to));
        all->insert(all->end(), data, data + size);
      },
      nullptr);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
  png_set_compression_level(png, file.level);
  png_set_compression_strategy(png, file.strategy);
  png_set_IHDR(png, info, static_cast<png_uint_32>(file.width), static_cast<png_uint_32>(file.height), file.bits,
               file.type, file.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  std::vector<png_color> palette;
  for (int i = 0; i < 256; ++i)
    palette.push_back({static_cast<png_byte>(i), static_cast<png_byte>(255 - i), static_cast<png_byte>(7 * i)});
  if (file.type == PngFile::kPalette) png_set_PLTE(png, info, palette.data(), 256);
  png_write_info(png, info);
  const std::size_t row_bytes = rows.size() / static_cast<std::size_t>(file.height);
  std::vector<png_bytep> starts;
  for (std::size_t at = 0; at < rows.size(); at += row_bytes) starts.push_back(rows.data() + at);
  png_write_image(png, starts.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

}  // namespace fernwood::dataset
