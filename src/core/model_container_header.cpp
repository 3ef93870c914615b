// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/model_container.h"
#include "fernwood/core/error.h"

namespace fernwood {

using nlohmann::json;

namespace {

constexpr int kMaxOptionsDepth = 32;                   // nesting of options and provenance
constexpr int kMaxHeaderDepth = kMaxOptionsDepth + 8;  // they lie below the header's own levels

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

json canonical_object(const std::string& text, const std::string& what, const ModelPlace& place) {
  json value = parse_json(text, kMaxOptionsDepth, what, place);
  FW_CHECK(value.is_object(), Model, place.file << ": " << what << " must be a JSON object" << place.remedy);
  return value;
}

std::string encode_header(json header, const ModelFormat& format, const ModelPlace& place) {
  header["format"] = format.name;
  header["version"] = kModelVersion;
  try {
    return header.dump();
  } catch (const json::exception&) {
    FW_CHECK(false, Model, place.file << ": a name is not UTF-8" << place.remedy);
  }
  return {};
}

json parse_header(std::string_view text, const ModelPlace& place) {
  FW_CHECK(text.size() <= kMaxHeaderBytes, Model,
           place.file << ": the header has " << text.size() << " bytes, more than " << kMaxHeaderBytes << place.remedy);
  return parse_json(text, kMaxHeaderDepth, "the header", place);
}

void check_format(const JsonField& root, const ModelFormat& format, const ModelPlace& place) {
  const JsonField name = root.at("format");
  // A file of another kind is no damaged one: it is for other commands.
  for (const ModelFormat& other : kModelFormats)
    FW_CHECK(other.name == std::string_view(format.name) || name.text() != other.name, Model,
             place.file << ": holds " << other.holds << ", which " << other.readers << " read; here give "
                        << format.holds << ", which " << format.maker << " writes");
  name.must_be(format.name);
  root.at("version").must_be(kModelVersion);
}

}  // namespace fernwood
