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
#include <type_traits>
#include <vector>

#include "core/half.h"
#include "core/saturated.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as a little-endian memory has them");

/// Header of a file: magic, version, length of the text, and the text, padded to a multiple of 64 bytes.
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

constexpr std::string_view kMagic = "\x93NUMPY";

template <typename To>
using Convert = void(const std::uint8_t* from, std::size_t count, To* to);

template <typename Number, typename To>
void convert(const std::uint8_t* from, std::size_t count, To* to) {
  for (std::size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, from + i * sizeof(number), sizeof(number));
    to[i] = static_cast<To>(number);
  }
}
template <typename To>
void convert_halves(const std::uint8_t* from, std::size_t count, To* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, from + i * sizeof(bits), sizeof(bits));
    to[i] = static_cast<To>(from_half(bits));
  }
}

struct NumberType {
  std::string_view descr;  ///< As written in the header.
  std::size_t size_bytes;
  bool is_float;
  Convert<float>* to_floats;
  Convert<double>* to_doubles;  ///< Exact except for whole numbers beyond 2^53.
};
template <typename Number>
constexpr NumberType number_type(std::string_view descr) {
  return {descr, sizeof(Number), std::is_floating_point_v<Number>, convert<Number, float>, convert<Number, double>};
}
constexpr NumberType kNumberTypes[] = {{"<f2", 2, true, convert_halves<float>, convert_halves<double>},
                                       number_type<float>("<f4"),
                                       number_type<double>("<f8"),
                                       number_type<std::uint8_t>("|u1"),
                                       number_type<std::int8_t>("|i1"),
                                       number_type<std::uint16_t>("<u2"),
                                       number_type<std::int16_t>("<i2"),
                                       number_type<std::uint32_t>("<u4"),
                                       number_type<std::int32_t>("<i4"),
                                       number_type<std::uint64_t>("<u8"),
                                       number_type<std::int64_t>("<i8"),
                                       number_type<std::uint8_t>("|b1")};

/// The text between a key of the header and `end`, without spaces; empty if the key is missing.
std::string_view value_of(std::string_view header, std::string_view key, char end) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  const std::size_t first = rest.find_first_not_of(" :");
  if (first == std::string_view::npos) return {};
  rest = rest.substr(first);
  return rest.substr(0, rest.find(end));
}

/// Parses the sizes in "(384, 30, 40"; empty for another text.
std::vector<std::size_t> parse_shape(std::string_view text) {
  if (!text.starts_with('(')) return {};
  std::vector<std::size_t> shape;
  for (std::size_t at = 1; at < text.size();) {
    std::size_t size = 0;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (failure != std::errc()) return {};
    shape.push_back(size);
    at = static_cast<std::size_t>(end - text.data());
    while (at < text.size() && (text[at] == ',' || text[at] == ' ')) ++at;
  }
  return shape;
}

/// The text of the header; sets `at` to the offset of the first number.
std::string_view header_of(const fs::path& path, std::string_view file, std::size_t* at) {
  const auto byte = [&](std::size_t i) {
    return i < file.size() ? static_cast<std::uint8_t>(file[i]) : std::size_t{0};
  };
  const bool is_long = byte(6) >= 2;  // version 1 has 2 bytes for the length, later ones 4
  const std::size_t begin = is_long ? 12 : 10;
  const std::size_t size = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  *at = begin + size;
  FW_CHECK(*at <= file.size(), Data, path.string() << ": the file is cut off within its header; write it again");
  return file.substr(begin, size);
}

struct ArrayUse {
  const char* noun;        ///< "feature maps"
  const char* shape_rule;  ///< "[maps][rows][cols]"
  const char* example;     ///< How to write such a file.
};
constexpr ArrayUse kMapsUse = {"feature maps", "[maps][rows][cols]", "numpy.save(path, numpy.float32(maps))"};
constexpr ArrayUse kDepthUse = {"depth", "[rows][cols]", "numpy.save(path, numpy.float32(metres))"};
constexpr ArrayUse kLabelsUse = {"labels", "[rows][cols]", "numpy.save(path, numpy.uint8(labels))"};

