// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options by their names and the texts of their values, for callers without a command line.

#include <charconv>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood {

template <typename Number>
Number parse_number(const std::string& name, const std::string& text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  FW_CHECK(failure == std::errc() && end == text.data() + text.size(), Usage,
           name << " is \"" << text << "\", not a number" << (std::is_integral_v<Number> ? " without fraction" : "")
                << "; give one");
  return number;
}

inline bool parse_flag(const std::string& name, const std::string& text) {
  const bool is_true = text == "true" || text == "1";
  FW_CHECK(is_true || text == "false" || text == "0", Usage, name << " is \"" << text << "\"; give true or false");
  return is_true;
}

/// @param name  Of the option, for the sentence about a value that is none.
template <typename Value>
Value parse_value(const std::string& name, const std::string& text) {
  if constexpr (std::is_same_v<Value, bool>)
    return parse_flag(name, text);
  else if constexpr (std::is_arithmetic_v<Value>)
    return parse_number<Value>(name, text);
  else
    return text;
}

/// An option that a text can set: a row of the table of those that belong together.
template <typename Options>
struct TextOption {
  std::string name;  ///< Of the command line, without dashes before it.
  std::function<void(const std::string& text, Options& options)> set;
};

/// An option whose value is a number, a flag or a text. @param member  member(options) is where it goes.
template <typename Options, typename Member>
TextOption<Options> text_option(const char* name, Member member) {
  return {name, [name, member](const std::string& text, Options& options) {
            using Value = std::remove_reference_t<decltype(member(options))>;
            member(options) = parse_value<Value>(name, text);
          }};
}

/// One whose values have names. @param values  All of them.
template <typename Options, typename Member, typename Values>
TextOption<Options> choice_option(const char* name, Member member, const Values& values) {
  return {name, [name, member, values](const std::string& text, Options& options) {
            member(options) = parse_name(name, text, values);
          }};
}

/// @param name  With - or _ between words. @throws Error(kUsage) for a name that no row has, telling what comes near.
template <typename Options>
void set_option(const std::vector<TextOption<Options>>& known, std::string name, const std::string& text,
                Options& options) {
  for (char& c : name)
    if (c == '_') c = '-';
  std::vector<std::string_view> names;
  for (const TextOption<Options>& option : known) {
    if (option.name == name) return option.set(text, options);
    names.push_back(option.name);
  }
  throw Error(ErrorKind::kUsage, "there is no option \"" + name + "\"" + did_you_mean(name, names));
}

/// Names of all rows.
template <typename Options>
std::vector<std::string> names_of(const std::vector<TextOption<Options>>& known) {
  std::vector<std::string> names;
  for (const TextOption<Options>& option : known) names.push_back(option.name);
  return names;
}

}  // namespace fernwood
