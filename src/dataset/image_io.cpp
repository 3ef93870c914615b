// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

using ByteVector = std::vector<std::uint8_t>;

/// Runs what OpenCV does. Its codecs tell of all failures alike, but the system has noted when memory ran out.
/// @return  What `work` returns; false when an image cannot be coded. @throws std::bad_alloc
template <typename Work>
bool run_opencv(const Work& work) {
  errno = 0;
  bool done = false, lacks_memory = false;
  try {
    done = work();
  } catch (const cv::Exception& failure) {
    lacks_memory = failure.code == cv::Error::StsNoMem;
  }
  if (lacks_memory || (!done && errno == ENOMEM)) throw std::bad_alloc();
  return done;
}

/// Decodes straight into `image`, which has the size that the file's header says.
template <typename T>
void decode_into(const fs::path& path, const ByteVector& bytes, int flags, int type, Array2<T>* image) {
  cv::Mat target(static_cast<int>(image->rows()), static_cast<int>(image->cols()), type, image->data());
  const bool decoded = run_opencv([&] {
    cv::imdecode(bytes, flags | cv::IMREAD_IGNORE_ORIENTATION, &target);
    return static_cast<void*>(target.data) == static_cast<void*>(image->data());
  });
  FW_CHECK(decoded, Data,
           path.string() << ": the image is damaged, it cannot be decoded; copy it again from its source");
}

// OpenCV stores blue first.
void swap_red_and_blue(Array2<image::Rgb>* image) {
  for (image::Rgb& pixel : *image) std::swap(pixel.r, pixel.b);
}

std::string found(const ImageHeader& header) {
  return std::to_string(header.bits) + " bits and " + std::to_string(header.num_channels) +
         (header.num_channels == 1 ? " channel" : " channels");
}

Array2<image::Rgb> decode_rgb(const fs::path& path, const ByteVector& bytes, const ImageHeader& header) {
  static_assert(sizeof(image::Rgb) == 3);
  Array2<image::Rgb> image(header.height, header.width);
  if (decode_png(path, bytes, header, &image) || decode_jpeg(path, bytes, header, &image)) return image;
  decode_into(path, header.is_png ? strip_png(bytes) : bytes, cv::IMREAD_COLOR, CV_8UC3, &image);
  swap_red_and_blue(&image);
  return image;
}

// Without parameters OpenCV writes PNG with one filter, run lengths and level 1: 3 times as fast as any level set by
// hand.
ByteVector encode(const char* extension, const cv::Mat& image, const std::vector<int>& parameters) {
  ByteVector bytes;
  const bool encoded = run_opencv([&] { return cv::imencode(extension, image, bytes, parameters); });
  FW_CHECK(encoded, Runtime,
           "an image of " << size_text(image.cols, image.rows) << " pixels cannot be encoded as " << extension
                          << "; make it smaller");
  return bytes;
}

ByteVector encode_rgb(const char* extension, Array2<image::Rgb> image, const std::vector<int>& parameters) {
  FW_CHECK(!image.empty(), Usage, "an image without pixels cannot be encoded; give it rows and columns");
  swap_red_and_blue(&image);
  const cv::Mat view(static_cast<int>(image.rows()), static_cast<int>(image.cols()), CV_8UC3, image.data());
  return encode(extension, view, parameters);
}

/// One channel, of the type that `type` is for OpenCV.
template <typename T>
ByteVector encode_grey(const fs::path& path, const Array2<T>& image, int type) {
  FW_CHECK(!image.empty(), Usage, path.string() << ": an image without pixels cannot be written; give it rows");
  const cv::Mat view(static_cast<int>(image.rows()), static_cast<int>(image.cols()), type,
                     const_cast<T*>(image.data()));
  return encode(".png", view, {});
}

/// At most `width` pixels wide. @param interpolation  As OpenCV calls it.
Array2<image::Rgb> shrink(const Array2<image::Rgb>& image, std::size_t width, int interpolation) {
  const auto pixels_of = [](const Array2<image::Rgb>& of) {
    return cv::Mat(static_cast<int>(of.rows()), static_cast<int>(of.cols()), CV_8UC3,
                   const_cast<image::Rgb*>(of.data()));
  };
  const std::size_t cols = std::min(width, image.cols());
  Array2<image::Rgb> small(std::max<std::size_t>(1, image.rows() * cols / image.cols()), cols);
  cv::Mat target = pixels_of(small);
  const bool shrunk = run_opencv([&] {
    cv::resize(pixels_of(image), target, target.size(), 0, 0, interpolation);
    return true;
  });
  FW_CHECK(shrunk, Runtime, "an image of " << size_text(image.cols(), image.rows()) << " pixels cannot be shrunk");
  return small;
}

