// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_field.h"

#include <algorithm>

#include "core/json_text.h"
#include "fernwood/core/error.h"

namespace fernwood {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxShown = 40;

/// A value for a message: short and without control characters, whatever its origin.
std::string shown(const json& value) {
  if (value.is_structured()) return std::string(value.is_array() ? "an array" : "an object");
  std::string text = ascii_json_text(value);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

/// Nesting depth of arrays and objects in a JSON text; exact for valid JSON.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

[[noreturn]] void fail_at(const ErrorContext& place, const std::string& what) {
  throw Error(place.kind, place.file + ": " + what + place.remedy);
}

}  // namespace

json parse_json(std::string_view text, int max_depth, const std::string& what, const ErrorContext& place) {
  if (nesting(text) > max_depth)
    fail_at(place, what + " is nested deeper than " + std::to_string(max_depth) + " levels");
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    fail_at(place, what + " is not JSON at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    fail_at(place, what + " holds a number that is out of range");
  }
}

void JsonField::fail(const std::string& rule, const OptionSentence& remedy) const {
  throw Error(place_->kind, place_->file + ": " + label() + " must be " + rule + ", not " + shown(*value_) + remedy);
}

std::string JsonField::label() const {
  return name_.empty() ? "the " + place_->document : place_->document + " field " + name_;
}

JsonField JsonField::at(const char* key) const {
  if (!value_->is_object()) fail("an object");
  const auto member = value_->find(key);
  const std::string name = name_.empty() ? std::string(key) : name_ + "." + key;
  if (member == value_->end()) fail_at(*place_, place_->document + " field " + name + " is missing");
  return {*member, name, *place_};
}

bool JsonField::has(const char* key) const { return value_->is_object() && value_->contains(key); }

JsonField JsonField::at(std::size_t index) const {
  return {value_->at(index), name_ + "[" + std::to_string(index) + "]", *place_};
}

std::size_t JsonField::size(std::size_t min, std::size_t max) const {
  const std::string count = min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
  if (!value_->is_array()) fail("an array of " + count + " elements");
  if (value_->size() < min || value_->size() > max)
    fail_at(*place_, label() + " must have " + count + " elements, not " + std::to_string(value_->size()));
  return value_->size();
}

std::uint64_t JsonField::whole(std::uint64_t min, std::uint64_t max) const {
  const std::uint64_t number = value_->is_number_unsigned() ? value_->get<std::uint64_t>() : 0;
  if (!value_->is_number_unsigned() || number < min || number > max)
    fail(min == max ? std::to_string(min) : "an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return number;
}

std::int32_t JsonField::integer() const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= INT32_MAX) &&
                    value_->get<std::int64_t>() >= INT32_MIN;
  if (!fits) fail("an integer of 32 bits");
  return value_->get<std::int32_t>();
}

double JsonField::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

std::vector<std::int32_t> JsonField::integers(std::size_t min, std::size_t max) const {
  std::vector<std::int32_t> integers(size(min, max));
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const json& element = (*value_)[i];
    const bool is_small = element.is_number_unsigned() && element.get<std::uint64_t>() <= INT32_MAX;
    integers[i] = is_small ? element.get<std::int32_t>() : at(i).integer();  // the full name is built only for an error
  }
  return integers;
}

std::vector<double> JsonField::numbers(std::size_t min, std::size_t max) const {
  std::vector<double> numbers(size(min, max));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const json& element = (*value_)[i];
    numbers[i] = element.is_number() ? element.get<double>() : at(i).number();
  }
  return numbers;
}

bool JsonField::flag() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

std::string JsonField::text_or_number() const {
  if (value_->is_number()) return json_text(*value_);
  if (value_->is_boolean()) return value_->get<bool>() ? "True" : "False";  // as Python
  if (!value_->is_string()) fail("a string or a number");
  return text();
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get_ref<const std::string&>();
}

std::string JsonField::object() const {
  if (!value_->is_object()) fail("an object");
  return json_text(*value_);
}

std::vector<bool> JsonField::flags(std::size_t count) const {
  std::vector<bool> flags(size(count, count));
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const json& element = (*value_)[i];
    flags[i] = element == 1 || element == true;
    if (!flags[i] && element != 0 && element != false) at(i).fail("true, false, 1 or 0");
  }
  return flags;
}

std::vector<std::string> JsonField::texts(std::size_t min, std::size_t max) const {
  std::vector<std::string> texts(size(min, max));
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = at(i).text();
  return texts;
}

void JsonField::must_be(const std::string& expected) const {
  if (text() != expected) fail('"' + expected + '"');
}

std::string json_difference(const std::string& was, const std::string& is) {
  const json before = json::parse(was), now = json::parse(is);
  std::string difference;
  for (const auto& [key, value] : now.items())
    if (!before.contains(key) || before[key] != value)
      difference += " " + key + " was " + (before.contains(key) ? json_text(before[key]) : "absent") + ", is " +
                    json_text(value) + ";";
  return difference;
}

}  // namespace fernwood
