// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/model_container.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

void write_bytes(std::ostream& out, const void* data, std::uint64_t size_bytes) {
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size_bytes));
}

void write_zeros(std::ostream& out, std::uint64_t size_bytes) {
  constexpr char kZeros[kArrayAlignment] = {};
  write_bytes(out, kZeros, size_bytes);
}

}  // namespace

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

}  // namespace fernwood
