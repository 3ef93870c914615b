// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Each options struct has one table, with a row for each option. Everything that concerns all options is derived from
// the rows: checks, JSON, the command line, configuration files, keyword arguments of Python, option texts of C, the
// space of a search, and the reference page of the documentation.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood {

enum class OptionType {
  kFlag,
  kInteger,
  kNumber,
  kText,
  kChoice,  ///< One of a set of names.
  kSize,    ///< Number of bytes, with a unit: "4GiB".
  kList     ///< Texts separated by commas.
};

/// Value of an option; std::monostate: unset, the library decides.
using OptionValue =
    std::variant<std::monostate, bool, int, std::uint64_t, float, double, std::string, std::vector<std::string>>;

/// Text as on the command line and in configuration files: "true", "0.4", "lab,depth"; empty for an unset value.
std::string to_text(const OptionValue& value);

/// The valid numbers of an option.
struct OptionRange {
  double low = 0, high = 0;  ///< Both included, unless they are open.
  bool low_is_open = false, high_is_open = false;

  bool contains(double value) const {
    return value >= low && value <= high && !(low_is_open && value == low) && !(high_is_open && value == high);
  }
};
constexpr OptionRange from_to(double low, double high) { return {low, high}; }
constexpr OptionRange at_least(double low) { return {low, std::numeric_limits<int>::max()}; }
/// The range (low, high].
constexpr OptionRange above_to(double low, double high) { return {low, high, true, false}; }
/// The range [low, high).
constexpr OptionRange from_below(double low, double high) { return {low, high, false, true}; }
/// Text for messages: "a number from 1 to 127", "a number above 0, up to 1", "at least 1".
std::string to_string(const OptionRange& range);
/// Text for tables and help texts: "1 to 127", "above 0 to 1", "1 or more".
std::string short_text(const OptionRange& range);

/// Values of an option that a search tries; they always include the default.
struct OptionSearch {
  enum class Kind {
    kNone,
    kRange,    ///< Numbers in [low, high].
    kScaled,   ///< From a fifth of the default to 2.5 times the default, on a logarithmic scale.
    kWords,    ///< The values in `words`.
    kChoices,  ///< All choices of the option.
    kCustom    ///< Defined by the search itself.
  };
  Kind kind = Kind::kNone;
  double low = 0, high = 0;
  bool logarithmic = false;
  std::string_view words = {};  ///< Separated by commas.
};
constexpr OptionSearch search_range(double low, double high) {
  return {OptionSearch::Kind::kRange, low, high, false, {}};
}
constexpr OptionSearch search_log_range(double low, double high) {
  return {OptionSearch::Kind::kRange, low, high, true, {}};
}
constexpr OptionSearch search_scaled() { return {OptionSearch::Kind::kScaled, 0, 0, true, {}}; }
constexpr OptionSearch search_words(std::string_view words) { return {OptionSearch::Kind::kWords, 0, 0, false, words}; }
constexpr OptionSearch search_choices() { return {OptionSearch::Kind::kChoices, 0, 0, false, {}}; }
constexpr OptionSearch search_custom() { return {OptionSearch::Kind::kCustom, 0, 0, false, {}}; }

/// A row of the table of an options struct.
template <typename Options>
struct Option {
  std::string_view name;  ///< As on the command line, without leading dashes: "max-depth".
  std::string_view help;  ///< A phrase without a full stop; {smooth} is another option. Range and default are added.
  OptionType type = OptionType::kText;
  std::string_view group = {};                            ///< Heading of the option in help texts.
  std::string_view shown_default = {};                    ///< Description of the default, shown instead of its value.
  std::string_view shown_value = {};                      ///< Placeholder of the value in help texts: "LIST", "R,G,B".
  std::optional<OptionRange> range = {};                  ///< Range of a number; empty: any number.
  std::vector<std::string> (*choices)() = nullptr;        ///< Values of a kChoice; names that a text or list may hold.
  char short_name = '\0';                                 ///< Abbreviation on the command line: 'j' for -j.
  bool changes_model = false;                             ///< False: it affects only how the work is done.
  bool is_stored = false;                                 ///< Whether a model file has it among its options.
  bool (*stored_if)(const Options&) = nullptr;            ///< With is_stored: only then; null: always.
  OptionSearch searched = {};                             ///< Values that a search tries.
  OptionSearch (*searched_by)(const Options&) = nullptr;  ///< Replaces `searched` if it depends on other options.
  OptionValue (*get)(const Options&) = nullptr;
  /// @throws OptionError for a text that is not a value of the option's type; ranges are checked by check_options().
  void (*set)(std::string_view name, const std::string& text, Options& options) = nullptr;

