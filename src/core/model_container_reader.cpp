// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstring>

#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

using ByteSpan = std::span<const std::uint8_t>;

ModelPrefix read_prefix(ByteSpan bytes, const std::string& maker, const ModelPlace& place) {
  FW_CHECK(!bytes.empty(), Model, place.file << ": is empty" << place.remedy);
  const std::size_t num_magic = std::min(bytes.size(), kModelMagic.size());
  FW_CHECK(std::equal(kModelMagic.begin(), kModelMagic.begin() + num_magic, bytes.begin()), Model,
           place.file << ": is not a fernwood model, which begins with " << kModelMagic << "; name a file that "
                      << maker << " wrote");
  FW_CHECK(bytes.size() >= sizeof(ModelPrefix), Model,
           place.file << ": is truncated: has " << bytes.size() << " bytes, at least " << sizeof(ModelPrefix)
                      << " were expected" << place.remedy);
  ModelPrefix prefix;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  FW_CHECK(prefix.version <= kModelVersion, Model,
           place.file << ": was written by a newer fernwood (format " << prefix.version << "); this build reads format "
                      << kModelVersion << ": update fernwood");
  FW_CHECK(prefix.version == kModelVersion && prefix.reserved == 0, Model,
           place.file << ": format " << prefix.version << " with reserved bytes " << prefix.reserved
                      << " does not exist" << place.remedy);
  return prefix;
}

}  // namespace

std::string_view header_text(ByteSpan bytes, const std::string& maker, const ModelPlace& place) {
  const ModelPrefix prefix = read_prefix(bytes, maker, place);
  const std::uint64_t available = bytes.size() - sizeof(ModelPrefix);
  FW_CHECK(prefix.header_bytes <= available, Model,
           place.file << ": is truncated: has " << bytes.size() << " bytes, a header of " << prefix.header_bytes
                      << " bytes and more were expected" << place.remedy);
  const ByteSpan header = bytes.subspan(sizeof(ModelPrefix), prefix.header_bytes);
  FW_CHECK(checksum(header.data(), header.size()) == prefix.header_checksum, Model,
           place.file << ": the header's checksum is " << to_hex(checksum(header.data(), header.size())) << ", not "
                      << to_hex(prefix.header_checksum) << place.remedy);
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

ArrayReader::ArrayReader(ByteSpan bytes, std::uint64_t header_bytes, std::uint64_t data_bytes, const ModelPlace& place)
    : bytes_(bytes), start_(data_start(header_bytes)), end_(sizeof(ModelPrefix) + header_bytes), place_(place) {
  const std::uint64_t expected = data_bytes == 0 ? end_ : start_ + data_bytes;
  FW_CHECK(bytes.size() == expected, Model,
           place.file << ": " << (bytes.size() < expected ? "is truncated" : "is too long") << ": has " << bytes.size()
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
  std::memcpy(out, data.data(), data.size());
}

std::string model_format(const std::filesystem::path& path) {
  const ModelPlace place = loading(path.string());
  const std::vector<std::uint8_t> bytes = read_file(path);
  const nlohmann::json header = parse_header(header_text(bytes, kPixelModel.maker, place), place);
  return JsonField(header, "", place).at("format").text();
}

std::string model_checksum(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return to_hex(checksum(bytes.data(), bytes.size()));
}

}  // namespace fernwood