struct ArrayView {
  const NumberType* type = nullptr;
  std::vector<std::size_t> shape = {};
  std::string shape_text = {};
  const std::uint8_t* numbers = nullptr;

  Array2<double> values() const {
    Array2<double> image(shape[0], shape[1]);
    type->to_doubles(numbers, image.size(), image.data());
    return image;
  }
};

/// A file in C order; check_complete() is to be called once the shape has been checked. @throws Error(kData) naming
/// file and remedy.
ArrayView view_of(const fs::path& path, std::span<const std::uint8_t> bytes, const ArrayUse& use) {
  std::size_t begin = 0;
  const std::string remedy = std::string("; write it with ") + use.example;
  const std::string_view file{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  FW_CHECK(file.starts_with(kMagic), Data, path.string() << " is not an array of NumPy" << remedy);
  const std::string_view header = header_of(path, file, &begin);
  const std::string_view descr = value_of(header, "'descr'", ',');
  const auto is_type = [&](const NumberType& type) {
    return descr.size() == type.descr.size() + 2 && descr.substr(1, type.descr.size()) == type.descr;
  };
  const auto type = std::ranges::find_if(kNumberTypes, is_type);
  FW_CHECK(type != std::end(kNumberTypes), Data,
           path.string() << ": its numbers are of the type " << std::string(descr.substr(0, 40)) << ", which "
                         << use.noun << " cannot have" << remedy);
  FW_CHECK(value_of(header, "'fortran_order'", ',') == "False", Data,
           path.string() << ": the array is in Fortran's order; write numpy.ascontiguousarray(array)");
  const std::string_view shape_text = value_of(header, "'shape'", ')');
  const ArrayView view = {type, parse_shape(shape_text), std::string(shape_text.substr(0, 60)) + ")",
                          bytes.data() + begin};
  return view;
}

/// @throws Error(kData) unless the number of elements agrees with the shape.
void check_complete(const fs::path& path, std::span<const std::uint8_t> bytes, const ArrayView& view) {
  std::size_t count = view.type->size_bytes;
  for (const std::size_t size : view.shape) count = saturated_product(count, size);
  const std::size_t size = static_cast<std::size_t>(bytes.data() + bytes.size() - view.numbers);
  FW_CHECK(size == count, Data,
           path.string() << ": " << size << " bytes of numbers follow the header and " << count
                         << " are expected; the file is damaged, write it again");
}

/// As view_of(), for an image, and checks completeness. @throws Error(kData) also for invalid numbers of rows or
/// columns.
ArrayView image_view_of(const fs::path& path, std::span<const std::uint8_t> bytes, const ArrayUse& use) {
  const ArrayView view = view_of(path, bytes, use);
  FW_CHECK(view.shape.size() == 2, Data,
           path.string() << ": the shape of the array is " << view.shape_text << "; " << use.noun << " is "
                         << use.shape_rule << ": write numpy.squeeze(array), or the plane that is meant");
  check_size(path, {.width = view.shape[1], .height = view.shape[0]});
  check_complete(path, bytes, view);
  return view;
}

}  // namespace

image::SuppliedMaps decode_maps(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const ArrayView view = view_of(path, bytes, kMapsUse);
  std::vector<std::size_t> shape = view.shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  FW_CHECK(shape.size() == 3 && std::ranges::count(shape, 0u) == 0 && shape[0] <= image::kMaxMaps &&
               shape[1] <= image::kMaxFrameSide && shape[2] <= image::kMaxFrameSide,
           Data,
           path.string() << ": the shape of the array is " << view.shape_text
                         << "; feature maps are [maps][rows][cols], 1 to " << image::kMaxMaps << " of them");
  check_complete(path, bytes, view);
  image::SuppliedMaps maps = {shape[0], shape[1], shape[2], std::vector<float>(shape[0] * shape[1] * shape[2])};
  view.type->to_floats(view.numbers, maps.values.size(), maps.values.data());
  return maps;
}