  constexpr Option in(OptionRange value) const { return with(&Option::range, std::optional(value)); }
  constexpr Option in_group(std::string_view value) const { return with(&Option::group, value); }
  constexpr Option default_means(std::string_view value) const { return with(&Option::shown_default, value); }
  constexpr Option takes(std::string_view value) const { return with(&Option::shown_value, value); }
  constexpr Option names(std::vector<std::string> (*value)()) const { return with(&Option::choices, value); }
  /// A text whose values are limited to a set of names.
  constexpr Option one_of(std::vector<std::string> (*value)()) const {
    return names(value).with(&Option::type, OptionType::kChoice);
  }
  constexpr Option abbreviated(char value) const { return with(&Option::short_name, value); }
  /// Marks an option that changes the model, which does not store it among its options but elsewhere.
  constexpr Option in_model() const { return with(&Option::changes_model, true); }
  /// Marks an option that changes the model and that a model file stores, under its name with _ between words.
  constexpr Option stored() const { return in_model().with(&Option::is_stored, true); }
  constexpr Option stored(bool (*condition)(const Options&)) const {
    return stored().with(&Option::stored_if, condition);
  }
  constexpr Option searches(OptionSearch value) const { return with(&Option::searched, value); }
  constexpr Option searches(OptionSearch (*value)(const Options&)) const { return with(&Option::searched_by, value); }

  OptionSearch search_of(const Options& options) const {
    return searched_by != nullptr ? searched_by(options) : searched;
  }

 private:
  template <typename Value>
  constexpr Option with(Value Option::*member, Value value) const {
    Option changed = *this;
    changed.*member = value;
    return changed;
  }
};

template <typename Options>
using OptionTable = std::span<const Option<Options>>;

template <typename Member>
struct OptionOwner;
template <typename Class, typename Value>
struct OptionOwner<Value Class::*> {
  using Type = Class;
};

/// The member designated by a path of pointers to members.
template <auto kFirst, auto... kRest>
auto& option_member(auto& options) {
  if constexpr (sizeof...(kRest) == 0)
    return options.*kFirst;
  else
    return option_member<kRest...>(options.*kFirst);
}

/// Type of a member's value, without std::optional.
template <typename Value>
struct OptionContent {
  using Type = Value;
  static constexpr bool kMayBeUnset = false;
};
template <typename Value>
struct OptionContent<std::optional<Value>> {
  using Type = Value;
  static constexpr bool kMayBeUnset = true;
};

template <typename Member>
constexpr OptionType option_type() {
  using Value = typename OptionContent<Member>::Type;
  if constexpr (std::is_same_v<Value, bool>)
    return OptionType::kFlag;
  else if constexpr (std::is_integral_v<Value>)
    return OptionType::kInteger;
  else if constexpr (std::is_floating_point_v<Value>)
    return OptionType::kNumber;
  else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
    return OptionType::kList;
  else
    return OptionType::kText;
}

template <typename Value>
OptionValue option_value(const Value& value) {
  if constexpr (OptionContent<Value>::kMayBeUnset)
    return value ? OptionValue(*value) : OptionValue();
  else if constexpr (std::is_same_v<Value, std::filesystem::path>)
    return OptionValue(value.string());
  else
    return OptionValue(value);
}

void parse_option(std::string_view name, const std::string& text, bool& value);
void parse_option(std::string_view name, const std::string& text, int& value);
void parse_option(std::string_view name, const std::string& text, std::uint64_t& value);
void parse_option(std::string_view name, const std::string& text, float& value);
void parse_option(std::string_view name, const std::string& text, double& value);
void parse_option(std::string_view name, const std::string& text, std::string& value);
void parse_option(std::string_view name, const std::string& text, std::filesystem::path& value);
/// Splits at commas and removes spaces around each text.
void parse_option(std::string_view name, const std::string& text, std::vector<std::string>& value);
template <typename Value>
void parse_option(std::string_view name, const std::string& text, std::optional<Value>& value) {
  Value content{};
  parse_option(name, text, content);
  value = std::move(content);
}

/// @throws OptionError for a value outside of a range.
void check_option(std::string_view name, const OptionValue& value, const OptionRange& range);
[[noreturn]] void fail_unknown_option(const std::string& name, const std::vector<std::string>& names);
/// Replaces each _ of a name by -.
std::string option_name(std::string name);
/// Replaces each - of a name by _, as in JSON and Python.
std::string option_key(std::string_view name);

/// Creates the row of a member, or of a nested member: option<&TrainOptions::leaves, &LeafOptions::reweight>(...).
template <auto kFirst, auto... kRest>
constexpr auto option(std::string_view name, std::string_view help) {
  using Options = typename OptionOwner<decltype(kFirst)>::Type;
  using Value = std::remove_cvref_t<decltype(option_member<kFirst, kRest...>(std::declval<Options&>()))>;
  Option<Options> row;
  row.name = name;
  row.help = help;
  row.type = option_type<Value>();
  row.get = [](const Options& options) { return option_value(option_member<kFirst, kRest...>(options)); };
  row.set = [](std::string_view at, const std::string& text, Options& options) {
    parse_option(at, text, option_member<kFirst, kRest...>(options));
  };
  return row;
}

