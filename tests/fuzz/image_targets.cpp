// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <ctime>

#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/index_labels.h"
#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "forest/noise.h"
#include "formats/import/mat_file.h"
#include "fuzz/target.h"
#ifdef FERNWOOD_HAS_MATIO
#include "formats/mat_writer.h"
#endif

namespace fernwood::fuzz {

using dataset::PngFile;

namespace {

int read_metadata(std::span<const std::uint8_t> bytes) {
  const dataset::ReadAt read = dataset::reader_of(bytes);
  const int orientation = dataset::read_orientation(read);
  law(orientation >= 1 && orientation <= 8, "an orientation is not 1 to 8");
  dataset::read_tiff_tags(read);
  return 0;
}

}  // namespace

int fuzz_png(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, data + size);
  reads([&] { dataset::decode_color("color.png", bytes); });
  reads([&] { dataset::decode_depth("depth.png", bytes, 0.2, 7); });
  reads([&] { dataset::decode_truth("truth.png", bytes); });
  dataset::DatasetConfig index;
  index.labels = dataset::LabelEncoding::kIndex;
  reads([&] { dataset::decode_truth("truth.png", bytes, index); });
  return read_metadata(bytes);
}

std::vector<Bytes> png_seeds() {
  const image::Frame frame = forest::noise_frame(5, 7, 1);
  std::vector<Bytes> seeds = {dataset::encode_png(frame.color)};
  const std::filesystem::path path = scratch_folder() / "seed.png";
  dataset::write_png16(path, frame.depth_mm);
  seeds.push_back(read_file(path));
  dataset::write_palette_png(path, Array2<std::uint8_t>(3, 9, 1), std::vector<image::Rgb>{{0, 0, 0}, {7, 54, 66}});
  seeds.push_back(read_file(path));
  for (const std::uint8_t filter : {0, 1, 2, 3, 4}) {
    const dataset::Bytes row = {filter, 1, 2, 3, 255, 5, 6, 7, 8};
    seeds.push_back(PngFile(2, 2, 8, PngFile::kRgba).filtered_pixels({row, row}).finish());
  }
  seeds.push_back(PngFile(2, 1, 8, PngFile::kRgb, true).pixels({{1, 2, 3, 4, 5, 6}}).finish());
  seeds.push_back(PngFile(2, 1, 16, PngFile::kRgb).pixels({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}).finish());
  seeds.push_back(PngFile(1, 1, 8, PngFile::kRgb).chunk("eXIf", dataset::exif_of(5)).pixels({{1, 2, 3}}).finish());
  seeds.push_back(PngFile(3, 1, 1, PngFile::kGrey).pixels({{0xa0}}).finish());
  seeds.push_back(PngFile(3, 1, 4, PngFile::kPalette).chunk("PLTE", {1, 2, 3}).pixels({{0x10, 0x20}}).finish());
  return seeds;
}

Bytes sign_png(const Bytes& bytes) {
  constexpr std::size_t kSignatureBytes = 8, kAround = 12;  // length, type and CRC of a chunk
  Bytes out = bytes;
  for (std::size_t at = kSignatureBytes; at + kAround <= out.size();) {
    std::size_t content = 0;
    for (std::size_t i = 0; i < 4; ++i) content = content << 8 | out[at + i];
    if (content > out.size() - at - kAround) break;
    std::uint32_t crc = ~0u;
    for (std::size_t i = at + 4; i < at + 8 + content; ++i) {
      crc ^= out[i];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) out[at + 8 + content + i] = static_cast<std::uint8_t>(~crc >> (24 - 8 * i));
    at += content + kAround;
  }
  return out;
}

int fuzz_jpeg(const std::uint8_t* data, std::size_t size) {
  reads([&] { dataset::decode_color("color.jpg", Bytes(data, data + size)); });
  return read_metadata({data, size});
}

