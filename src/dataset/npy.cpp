// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/half.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as a little-endian memory has them");

/// What is before the numbers: magic, version, size of the text, and the text, filled up to a multiple of 64 bytes.
/// @param type  For example "<u2": little-endian, unsigned, two bytes.
std::string npy_header(std::string_view type, std::initializer_list<std::size_t> shape) {
  constexpr std::size_t kAlignment = 64, kBytesBeforeText = 10;
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t size : shape) text += (text.back() == '(' ? "" : ", ") + std::to_string(size);
  text += "), }";
  text.append(kAlignment - 1 - (kBytesBeforeText + text.size()) % kAlignment, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 255), high = static_cast<char>(text.size() >> 8);
  return std::string("\x93NUMPY") + '\x01' + '\0' + low + high + text;
}

template <typename T>
void write_values(const T* values, std::size_t count, std::ostream& out) {
  out.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr const char* kWrite = "; write it with numpy.save(path, numpy.float32(maps))";

using ReadNumbers = void(const std::uint8_t* from, std::vector<float>& to);

template <typename Number>
void read_numbers(const std::uint8_t* from, std::vector<float>& to) {
  for (float& value : to) {
    Number number;
    std::memcpy(&number, from, sizeof(number));
    from += sizeof(number);
    value = static_cast<float>(number);
  }
}
void read_halves(const std::uint8_t* from, std::vector<float>& to) {
  for (float& value : to) {
    std::uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    from += sizeof(bits);
    value = from_half(bits);
  }
}

struct NumberType {
  std::string_view descr;  ///< As the header says it.
  std::size_t size_bytes;
  ReadNumbers* read;
};
constexpr NumberType kNumberTypes[] = {{"<f2", 2, read_halves},
                                       {"<f4", 4, read_numbers<float>},
                                       {"<f8", 8, read_numbers<double>},
                                       {"|u1", 1, read_numbers<std::uint8_t>},
                                       {"|i1", 1, read_numbers<std::int8_t>},
                                       {"<u2", 2, read_numbers<std::uint16_t>},
                                       {"<i2", 2, read_numbers<std::int16_t>},
                                       {"<u4", 4, read_numbers<std::uint32_t>},
                                       {"<i4", 4, read_numbers<std::int32_t>},
                                       {"|b1", 1, read_numbers<std::uint8_t>}};

/// What follows a key of the header up to its end, without spaces; empty where the key is not there.
std::string_view value_of(std::string_view header, std::string_view key, char end) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  const std::size_t first = rest.find_first_not_of(" :");
  if (first == std::string_view::npos) return {};
  rest = rest.substr(first);
  return rest.substr(0, rest.find(end));
}

/// The sizes of "(384, 30, 40"; empty for another text, or a size above the greatest that maps may have.
std::vector<std::size_t> parse_shape(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (!text.starts_with('(')) return {};
  std::vector<std::size_t> shape;
  for (std::size_t at = 1; at < text.size();) {
    std::size_t size = 0;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (failure != std::errc() || size > kMost) return {};
    shape.push_back(size);
    at = static_cast<std::size_t>(end - text.data());
    while (at < text.size() && (text[at] == ',' || text[at] == ' ')) ++at;
  }
  return shape;
}

/// The text of the header; `at` becomes the place of the first number.
std::string_view header_of(const fs::path& path, std::string_view file, std::size_t* at) {
  FW_CHECK(file.starts_with(kMagic), Data, path.string() << ": is no array of NumPy" << kWrite);
  const auto byte = [&](std::size_t i) {
    return i < file.size() ? static_cast<std::uint8_t>(file[i]) : std::size_t{0};
  };
  const bool is_long = byte(6) >= 2;  // version 1 has 2 bytes of size, later ones 4
  const std::size_t begin = is_long ? 12 : 10;
  const std::size_t size = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  *at = begin + size;
  FW_CHECK(*at <= file.size(), Data, path.string() << ": the file is cut off within its header; write it again");
  return file.substr(begin, size);
}

}  // namespace

