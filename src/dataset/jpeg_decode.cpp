// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/image_file.h"

#ifdef FERNWOOD_HAS_LIBJPEG
#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>  // before jpeglib.h, which needs it

#include <array>
#include <cerrno>
#include <new>
#include <string>

#include "fernwood/core/error.h"
#endif

namespace fernwood::dataset {

#ifdef FERNWOOD_HAS_LIBJPEG

namespace {

/// What libjpeg calls instead of ending the program or printing.
struct Failure {
  jpeg_error_mgr manager;
  std::jmp_buf place;  // libjpeg is C, so that exceptions cannot pass it
  std::array<char, JMSG_LENGTH_MAX> text;
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* const failure = reinterpret_cast<Failure*>(info->err);
  failure->manager.format_message(info, failure->text.data());
  std::longjmp(failure->place, 1);
}

/// Negative levels are damaged data, which libjpeg would paint grey.
void fail_when_damaged(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

/// @return False with the reason in `failure`. Nothing in here has a destructor, for longjmp would skip it.
bool decode(std::span<const std::uint8_t> bytes, Array2<image::Rgb>& image, Failure& failure) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = fail;
  failure.manager.emit_message = fail_when_damaged;
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

}  // namespace

bool decode_jpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                 Array2<image::Rgb>* image) {
  static_assert(sizeof(image::Rgb) == 3);
  if (header.is_png || header.num_channels != 3 || header.bits != 8) return false;
  Failure failure{};
  errno = 0;
  const bool decoded = decode(bytes, *image, failure);
  if (!decoded && errno == ENOMEM) throw std::bad_alloc();
  FW_CHECK(decoded, Data,
           path.string() << ": the image is damaged (" << failure.text.data()
                         << "), it cannot be decoded; copy it again from its source");
  return true;
}

#else

bool decode_jpeg(const std::filesystem::path&, std::span<const std::uint8_t>, const ImageHeader&, Array2<image::Rgb>*) {
  return false;
}

#endif

}  // namespace fernwood::dataset
