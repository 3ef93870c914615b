// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

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
