// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood {

/// Beginning and end of messages about a model or another JSON file: FW_CHECK(..., place.file << ": ..." <<
/// place.remedy).
struct ErrorContext {
  std::string file;
  OptionSentence remedy;
  std::string document = "header";     ///< Name of the JSON document in messages: "the header", "header field classes".
  ErrorKind kind = ErrorKind::kModel;  ///< Kind of the errors thrown.
};
inline ErrorContext loading(const std::string& file) {
  return {file, "; the file is damaged: copy it again or train it again"};
}
inline ErrorContext loading_checkpoint(const std::string& file) {
  return {file, "; the checkpoint is damaged: remove it, and train without " + named_option("resume")};
}
inline ErrorContext saving(const std::string& file) {
  return {file, "; nothing was written: correct the forest before saving it"};
}

/// Parses JSON from an untrusted source. @param what  Name for messages: "the header". @throws Error(place.kind) when
/// it is not JSON, or nested deeper than `max_depth`, since writing and freeing it recurse.
nlohmann::json parse_json(std::string_view text, int max_depth, const std::string& what, const ErrorContext& place);

/// A value of a JSON document with its name, read strictly: each getter throws an Error of the place's kind that names
/// the field, the expected value and the actual value.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string name, const ErrorContext& place)
      : value_(&value), name_(std::move(name)), place_(&place) {}

  JsonField at(const char* key) const;                       ///< A member of an object.
  bool has(const char* key) const;                           ///< Whether this is an object with that member.
  JsonField at(std::size_t index) const;                     ///< An element of an array.
  std::size_t size(std::size_t min, std::size_t max) const;  ///< Size of an array, which must be in [min, max].
  bool is_null() const { return value_->is_null(); }
  bool is_array() const { return value_->is_array(); }
  std::uint64_t whole(std::uint64_t min, std::uint64_t max) const;
  std::int32_t integer() const;
  double number() const;
  std::vector<std::int32_t> integers(std::size_t min, std::size_t max) const;  ///< Array of min to max elements.
  std::vector<double> numbers(std::size_t min, std::size_t max) const;         ///< Array of min to max elements.
  std::vector<bool> flags(std::size_t count) const;                            ///< `count` elements, also 1 and 0.
  std::vector<std::string> texts(std::size_t min, std::size_t max) const;      ///< Array of min to max elements.
  bool flag() const;
  const std::string& text() const;
  std::string text_or_number() const;  ///< A string, or a number as JSON writes it.
  std::string object() const;          ///< Canonical text of an object.
  void must_be(std::uint64_t expected) const { whole(expected, expected); }
  void must_be(const std::string& expected) const;
  [[noreturn]] void fail(const std::string& rule) const { fail(rule, place_->remedy); }
  /// Throws "file: header field must be <rule>, not <value><remedy>".
  [[noreturn]] void fail(const std::string& rule, const OptionSentence& remedy) const;

 private:
  std::string label() const;

  const nlohmann::json* value_;
  std::string name_;
  const ErrorContext* place_;
};

/// The difference between two JSON objects: " depth was 3, is 4; seed was absent, is 7;". Empty when they are equal.
std::string json_difference(const std::string& was, const std::string& is);

}  // namespace fernwood