bool is_array(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const std::string_view file{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return path.extension() == ".npy" && file.starts_with(kMagic);
}

bool is_float_array(const fs::path& path, std::span<const std::uint8_t> bytes) {
  return view_of(path, bytes, kDepthUse).type->is_float;
}

ImageHeader array_header(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const ArrayView view = image_view_of(path, bytes, kDepthUse);
  ImageHeader header;
  header.width = view.shape[1];
  header.height = view.shape[0];
  header.bits = static_cast<int>(8 * view.type->size_bytes);
  header.num_channels = 1;
  header.format = kArrayFormat;
  header.numbers = view.type->is_float ? NumberKind::kFloat : NumberKind::kUnsigned;
  return header;
}

Array2<std::uint16_t> decode_depth_array(const fs::path& path, std::span<const std::uint8_t> bytes,
                                         double float_scale_to_mm) {
  const ArrayView view = image_view_of(path, bytes, kDepthUse);
  const Array2<double> values = view.values();
  Array2<std::uint16_t> depth(values.rows(), values.cols());
  std::ranges::transform(values, depth.begin(), [&](double value) {
    if (view.type->is_float) return image::round_depth_mm(value * float_scale_to_mm);
    return value >= 0 && value <= 65535 ? static_cast<std::uint16_t>(value) : std::uint16_t{0};
  });
  return depth;
}

Array2<std::uint16_t> decode_label_array(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const ArrayView view = image_view_of(path, bytes, kLabelsUse);
  FW_CHECK(!view.type->is_float, Data,
           path.string() << ": its numbers are of the type " << std::string(view.type->descr)
                         << ", labels are integers; write " << kLabelsUse.example);
  const Array2<double> values = view.values();
  Array2<std::uint16_t> labels(values.rows(), values.cols());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double value = values.data()[i];
    FW_CHECK(value >= -1 || view.type->size_bytes > 1, Data,
             path.string() << ": pixel (" << i % labels.cols() << ", " << i / labels.cols() << ") has the number "
                           << format_text("%.0f", value)
                           << ", as int8 holds numbers above 127; write numpy.uint8(labels), with 255 for void");
    FW_CHECK(value <= kNegativeIndex, Data,
             path.string() << ": pixel (" << i % labels.cols() << ", " << i / labels.cols() << ") has the number "
                           << format_text("%.0f", value) << "; labels are up to 65535: renumber them");
    labels.data()[i] = value < 0 ? kNegativeIndex : static_cast<std::uint16_t>(value);
  }
  return labels;
}

image::SuppliedMaps read_maps(const fs::path& path) { return decode_maps(path, read_file(path)); }

void write_maps(const fs::path& path, const image::SuppliedMaps& maps) {
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& out) {
    out << npy_header("<f4", {maps.num_maps, maps.rows, maps.cols});
    write_values(maps.values.data(), maps.values.size(), out);
  });
}

void write_npy(const fs::path& path, const Array2<std::uint16_t>& image) {
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& out) {
    out << npy_header("<u2", {image.rows(), image.cols()});
    write_values(image.data(), image.size(), out);
  });
}

void write_npy(const fs::path& path, std::span<const Array2<float>> planes) {
  FW_CHECK(!planes.empty(), Usage, path.string() << ": there are no planes to write; pass at least one");
  const std::size_t rows = planes[0].rows(), cols = planes[0].cols(), depth = planes.size();
  for (const Array2<float>& plane : planes)
    FW_CHECK(plane.rows() == rows && plane.cols() == cols, Usage,
             path.string() << ": a plane is " << plane.rows() << " x " << plane.cols() << ", the first is " << rows
                           << " x " << cols << "; pass planes of one size");
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& out) {
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
