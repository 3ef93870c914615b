// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/annotations.h"

#include <cmath>

#include "core/base64.h"
#include "core/json_field.h"
#include "core/json_text.h"
#include "dataset/files/user_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::formats {

using nlohmann::json;

namespace {

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x80) utf8.push_back(static_cast<char>(0xc0 | code >> 6));
    utf8.push_back(static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3f) : code));
  }
  return utf8;
}

}  // namespace

json read_json(const std::filesystem::path& path, OtherEncoding other) {
  constexpr int kMaxDepth = 64;
  std::string text = dataset::read_user_text(path);
  if (other == OtherEncoding::kLatin1 && !is_utf8(text)) text = utf8_of_latin1(text);
  return parse_json(text, kMaxDepth, "the file",
                    {path.string(), "; export it again from the program that wrote it", "file", ErrorKind::kData});
}

const json& member(const json& object, const char* key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string text_at(const json& object, const char* key) {
  const json& value = member(object, key);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? json_text(value) : "";
}

std::size_t size_at(const json& object, const char* key, std::size_t missing) {
  const std::optional<double> number = number_of(member(object, key));
  return number && *number >= 0 && *number <= 2147483648.0 ? static_cast<std::size_t>(*number) : missing;
}

std::optional<double> number_of(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  constexpr double kMost = 1e9;  // limit of a coordinate, far beyond any image
  return std::isfinite(number) && std::abs(number) <= kMost ? std::optional(number) : std::nullopt;
}

std::vector<double> numbers_of(const json& list) {
  std::vector<double> numbers;
  if (list.is_array())
    for (const json& value : list) numbers.push_back(number_of(value).value_or(NAN));
  return numbers;
}

Polygon polygon_of(const json& value, const std::string& what) {
  const auto failure = [&] {
    return Error(
        ErrorKind::kData,
        what + ": a polygon is not a list of coordinates, [x, y, x, y, ...] or [[x, y], ...]; export it again");
  };
  if (!value.is_array()) throw failure();
  std::vector<double> numbers;
  for (const json& item : value) {
    const bool is_pair = item.is_array() && item.size() == 2;
    for (std::size_t i = 0; i < (is_pair ? 2u : 1u); ++i) {
      const auto number = number_of(is_pair ? item[i] : item);
      if (!number) throw failure();
      numbers.push_back(*number);
    }
  }
  if (numbers.size() % 2 != 0) throw failure();
  Polygon polygon(numbers.size() / 2);
  for (std::size_t i = 0; i < polygon.size(); ++i) polygon[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return polygon;
}

std::string from_base64(std::string_view text, const std::string& what) {
  constexpr std::string_view kMark = ";base64,";
  if (const std::size_t at = text.substr(0, 64).find(kMark); at != std::string_view::npos)
    text.remove_prefix(at + kMark.size());
  const auto bytes = parse_base64(text);
  FW_CHECK(bytes, Data, what << ": a string is not base64, by which images are written into JSON; export it again");
  return {bytes->begin(), bytes->end()};
}

}  // namespace fernwood::formats