std::vector<Bytes> jpeg_seeds() {
  const Bytes jpeg = dataset::encode_jpeg(forest::noise_frame(9, 17, 1).color, 90);
  return {jpeg, dataset::with_exif(jpeg, dataset::exif_of(6)), dataset::with_exif(jpeg, dataset::exif_of(3, false)),
          dataset::exif_of(8), dataset::encode_jpeg(Array2<image::Rgb>(16, 16, {200, 30, 10}), 30)};
}

int fuzz_maps(const std::uint8_t* data, std::size_t size) {
  image::SuppliedMaps maps;
  if (reads([&] { maps = dataset::decode_maps("f_maps.npy", {data, size}); }))
    law(maps.num_maps * maps.rows * maps.cols == maps.values.size() && !maps.empty(), "sizes and values differ");
  reads([&] { dataset::decode_depth_array("f_depth.npy", {data, size}, 1000); });
  reads([&] { dataset::decode_label_array("f_ground_truth.npy", {data, size}); });
  return 0;
}

std::vector<Bytes> maps_seeds() {
  const std::filesystem::path path = scratch_folder() / "seed_maps.npy";
  const image::SuppliedMaps maps = forest::noise_maps(3, 4, 5, 1);
  dataset::write_maps(path, maps);
  const Bytes floats = read_file(path);
  std::vector<Bytes> seeds = {floats};
  for (const std::string_view type : {"<f2", "<f8", "|u1", "<i2"}) {
    Bytes other = floats;
    constexpr std::string_view kFloat = "<f4";
    std::ranges::copy(type, std::search(other.begin(), other.end(), kFloat.begin(), kFloat.end()));
    other.resize(floats.size() - maps.values.size() * (sizeof(float) - static_cast<std::size_t>(type[2] - '0')));
    seeds.push_back(std::move(other));
  }
  return seeds;
}

#ifdef FERNWOOD_HAS_MATIO

int fuzz_mat(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  reads([&] {
    const formats::MatFile mat(file.path());
    reads([&] { mat.read_strings("names"); });
    const auto read_slices = [&](auto element, const char* name, std::size_t rank) {
      const formats::MatArray<decltype(element)> array(mat, name, rank);
      std::vector<decltype(element)> slice;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, array.num_slices()); ++i) array.read_slice(i, slice);
    };
    reads([&] { read_slices(std::uint8_t{}, "images", 4); });
    reads([&] { read_slices(std::uint16_t{}, "labels", 3); });
    reads([&] { read_slices(float{}, "depths", 3); });
    reads([&] { formats::read_hdf5(file.path(), "depths"); });
  });
  return 0;
}

namespace {

/// HDF5 stores the creation time of each array; this removes it, so that seeds are reproducible.
Bytes without_times(Bytes bytes, std::time_t first, std::time_t last) {
  for (std::time_t time = first; time <= last; ++time) {
    std::array<std::uint8_t, 4> stamp;
    for (std::size_t i = 0; i < stamp.size(); ++i) stamp[i] = static_cast<std::uint8_t>(time >> (8 * i));
    auto at = bytes.begin();
    while ((at = std::search(at, bytes.end(), stamp.begin(), stamp.end())) != bytes.end())
      at = std::fill_n(at, stamp.size(), std::uint8_t{0});
  }
  return bytes;
}

}  // namespace

std::vector<Bytes> mat_seeds() {
  const std::filesystem::path path = scratch_folder() / "seed.mat";
  const std::time_t start = std::time(nullptr);
  std::vector<Bytes> seeds;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73})
    for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
      {
        formats::MatWriter mat(path, version, compression);
        mat.strings("names", {"floor", "prop"});
        mat.array<std::uint8_t>("images", {2, 2, 3, 2}, Bytes(24, 9));
        mat.array<std::uint16_t>("labels", {2, 2, 2}, std::vector<std::uint16_t>(8, 1));
        mat.array<float>("depths", {2, 2, 2}, std::vector<float>(8, 1.5f));
      }
      seeds.push_back(without_times(read_file(path), start, std::time(nullptr)));
    }
  return seeds;
}

#else

int fuzz_mat(const std::uint8_t*, std::size_t) { return 0; }
std::vector<Bytes> mat_seeds() { return {}; }

#endif

}  // namespace fernwood::fuzz
