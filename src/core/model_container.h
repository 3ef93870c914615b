// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What all model files have in common: magic and version, a JSON header, arrays behind it. See
// docs/reference/model_file.md.

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_field.h"
#include "fernwood/core/model_format.h"

namespace fernwood {

static_assert(std::endian::native == std::endian::little, "model files hold arrays as a little-endian memory has them");

inline constexpr std::string_view kModelMagic = "FERNWOOD";
inline constexpr std::uint32_t kModelVersion = 1;
inline constexpr std::uint64_t kArrayAlignment = 64;
inline constexpr std::uint64_t kMaxHeaderBytes = 16u << 20;
inline constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 62;

/// The first 32 bytes of a model file; the JSON header follows.
struct ModelPrefix {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;  ///< 0.
  std::uint64_t header_bytes;
  std::uint64_t header_checksum;  ///< XXH3 of the header's bytes.
};
static_assert(sizeof(ModelPrefix) == 32);

/// One array behind the header.
struct ModelArray {
  std::string name;
  std::string dtype;  ///< What an element is, such as "node" or "uint32".
  std::vector<std::uint64_t> shape;
  std::uint64_t offset;  ///< From the start of the data.
  std::uint64_t size_bytes;
  std::string xxh3;  ///< Checksum, 16 hexadecimal digits.

  std::uint64_t end() const { return offset + size_bytes; }
};

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}
/// Where the arrays begin in a file whose header has so many bytes.
constexpr std::uint64_t data_start(std::uint64_t header_bytes) { return aligned(sizeof(ModelPrefix) + header_bytes); }

/// What the header's list of arrays says of one.
nlohmann::json encode_array(const ModelArray& array);
/// Reads the checksum of an array of which all else is known. @throws Error(kModel) when the header says otherwise.
void decode_array(const JsonField& field, ModelArray& expected);

/// An object from a text of JSON. @param what  For messages: "options_json". @throws Error(kModel).
nlohmann::json canonical_object(const std::string& text, const std::string& what, const ErrorContext& place);
/// The canonical text of a header: sorted keys, no white space, so that equal forests give equal bytes; with "format"
/// and "version" added, and "requires" where there is anything in it.
/// @param required  Names of what a reader must understand to give the same answers.
/// @throws Error(kModel) for texts that are not UTF-8.
std::string encode_header(nlohmann::json header, const std::vector<std::string_view>& required,
                          const ModelFormat& format, const ErrorContext& place);
/// Reads a header of whatever format. @throws Error(kModel) when it is too long or not JSON.
nlohmann::json parse_header(std::string_view text, const ErrorContext& place);
/// @param understood  What may stand in its list "requires".
/// @throws Error(kModel) when a header is of another format, or requires something else.
void check_format(const JsonField& root, const ModelFormat& format, std::span<const std::string_view> understood,
                  const ErrorContext& place);

/// The header in the bytes of a model file, its checksum being right. @param maker  Command to name when the file is no
/// model. @throws Error(kModel).
std::string_view header_text(std::span<const std::uint8_t> bytes, const std::string& maker, const ErrorContext& place);

/// Gives the arrays of a file, in their order, checking what lies between them too.
class ArrayReader {
 public:
  /// @param bytes  The whole file. @param data_bytes  Where its last array ends. @throws Error(kModel) unless the file
  /// ends there too, so that no lie of a header can make its reader take more memory.
  ArrayReader(std::span<const std::uint8_t> bytes, std::uint64_t header_bytes, std::uint64_t data_bytes,
              const ErrorContext& place);

  /// Bytes of the next array. @throws Error(kModel) when their checksum is another.
  std::span<const std::uint8_t> next(const ModelArray& array);
  /// @param out  Room for array.size_bytes.
  void copy(const ModelArray& array, void* out);

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t start_, end_;
  const ErrorContext& place_;
};

/// Notes the checksum of an array's bytes.
void sign(ModelArray& array, const void* data);

/// An array and its bytes.
struct ArraySource {
  const ModelArray* array;
  const void* data;
};
/// The bytes of a model file. @param arrays  In the order of their offsets.
void write_container(std::ostream& out, const std::string& header, const std::vector<ArraySource>& arrays);

}  // namespace fernwood