/// Creates the row of a member of an enumeration type, whose values to_string() names. @tparam kValues  All values.
template <const auto& kValues, auto kFirst, auto... kRest>
constexpr auto choice_option(std::string_view name, std::string_view help) {
  using Options = typename OptionOwner<decltype(kFirst)>::Type;
  Option<Options> row;
  row.name = name;
  row.help = help;
  row.type = OptionType::kChoice;
  row.choices = [] { return names_of(kValues); };
  row.get = [](const Options& options) {
    return OptionValue(std::string(to_string(option_member<kFirst, kRest...>(options))));
  };
  row.set = [](std::string_view at, const std::string& text, Options& options) {
    option_member<kFirst, kRest...>(options) = parse_name(std::string(at), text, kValues);
  };
  return row;
}

/// Creates the row of a number of bytes. @tparam kMinBytes  Minimum of an amount other than 0.
template <std::size_t kMinBytes, auto kFirst, auto... kRest>
constexpr auto size_option(std::string_view name, std::string_view help) {
  using Options = typename OptionOwner<decltype(kFirst)>::Type;
  Option<Options> row = option<kFirst, kRest...>(name, help);
  row.type = OptionType::kSize;
  row.set = [](std::string_view at, const std::string& text, Options& options) {
    option_member<kFirst, kRest...>(options) = parse_bytes(text, std::string(at), kMinBytes);
  };
  return row;
}

/// Finds a row by its name, with - or _ between words. @return  Null if the table has no such row.
template <typename Options>
const Option<Options>* find_option(OptionTable<Options> table, const std::string& name) {
  const std::string wanted = option_name(name);
  for (const Option<Options>& row : table)
    if (row.name == wanted) return &row;
  return nullptr;
}

/// Names of all rows, in order.
template <typename Options>
std::vector<std::string> names_of_options(OptionTable<Options> table) {
  std::vector<std::string> names;
  for (const Option<Options>& row : table) names.emplace_back(row.name);
  return names;
}

/// Sets an option in the first struct whose table has it. @return  False if no table has it.
/// @throws OptionError for a text that is not a value of the option's type or not one of its choices; ranges are
/// checked by check_options().
template <typename... Options>
bool set_known_option(const std::string& name, const std::string& text, Options&... options) {
  const auto set_in = [&]<typename One>(One& target) {
    const Option<One>* const row = find_option(One::table(), name);
    if (row == nullptr) return false;
    if (row->type == OptionType::kChoice) find_name(std::string(row->name), text, row->choices());
    row->set(row->name, text, target);
    return true;
  };
  return (set_in(options) || ...);
}

/// Sets an option, as set_known_option(). @throws UnknownOptionError, with the nearest name, if no table has the
/// option.
template <typename... Options>
void set_option(const std::string& name, const std::string& text, Options&... options) {
  if (set_known_option(name, text, options...)) return;
  std::vector<std::string> names;
  (std::ranges::copy(names_of_options(Options::table()), std::back_inserter(names)), ...);
  fail_unknown_option(name, names);
}

/// @throws OptionError naming the first option out of its range, its value and the range.
template <typename Options>
void check_options(OptionTable<Options> table, const Options& options) {
  for (const Option<Options>& row : table)
    if (row.range) check_option(row.name, row.get(options), *row.range);
}

/// A row without the type of its struct.
struct OptionInfo {
  std::string name, group;
  OptionSentence help;
  OptionType type = OptionType::kText;
  std::optional<OptionRange> range;
  std::vector<std::string> choices;
  OptionValue default_value;
  std::string shown_default;  ///< Description of the default, or its value as text.
  std::string shown_value;    ///< Placeholder of the value: "N", "a|b|c".
  char short_name = '\0';
  bool changes_model = false, is_searched = false;
};

/// Converts the help of a row, in which {smooth} refers to another option.
OptionSentence help_sentence(std::string_view help);

/// Fills in `shown_default` and `shown_value` if they are empty.
OptionInfo completed_option(OptionInfo info);

template <typename Options>
OptionInfo describe_option(const Option<Options>& row, const Options& defaults) {
  OptionInfo info;
  info.name = row.name;
  info.help = help_sentence(row.help);
  info.group = row.group;
  info.type = row.type;
  info.range = row.range;
  if (row.choices != nullptr) info.choices = row.choices();
  info.default_value = row.get(defaults);
  info.shown_default = row.shown_default;
  info.shown_value = row.shown_value;
  info.short_name = row.short_name;
  info.changes_model = row.changes_model;
  info.is_searched = row.search_of(defaults).kind != OptionSearch::Kind::kNone;
  return completed_option(std::move(info));
}

template <typename Options>
std::vector<OptionInfo> describe_options(OptionTable<Options> table, const Options& defaults) {
  std::vector<OptionInfo> infos;
  for (const Option<Options>& row : table) infos.push_back(describe_option(row, defaults));
  return infos;
}

}  // namespace fernwood
