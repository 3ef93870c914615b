// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_table.h"

#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// The shortest decimal that reads back as the same number.
template <typename Number>
std::string shortest(Number number) {
  char text[32];
  constexpr double kMaxWhole = 1e15;
  if constexpr (std::is_floating_point_v<Number>)  // 1000000, not 1e+06
    if (std::abs(number) < Number(kMaxWhole) && number == std::floor(number))
      return {text, std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(number)).ptr};
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

bool is_no_bound(double high) { return high == std::numeric_limits<int>::max(); }

double number_of(const OptionValue& value) {
  return std::visit(Overloaded{[](const auto&) { return std::nan(""); }, [](int v) { return double{1} * v; },
                               [](std::uint64_t v) { return static_cast<double>(v); },
                               [](float v) { return static_cast<double>(v); }, [](double v) { return v; }},
                    value);
}

template <typename Number>
void parse_number_into(std::string_view name, const std::string& text, Number& value) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [read, failure] = std::from_chars(text.data(), end, number);
  constexpr bool kIsWhole = std::is_integral_v<Number>;
  const std::string shown = "\"" + text + "\"";
  if (failure == std::errc::result_out_of_range) throw OptionError(std::string(name), shown, "use a smaller number");
  if (failure != std::errc() || read != end)
    throw OptionError(std::string(name), shown, kIsWhole ? "pass an integer" : "use a number");
  value = number;
}

}  // namespace

std::string to_text(const OptionValue& value) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string(); }, [](bool v) { return std::string(v ? "true" : "false"); },
                 [](const std::string& v) { return v; }, [](const std::vector<std::string>& v) { return join(v, ","); },
                 [](auto v) { return shortest(v); }},
      value);
}

std::string to_string(const OptionRange& range) {
  if (is_no_bound(range.high) && !range.low_is_open) return "at least " + shortest(range.low);
  if (is_no_bound(range.high)) return "a number above " + shortest(range.low);
  const std::string low = (range.low_is_open ? "a number above " : "a number from ") + shortest(range.low);
  const std::string to = range.high_is_open ? " to below " : range.low_is_open ? ", up to " : " to ";
  return low + to + shortest(range.high);
}

std::string short_text(const OptionRange& range) {
  const std::string low = (range.low_is_open ? "above " : "") + shortest(range.low);
  if (is_no_bound(range.high)) return range.low_is_open ? low : low + " or more";
  return low + (range.high_is_open ? " to below " : " to ") + shortest(range.high);
}

void parse_option(std::string_view name, const std::string& text, bool& value) {
  const bool is_true = text == "true" || text == "1";
  if (!is_true && text != "false" && text != "0")
    throw OptionError(std::string(name), "\"" + text + "\"", "use true or false");
  value = is_true;
}
void parse_option(std::string_view name, const std::string& text, int& value) { parse_number_into(name, text, value); }
void parse_option(std::string_view name, const std::string& text, std::uint64_t& value) {
  if (text.starts_with("-")) throw OptionError(std::string(name), text, "use 0 or more");
  parse_number_into(name, text, value);
}
void parse_option(std::string_view name, const std::string& text, float& value) {
  parse_number_into(name, text, value);
}
void parse_option(std::string_view name, const std::string& text, double& value) {
  parse_number_into(name, text, value);
}
void parse_option(std::string_view, const std::string& text, std::string& value) { value = text; }
void parse_option(std::string_view, const std::string& text, std::filesystem::path& value) { value = text; }
void parse_option(std::string_view, const std::string& text, std::vector<std::string>& value) {
  value.clear();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin != std::string::npos) value.push_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
  }
}

void check_option(std::string_view name, const OptionValue& value, const OptionRange& range) {
  if (value.index() == 0 || range.contains(number_of(value))) return;
  throw OptionError(std::string(name), to_text(value), "use " + to_string(range));
}

void fail_unknown_option(const std::string& name, const std::vector<std::string>& names) {
  const std::string wanted = option_name(name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw UnknownOptionError(wanted, std::string(nearest_name(wanted, known)));
}

std::string option_name(std::string name) {
  for (char& c : name)
    if (c == '_') c = '-';
  return name;
}

std::string option_key(std::string_view name) {
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

OptionSentence help_sentence(std::string_view help) {
  OptionSentence sentence;
  for (std::size_t open = help.find('{'); open != help.npos; open = help.find('{')) {
    const std::size_t close = std::min(help.find('}', open), help.size() - 1);
    const std::string name(help.substr(open + 1, close - open - 1));
    sentence += std::string(help.substr(0, open));
    sentence += name.empty() ? OptionSentence("{}") : named_option(name);  // 'rgb/{}.jpg' names no option
    help.remove_prefix(close + 1);
  }
  return sentence += std::string(help);
}

OptionInfo completed_option(OptionInfo info) {
  if (info.shown_default.empty()) info.shown_default = to_text(info.default_value);
  if (info.shown_value.empty())
    info.shown_value = info.type == OptionType::kChoice    ? join(info.choices, "|")
                       : info.type == OptionType::kInteger ? "N"
                       : info.type == OptionType::kNumber  ? "X"
                       : info.type == OptionType::kSize    ? "SIZE"
                       : info.type == OptionType::kList    ? "LIST"
                       : info.type == OptionType::kFlag    ? ""
                                                           : "TEXT";
  return info;
}

}  // namespace fernwood
