// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/model_container.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/text.h"

namespace fernwood {

using nlohmann::json;

namespace {

constexpr int kMaxOptionsDepth = 32;                   // nesting of options and provenance
constexpr std::size_t kMaxFeatures = 1000;             // in the list "requires"
constexpr int kMaxHeaderDepth = kMaxOptionsDepth + 8;  // options are nested below the header's own levels

using ByteSpan = std::span<const std::uint8_t>;

ModelPrefix read_prefix(ByteSpan bytes, const std::string& maker, const ErrorContext& place) {
  FW_CHECK(!bytes.empty(), Model, place.file << " is empty" << place.remedy);
  const std::size_t num_magic = std::min(bytes.size(), kModelMagic.size());
  FW_CHECK(std::equal(kModelMagic.begin(), kModelMagic.begin() + num_magic, bytes.begin()), Model,
           place.file << " is not a fernwood model, which begins with " << kModelMagic << "; name a file that " << maker
                      << " wrote");
  FW_CHECK(bytes.size() >= sizeof(ModelPrefix), Model,
           place.file << " is truncated: it has " << bytes.size() << " bytes, at least " << sizeof(ModelPrefix)
                      << " were expected" << place.remedy);
  ModelPrefix prefix;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  FW_CHECK(prefix.version <= kModelVersion, Model,
           place.file << " was written by a newer fernwood (format " << prefix.version << "); this build reads format "
                      << kModelVersion << ": update fernwood");
  FW_CHECK(prefix.version == kModelVersion && prefix.reserved == 0, Model,
           place.file << ": format " << prefix.version << " with reserved bytes " << prefix.reserved
                      << " does not exist" << place.remedy);
  return prefix;
}

void write_bytes(std::ostream& out, const void* data, std::uint64_t size_bytes) {
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size_bytes));
}

void write_zeros(std::ostream& out, std::uint64_t size_bytes) {
  constexpr char kZeros[kArrayAlignment] = {};
  write_bytes(out, kZeros, size_bytes);
}

}  // namespace

json encode_array(const ModelArray& array) {
  return {{"name", array.name},     {"dtype", array.dtype},           {"shape", array.shape},
          {"offset", array.offset}, {"size_bytes", array.size_bytes}, {"xxh3", array.xxh3}};
}

void decode_array(const JsonField& field, ModelArray& expected) {
  field.at("name").must_be(expected.name);
  field.at("dtype").must_be(expected.dtype);
  field.at("shape").size(expected.shape.size(), expected.shape.size());
  for (std::size_t i = 0; i < expected.shape.size(); ++i) field.at("shape").at(i).must_be(expected.shape[i]);
  field.at("offset").must_be(expected.offset);
  field.at("size_bytes").must_be(expected.size_bytes);
  const JsonField xxh3 = field.at("xxh3");
  const bool is_hex = xxh3.text().find_first_not_of("0123456789abcdef") == std::string::npos;
  if (xxh3.text().size() != 16 || !is_hex) xxh3.fail("16 hexadecimal digits");
  expected.xxh3 = xxh3.text();
}

json canonical_object(const std::string& text, const std::string& what, const ErrorContext& place) {
  json value = parse_json(text, kMaxOptionsDepth, what, place);
  FW_CHECK(value.is_object(), Model, place.file << ": " << what << " must be a JSON object" << place.remedy);
  return value;
}

std::string encode_header(json header, const std::vector<std::string_view>& required, const ModelFormat& format,
                          const ErrorContext& place) {
  header["format"] = format.name;
  header["version"] = kModelVersion;
  if (!required.empty()) header["requires"] = required;
  return exact_json_text(header, place);
}

json parse_header(std::string_view text, const ErrorContext& place) {
  FW_CHECK(text.size() <= kMaxHeaderBytes, Model,
           place.file << ": the header has " << text.size() << " bytes, more than " << kMaxHeaderBytes << place.remedy);
  return parse_json(text, kMaxHeaderDepth, "the header", place);
}

void check_format(const JsonField& root, const ModelFormat& format, std::span<const std::string_view> understood,
                  const ErrorContext& place) {
  const JsonField name = root.at("format");
  // A file of another model format is not damaged: it is for other commands.
  for (const ModelFormat& other : kModelFormats)
    FW_CHECK(other.name == std::string_view(format.name) || name.text() != other.name, Model,
             place.file << " holds " << other.holds << ", which " << other.readers << " read; here give "
                        << format.holds << ", which " << format.maker << " writes");
  name.must_be(format.name);
  root.at("version").must_be(kModelVersion);
  if (!root.has("requires")) return;
  for (const std::string& feature : root.at("requires").texts(0, kMaxFeatures))
    FW_CHECK(std::ranges::find(understood, feature) != understood.end(), Model,
             place.file << " requires \"" << feature << "\", which this build does not know; update fernwood");
}