void write_bytes(const fs::path& path, const ByteVector& bytes) {
  const auto write = [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  write_file_atomically(path, write, Outlasts::kProcess);
}

}  // namespace

Array2<image::Rgb> read_color(const fs::path& path) { return decode_color(path, read_file(path)); }

Array2<image::Rgb> decode_color(const fs::path& path, const ByteVector& bytes) {
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(!header.is_grey(), Data,
           path.string() << ": the picture is grey (" << found(header)
                         << "); colour pictures have 8 bits and 3 channels: convert it to RGB, or remove all colour "
                            "files to use depth alone");
  FW_CHECK(header.bits <= 8, Data,
           path.string() << ": the picture has " << found(header) << "; colour pictures have 8 bits and 3 channels: "
                         << "convert it to 8-bit RGB");
  return decode_rgb(path, bytes, header);
}

Array2<std::uint16_t> read_depth(const fs::path& path, double scale_to_mm, int missing) {
  return decode_depth(path, read_file(path), scale_to_mm, missing);
}

Array2<std::uint16_t> decode_depth(const fs::path& path, const ByteVector& bytes, double scale_to_mm, int missing) {
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(header.is_png && header.bits == 16 && header.num_channels == 1, Data,
           path.string() << ": the depth image is a " << (header.is_png ? "PNG" : "JPEG") << " with " << found(header)
                         << "; depth is a PNG with 16 bits and 1 channel, in millimetres, 0 where unknown: convert it");
  Array2<std::uint16_t> depth(header.height, header.width);
  if (!decode_png(path, bytes, header, &depth))
    decode_into(path, strip_png(bytes), cv::IMREAD_ANYDEPTH | cv::IMREAD_GRAYSCALE, CV_16UC1, &depth);
  const bool is_plain = scale_to_mm == 1.0 && missing == 0;
  for (std::uint16_t& value : depth) {
    const double scaled = is_plain ? value : value == missing ? 0.0 : value * scale_to_mm + 0.5;
    const auto depth_mm = static_cast<std::int32_t>(std::min(scaled, 65535.0));
    value = image::is_known_depth(depth_mm) ? static_cast<std::uint16_t>(depth_mm) : 0;
  }
  return depth;
}

Array2<image::Rgb> read_truth(const fs::path& path) { return decode_truth(path, read_file(path)); }

Array2<image::Rgb> decode_truth(const fs::path& path, const ByteVector& bytes) {
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(header.is_png, Data,
           path.string() << ": the ground truth is a JPEG file, which changes the class colours; write it as PNG");
  FW_CHECK(!header.is_grey(), Data,
           path.string() << ": the ground truth is a grey label image (" << found(header)
                         << "); labels are RGB class colours, black for void: convert class numbers to colours or to "
                            "a palette PNG");
  FW_CHECK(header.bits <= 8, Data,
           path.string() << ": the ground truth has " << found(header) << "; labels are 8-bit RGB class colours: "
                         << "convert it");
  return decode_rgb(path, bytes, header);
}

void write_png(const fs::path& path, const Array2<image::Rgb>& image) { write_bytes(path, encode_png(image)); }

void write_png16(const fs::path& path, const Array2<std::uint16_t>& image) {
  write_bytes(path, encode_grey(path, image, CV_16UC1));
}

void write_palette_png(const fs::path& path, const Array2<std::uint8_t>& indices, std::span<const image::Rgb> palette) {
  const ByteVector grey = encode_grey(path, indices, CV_8UC1);
  const std::size_t last = *std::max_element(indices.begin(), indices.end());
  FW_CHECK(palette.size() <= 256 && last < palette.size(), Usage,
           path.string() << ": a palette of " << palette.size() << " colours does not serve the indices up to " << last
                         << "; give each index a colour, 256 at most");
  write_bytes(path, give_palette(grey, palette));
}

ByteVector encode_png(const Array2<image::Rgb>& image) { return encode_rgb(".png", image, {}); }

ByteVector encode_jpeg(const Array2<image::Rgb>& image, int quality) {
  FW_CHECK(quality >= 1 && quality <= 100, Usage, "the JPEG quality is " << quality << "; give 1 to 100");
  return encode_rgb(".jpg", image, {cv::IMWRITE_JPEG_QUALITY, quality});
}

Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width) {
  return shrink(image, width, cv::INTER_AREA);
}

Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width) {
  return shrink(image, width, cv::INTER_NEAREST_EXACT);
}

}  // namespace fernwood::dataset