image::SuppliedMaps decode_maps(const fs::path& path, std::span<const std::uint8_t> bytes) {
  std::size_t begin = 0;
  const std::string_view header = header_of(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, &begin);
  const std::string_view descr = value_of(header, "'descr'", ',');
  const auto is_type = [&](const NumberType& type) {
    return descr.size() == type.descr.size() + 2 && descr.substr(1, type.descr.size()) == type.descr;
  };
  const auto type = std::ranges::find_if(kNumberTypes, is_type);
  FW_CHECK(type != std::end(kNumberTypes), Data,
           path.string() << ": its numbers are of the type " << std::string(descr.substr(0, 40))
                         << ", which feature maps cannot have" << kWrite);
  FW_CHECK(value_of(header, "'fortran_order'", ',') == "False", Data,
           path.string() << ": the array is in Fortran's order; write numpy.ascontiguousarray(maps)");
  std::vector<std::size_t> shape = parse_shape(value_of(header, "'shape'", ')'));
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  FW_CHECK(shape.size() == 3 && std::ranges::count(shape, 0u) == 0 && shape[0] <= image::kMaxMaps &&
               shape[1] <= image::kMaxFrameSide && shape[2] <= image::kMaxFrameSide,
           Data,
           path.string() << ": the shape of the array is "
                         << std::string(value_of(header, "'shape'", ')').substr(0, 60))
                         << "); feature maps are [maps][rows][cols], 1 to " << image::kMaxMaps << " of them");
  const std::size_t count = shape[0] * shape[1] * shape[2], size = bytes.size() - begin;
  FW_CHECK(size == count * type->size_bytes, Data,
           path.string() << ": " << size << " bytes of numbers follow the header and " << count * type->size_bytes
                         << " are expected; the file is damaged, write it again");
  image::SuppliedMaps maps = {shape[0], shape[1], shape[2], std::vector<float>(count)};
  type->read(bytes.data() + begin, maps.values);
  return maps;
}

image::SuppliedMaps read_maps(const fs::path& path) { return decode_maps(path, read_file(path)); }

void write_maps(const fs::path& path, const image::SuppliedMaps& maps) {
  write_file_atomically(
      path,
      [&](std::ostream& out) {
        out << npy_header("<f4", {maps.num_maps, maps.rows, maps.cols});
        write_values(maps.values.data(), maps.values.size(), out);
      },
      Durability::kPowerFailure, NamedBy::kFernwood);
}

void write_npy(const fs::path& path, const Array2<std::uint16_t>& image) {
  write_file_atomically(
      path,
      [&](std::ostream& out) {
        out << npy_header("<u2", {image.rows(), image.cols()});
        write_values(image.data(), image.size(), out);
      },
      Durability::kPowerFailure, NamedBy::kFernwood);
}

void write_npy(const fs::path& path, std::span<const Array2<float>> planes) {
  FW_CHECK(!planes.empty(), Usage, path.string() << ": there are no planes to write; give at least one");
  const std::size_t rows = planes[0].rows(), cols = planes[0].cols(), depth = planes.size();
  for (const Array2<float>& plane : planes)
    FW_CHECK(plane.rows() == rows && plane.cols() == cols, Usage,
             path.string() << ": a plane is " << plane.rows() << " x " << plane.cols() << ", the first is " << rows
                           << " x " << cols << "; give planes of one size");
  write_file_atomically(path, [&](std::ostream& out) {
    out << npy_header("<f4", {rows, cols, depth});
    std::vector<float> row(cols * depth);
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t p = 0; p < depth; ++p)
        for (std::size_t x = 0; x < cols; ++x) row[x * depth + p] = planes[p](y, x);
      write_values(row.data(), row.size(), out);
    }
  });
}

}  // namespace fernwood::dataset
