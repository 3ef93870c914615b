// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The container common to all model files: magic and version, a JSON header, and arrays after it. See
// docs/reference/model_file.md.

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::uint32_t reserved;  ///< Always 0.
  std::uint64_t header_bytes;
  std::uint64_t header_checksum;  ///< XXH3 of the bytes of the header.
};
static_assert(sizeof(ModelPrefix) == 32);

/// An array after the header.
struct ModelArray {
  std::string name;
  std::string dtype;  ///< Type of an element, such as "node" or "uint32".
  std::vector<std::uint64_t> shape;
  std::uint64_t offset;  ///< From the start of the data, in bytes.
  std::uint64_t size_bytes;
  std::string xxh3;  ///< Checksum, 16 hexadecimal digits.

  std::uint64_t end() const { return offset + size_bytes; }
};

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}
/// Offset of the arrays in a file with a header of `header_bytes` bytes.
constexpr std::uint64_t data_start(std::uint64_t header_bytes) { return aligned(sizeof(ModelPrefix) + header_bytes); }

/// The entry of an array in the header's list.
nlohmann::json encode_array(const ModelArray& array);
/// Reads the checksum of an array; its other fields are expected. @throws Error(kModel) when the header differs.
void decode_array(const JsonField& field, ModelArray& expected);

/// Parses a JSON object. @param what  Name for messages: "options_json". @throws Error(kModel).
nlohmann::json canonical_object(const std::string& text, const std::string& what, const ErrorContext& place);
/// The canonical text of a header: sorted keys, no white space, so that equal forests give equal bytes; "format" and
/// "version" are added, and "requires" where `required` is not empty.
/// @param required  Names of the features that a reader must support to give the same predictions.
/// @throws Error(kModel) for strings that are not UTF-8.
std::string encode_header(nlohmann::json header, const std::vector<std::string_view>& required,
                          const ModelFormat& format, const ErrorContext& place);
/// Parses a header of any format. @throws Error(kModel) when it is too long or not JSON.
nlohmann::json parse_header(std::string_view text, const ErrorContext& place);
/// @param understood  Supported entries of the list "requires".
/// @throws Error(kModel) when a header is of another format, or requires something else.
void check_format(const JsonField& root, const ModelFormat& format, std::span<const std::string_view> understood,
                  const ErrorContext& place);

/// The header in the bytes of a model file, after its checksum was verified. @param maker  Command to name in the error
/// when the file is not a model. @throws Error(kModel).
std::string_view header_text(std::span<const std::uint8_t> bytes, const std::string& maker, const ErrorContext& place);

/// Returns the arrays of a file in their order; also checks the padding between them.
class ArrayReader {
 public:
  /// @param bytes  The whole file. @param data_bytes  End of its last array. @throws Error(kModel) unless the file ends
  /// there too, so that a forged header cannot make its reader allocate more memory.
  ArrayReader(std::span<const std::uint8_t> bytes, std::uint64_t header_bytes, std::uint64_t data_bytes,
              const ErrorContext& place);

  /// Bytes of the next array. @throws Error(kModel) when their checksum differs.
  std::span<const std::uint8_t> next(const ModelArray& array);
  /// @param out  Buffer of array.size_bytes bytes.
  void copy(const ModelArray& array, void* out);

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t start_, end_;
  const ErrorContext& place_;
};

/// Stores the checksum of an array's bytes in `array`.
void sign(ModelArray& array, const void* data);

/// An array and its bytes.
struct ArraySource {
  const ModelArray* array;
  const void* data;
};
/// Writes a model file. @param arrays  In the order of their offsets.
void write_container(std::ostream& out, const std::string& header, const std::vector<ArraySource>& arrays);

/// For a run that does not resume, and writes its checkpoint over the file of that name. Reads only the file's header.
/// @param of  For the message: "a training". @param is_checkpoint  Asked of the header of a file of that format.
/// @throws Error(kUsage) if the file holds something else, or is damaged; an empty file can be replaced.
void check_replaced_checkpoint(const std::filesystem::path& path, const ModelFormat& format, const std::string& of,
                               const std::function<bool(const JsonField& header)>& is_checkpoint);

}  // namespace fernwood
