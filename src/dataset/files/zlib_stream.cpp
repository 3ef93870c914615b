// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/zlib_stream.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace fernwood::dataset {

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
