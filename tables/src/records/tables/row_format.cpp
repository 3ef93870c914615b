// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/tables/row_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_set>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::records {

bool is_unknown_value(std::string_view field) {
  constexpr std::array<std::string_view, 5> kWords = {"", "?", "na", "nan", "null"};
  const auto same = [](char a, char b) { return to_lower(a) == b; };
  return std::ranges::any_of(kWords, [&](std::string_view word) { return std::ranges::equal(field, word, same); });
}

std::string name_remedy(const std::string& name) {
  return is_utf8(name) ? "rename it" : "convert the file, if it is of Windows with iconv -f WINDOWS-1252 -t UTF-8";
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const bool escapes = !is_utf8(text);
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f || (escapes && static_cast<unsigned char>(c) >= 0x80)
               ? format_text("\\x%02x", static_cast<unsigned char>(c))
               : std::string(1, c);
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

void refuse_number(const std::string& file, const TextLine& line, const std::string& what, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  classic_strtod(copy.c_str(), &end);
  const bool too_large = !copy.empty() && *end == '\0' && copy.find_first_of("xX") == std::string::npos;
  FW_CHECK(!too_large, Data,
           file << ":" << line.number << ": " << what << " is " << shown(text)
                << ", which is too large for a number of 32 bits; scale the attribute, the limit is 3.4e38");
  throw Error(ErrorKind::kData,
              file + ":" + std::to_string(line.number) + ": " + what + " is " + shown(text) +
                  ", which is not a number; write for example 1.5, for a category its code in the order of the "
                  "categories at training, or, if it is not known, nan");
}

namespace {

/// Parses a number with from_chars(); a leading + is skipped.
std::from_chars_result read_double(const std::string& text, double& value) {
  const std::size_t sign = text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0;
  return std::from_chars(text.data() + sign, text.data() + text.size(), value);
}

std::optional<double> value_of(const std::string& name) {
  double value = 0;
  const auto [stop, failure] = read_double(name, value);
  if (failure != std::errc() || stop != name.data() + name.size() || std::isnan(value)) return {};
  return value == 0 ? 0.0 : value;
}

/// A common key for labels with the same value, such as "1", "+1" and "1.0".
std::string key_of(const std::string& label) {
  const std::optional<double> value = value_of(label);
  if (!value) return label;
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), *value).ptr};
}

/// key_of(), but whole numbers that a double may not hold are different numbers where their texts differ.
std::string exact_key_of(const std::string& label) {
  constexpr double kMaxExact = 0x1p53;
  const std::optional<double> value = value_of(label);
  const bool is_whole = label.find_first_not_of("0123456789", label.starts_with('-') ? 1 : 0) == std::string::npos;
  return value && std::abs(*value) >= kMaxExact && is_whole ? label : key_of(label);
}

}  // namespace

std::string ambiguity_of(const std::vector<std::string>& attributes, const std::vector<std::string>& classes) {
  std::unordered_set<std::string_view> names;
  for (const std::string& name : attributes)
    if (!names.insert(name).second) return "has several attributes " + shown(name);
  std::unordered_map<std::string, std::string_view> name_of;
  for (const std::string& name : classes) {
    if (is_unknown_value(name)) return "has a class " + shown(name) + ", which stands for an unknown class in a table";
    const auto [other, is_new] = name_of.try_emplace(exact_key_of(name), name);
    if (!is_new && other->second == name) return "has several classes " + shown(name);
    if (!is_new)
      return "has the classes " + shown(other->second) + " and " + shown(name) + ", which are the same number";
  }
  return {};
}

double parse_target(const std::string& file, const TextLine& line, const std::string& label) {
  if (is_unknown_value(label)) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [stop, failure] = read_double(label, value);
  FW_CHECK(failure != std::errc::invalid_argument && stop == label.data() + label.size() && !std::isnan(value), Data,
           file << ":" << line.number << ": the value to predict is " << shown(label)
                << ", which is not a number; write for example 1.5 or, if it is not known, nan, or choose another "
                   "column with "
                << named_option("label"));
  // A value too small for a double becomes 0 or denormal, one too large becomes infinite.
  if (failure == std::errc::result_out_of_range) value = classic_strtod(label.c_str(), nullptr);
  FW_CHECK(std::isfinite(value), Data,
           file << ":" << line.number << ": the value to predict is " << shown(label)
                << ", which is not a finite number of 64 bits; correct it or leave the record out");
  return value;
}

std::vector<std::string> index_notes(const RecordTable& table) {
  constexpr std::size_t kMinRecords = 20;  // fewer records may be in the order of an attribute by chance
  std::vector<std::string> notes;
  const std::size_t num_records = table.values.rows();
  for (std::size_t a = 0; num_records >= kMinRecords && table.values.cols() > 1 && a < table.values.cols(); ++a) {
    bool counts = true;
    for (std::size_t i = 0; counts && i < num_records; ++i) {
      const float value = table.values(i, a);
      counts = value == std::floor(value) && (i == 0 || value > table.values(i - 1, a));
    }
    if (counts)
      notes.push_back(
          "attribute " + shown(table.attributes[a]) +
          " increases with each record, as an index does: trees learn the order of these records, which new "
          "ones do not have; leave its column out, the index of pandas by to_csv(index=False)");
  }
  return notes;
}

ClassNumbers::ClassNumbers(const std::vector<std::string>& names) : fixed_(!names.empty()), names_(names) {
  for (std::size_t c = 0; c < names.size(); ++c) numbers_.emplace(names[c], static_cast<std::int32_t>(c));
  for (std::size_t c = 0; c < names.size(); ++c) numbers_.emplace(key_of(names[c]), static_cast<std::int32_t>(c));
}

bool ClassNumbers::find(const std::string& label, std::int32_t& number) {
  number = kNoClass;
  if (label.empty()) return true;
  auto found = numbers_.find(label);
  if (found == numbers_.end()) {
    const auto known = numbers_.find(key_of(label));
    if (known == numbers_.end() && fixed_) return false;
    number = known != numbers_.end() ? known->second : static_cast<std::int32_t>(names_.size());
    if (known == numbers_.end()) {
      names_.push_back(label);
      numbers_.emplace(key_of(label), number);
    }
    found = numbers_.emplace(label, number).first;
  }
  number = found->second;
  return true;
}

std::string ClassNumbers::list() const {
  constexpr std::size_t kShown = 8;
  const std::string text = join(std::span(names_).first(std::min(names_.size(), kShown)));
  return names_.size() > kShown ? text + ", ..." : text;
}

std::vector<std::int32_t> sorted_places(const std::vector<std::string>& names) {
  std::vector<double> values;
  for (const std::string& name : names)
    if (const std::optional<double> value = value_of(name)) values.push_back(*value);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (values.size() == names.size())
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  else
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  std::vector<std::int32_t> places(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int32_t>(i);
  return places;
}

}  // namespace fernwood::records
