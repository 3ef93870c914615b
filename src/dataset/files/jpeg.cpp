// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>  // required before jpeglib.h
#include <cstdlib>
#include <new>
#include <string>

#include <jpeglib.h>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace {

/// Error handler for libjpeg, in place of ending the program or printing.
struct Failure {
  jpeg_error_mgr manager;
  std::jmp_buf place;  // libjpeg is C, so exceptions must not pass through it
  std::array<char, JMSG_LENGTH_MAX> text;
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* const failure = reinterpret_cast<Failure*>(info->err);
  failure->manager.format_message(info, failure->text.data());
  std::longjmp(failure->place, 1);
}

/// Negative levels report damaged data, which libjpeg would fill with grey.
void fail_when_damaged(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

jpeg_error_mgr* told_by(Failure& failure) {
  jpeg_error_mgr* const manager = jpeg_std_error(&failure.manager);
  manager->error_exit = fail;
  manager->emit_message = fail_when_damaged;
  return manager;
}

/// @return False with the reason in `failure`. No local variable may have a destructor, since longjmp would skip it.
bool decode(std::span<const std::uint8_t> bytes, Array2<image::Rgb>& image, Failure& failure) {
  jpeg_decompress_struct info;
  info.err = told_by(failure);
  if (setjmp(failure.place) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes.data(), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  if (info.output_width != image.cols() || info.output_height != image.rows() || info.output_components != 3) {
    std::snprintf(failure.text.data(), failure.text.size(), "its two sizes differ");
    jpeg_destroy_decompress(&info);
    return false;
  }
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = reinterpret_cast<JSAMPROW>(image.row(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

struct Encoded {
  unsigned char* data = nullptr;
  unsigned long size_bytes = 0;
  ~Encoded() { std::free(data); }
};

/// The same restrictions as for decode() apply.
bool encode(const Array2<image::Rgb>& image, int quality, Encoded& encoded, Failure& failure) {
  jpeg_compress_struct info;
  info.err = told_by(failure);
  if (setjmp(failure.place) != 0) {
    jpeg_destroy_compress(&info);
    encoded.data = nullptr;  // may be freed already; leaked rather than freed twice
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &encoded.data, &encoded.size_bytes);
  info.image_width = static_cast<JDIMENSION>(image.cols());
  info.image_height = static_cast<JDIMENSION>(image.rows());
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    const image::Rgb* const row = image.row(info.next_scanline);
    JSAMPROW bytes = reinterpret_cast<JSAMPROW>(const_cast<image::Rgb*>(row));
    jpeg_write_scanlines(&info, &bytes, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

void decode_jpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, Array2<image::Rgb>* image) {
  static_assert(sizeof(image::Rgb) == 3);
  Failure failure{};
  errno = 0;
  const bool decoded = decode(bytes, *image, failure);
  if (!decoded && errno == ENOMEM) throw std::bad_alloc();
  FW_CHECK(decoded, Data,
           path.string() << ": the image is damaged (" << failure.text.data()
                         << "), it cannot be decoded; copy it again from its source");
}

std::vector<std::uint8_t> encode_jpeg_rows(const Array2<image::Rgb>& image, int quality) {
  Failure failure{};
  Encoded encoded;
  errno = 0;
  const bool done = encode(image, quality, encoded, failure);
  if (!done && errno == ENOMEM) throw std::bad_alloc();
  FW_CHECK(done, Runtime,
           "an image of " << size_text(image.cols(), image.rows()) << " pixels cannot be encoded as JPEG ("
                          << failure.text.data() << "); make it smaller");
  return {encoded.data, encoded.data + encoded.size_bytes};
}

}  // namespace fernwood::dataset