std::string_view header_text(ByteSpan bytes, const std::string& maker, const ErrorContext& place) {
  const ModelPrefix prefix = read_prefix(bytes, maker, place);
  const std::uint64_t available = bytes.size() - sizeof(ModelPrefix);
  FW_CHECK(prefix.header_bytes <= available, Model,
           place.file << " is truncated: it has " << bytes.size() << " bytes, a header of " << prefix.header_bytes
                      << " bytes and more were expected" << place.remedy);
  const ByteSpan header = bytes.subspan(sizeof(ModelPrefix), prefix.header_bytes);
  FW_CHECK(checksum(header.data(), header.size()) == prefix.header_checksum, Model,
           place.file << ": the header's checksum is " << to_hex(checksum(header.data(), header.size())) << ", not "
                      << to_hex(prefix.header_checksum) << place.remedy);
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

ArrayReader::ArrayReader(ByteSpan bytes, std::uint64_t header_bytes, std::uint64_t data_bytes,
                         const ErrorContext& place)
    : bytes_(bytes), start_(data_start(header_bytes)), end_(sizeof(ModelPrefix) + header_bytes), place_(place) {
  const std::uint64_t expected = data_bytes == 0 ? end_ : start_ + data_bytes;
  FW_CHECK(bytes.size() == expected, Model,
           place.file << (bytes.size() < expected ? " is truncated" : " is too long") << ": it has " << bytes.size()
                      << " bytes, " << expected << " were expected" << place.remedy);
}

ByteSpan ArrayReader::next(const ModelArray& array) {
  if (array.size_bytes == 0) return {};
  const std::uint64_t begin = start_ + array.offset;
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  FW_CHECK(std::ranges::all_of(bytes_.subspan(end_, begin - end_), is_zero), Model,
           place_.file << ": the bytes before array " << array.name << " are not 0" << place_.remedy);
  const ByteSpan data = bytes_.subspan(begin, array.size_bytes);
  const std::string found = to_hex(checksum(data.data(), data.size()));
  FW_CHECK(found == array.xxh3, Model,
           place_.file << ": the checksum of array " << array.name << " is " << found << ", not " << array.xxh3
                       << place_.remedy);
  end_ = begin + array.size_bytes;
  return data;
}

void ArrayReader::copy(const ModelArray& array, void* out) {
  const ByteSpan data = next(array);
  if (!data.empty()) std::memcpy(out, data.data(), data.size());  // data() may be null for an empty array
}

std::string model_format(const std::filesystem::path& path) {
  const ErrorContext place = loading(path.string());
  const std::vector<std::uint8_t> bytes = read_file(path);
  const nlohmann::json header = parse_header(header_text(bytes, kPixelModel.maker, place), place);
  return JsonField(header, "", place).at("format").text();
}

std::string model_checksum(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return to_hex(checksum(bytes.data(), bytes.size()));
}

void sign(ModelArray& array, const void* data) { array.xxh3 = to_hex(checksum(data, array.size_bytes)); }

void write_container(std::ostream& out, const std::string& header, const std::vector<ArraySource>& arrays) {
  ModelPrefix prefix{{}, kModelVersion, 0, header.size(), checksum(header.data(), header.size())};
  kModelMagic.copy(prefix.magic, sizeof(prefix.magic));
  write_bytes(out, &prefix, sizeof(prefix));
  write_bytes(out, header.data(), header.size());
  std::uint64_t written = sizeof(prefix) + header.size();
  for (const ArraySource& source : arrays) {
    if (source.array->size_bytes == 0) continue;
    write_zeros(out, data_start(header.size()) + source.array->offset - written);
    write_bytes(out, source.data, source.array->size_bytes);
    written = data_start(header.size()) + source.array->end();
  }
}

namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> first_bytes(const fs::path& path) {
  constexpr std::uintmax_t kMaxBytes = sizeof(ModelPrefix) + kMaxHeaderBytes;
  InputFile file(path);
  std::vector<std::uint8_t> bytes(std::min(fs::file_size(path), kMaxBytes));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

void check_replaced_checkpoint(const fs::path& path, const ModelFormat& format, const std::string& of,
                               const std::function<bool(const JsonField& header)>& is_checkpoint) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown) || fs::is_empty(path, unknown)) return;
  const std::vector<std::uint8_t> bytes = first_bytes(path);
  bool can_replace = false;
  try {
    const ErrorContext place = loading_checkpoint(path.string());
    const nlohmann::json json = parse_header(header_text(bytes, format.maker, place), place);
    const JsonField header(json, "", place);
    can_replace = header.at("format").text() == format.name && is_checkpoint(header);
  } catch (const Error&) {  // damaged, or not a model file
  }
  FW_CHECK(can_replace, Usage,
           path.string() << " exists and is not a checkpoint of " << of
                         << ", which would replace it; move it away, or choose another file");
}

}  // namespace fernwood
