// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/json_text.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::search {

namespace {

constexpr int kRealDigits = 4;
constexpr double kMaxInteger = 2147483647;
constexpr const char* kSpaceExample =
    "write, for example, [samples_per_frame], and under it low = 100 and high = 4000, or choices = [...], or value = "
    "500";

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string rounded_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, kRealDigits).ptr};
}

std::optional<double> parse_value(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string range_text(const Parameter& parameter) {
  return number_text(parameter.low) + " to " + number_text(parameter.high);
}

/// Empty if the parameter is valid.
std::string fault_of(const Parameter& parameter) {
  if (!parameter.is_number()) {
    const std::set<std::string> different(parameter.choices.begin(), parameter.choices.end());
    if (parameter.choices.empty()) return "has no choices; pass at least one";
    return different.size() < parameter.choices.size() ? "has a choice twice; list each once" : "";
  }
  const bool whole = std::floor(parameter.low) == parameter.low && std::floor(parameter.high) == parameter.high;
  const double most = std::max(std::abs(parameter.low), std::abs(parameter.high));
  if (!std::isfinite(most)) return "has a limit that is not a number; use numbers";
  if (parameter.low > parameter.high)
    return "has low = " + number_text(parameter.low) + " above high = " + number_text(parameter.high) +
           "; use a range that is not empty";
  if (parameter.kind == ParameterKind::kInteger && (!whole || most > kMaxInteger))
    return "is an integer of 32 bits, not one of " + range_text(parameter) + "; use integers";
  if (parameter.logarithmic && parameter.low <= 0)
    return "is on a logarithmic scale from " + number_text(parameter.low) + "; use low above 0, or log = false";
  return "";
}

/// Position of a value in [0, 1] between the parameter's limits; whole numbers are the intervals [n, n + 1).
double share_of_range(const Parameter& parameter, double value) {
  const double low = parameter.low, high = parameter.high + (parameter.kind == ParameterKind::kInteger ? 1 : 0);
  if (low == high) return 0.5;
  return parameter.logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

std::string value_at(const Parameter& parameter, double coordinate) {
  if (!parameter.is_number()) {
    const auto num_choices = static_cast<double>(parameter.choices.size());
    const auto index = static_cast<std::size_t>(std::clamp(coordinate * num_choices, 0.0, num_choices - 1));
    return parameter.choices[index];
  }
  const bool integer = parameter.kind == ParameterKind::kInteger;
  const double low = parameter.low, high = parameter.high + (integer ? 1 : 0);
  const double value = parameter.logarithmic ? low * std::pow(high / low, coordinate) : low + coordinate * (high - low);
  if (integer) return number_text(std::clamp(std::floor(value), parameter.low, parameter.high));
  const std::string text = rounded_text(value);
  const double rounded = *parse_value(text);
  return rounded < low || rounded > high ? number_text(std::clamp(rounded, low, high)) : text;
}

double coordinate_of(const Parameter& parameter, const std::string& text) {
  if (!parameter.is_number()) {
    const auto index = std::ranges::find(parameter.choices, text) - parameter.choices.begin();
    return (static_cast<double>(index) + 0.5) / static_cast<double>(parameter.choices.size());
  }
  const double value = *parse_value(text);
  const double share = share_of_range(parameter, value);
  const bool integer = parameter.kind == ParameterKind::kInteger;
  const double middle = integer ? 0.5 * (share + share_of_range(parameter, value + 1)) : share;
  return std::clamp(middle, 0.0, std::nextafter(1.0, 0.0));
}

/// Empty if the value is in the space.
std::string fault_of_value(const Parameter& parameter, const std::string& text) {
  if (!parameter.is_number()) {
    if (std::ranges::find(parameter.choices, text) != parameter.choices.end()) return "";
    return "must be " + list_names(parameter.choices);
  }
  const std::optional<double> value = parse_value(text);
  if (!value) return "must be a number";
  if (*value < parameter.low || *value > parameter.high) return "must be a number from " + range_text(parameter);
  const bool whole = std::floor(*value) == *value;
  return parameter.kind == ParameterKind::kInteger && !whole ? "must be an integer" : "";
}

/// The standard value, or if the parameter no longer allows it, the nearest allowed value.
std::string nearest_standard(const Parameter& parameter) {
  if (fault_of_value(parameter, parameter.standard).empty()) return parameter.standard;
  const std::optional<double> value = parse_value(parameter.standard);
  if (!parameter.is_number() || !value) return value_at(parameter, 0);
  return number_text(std::clamp(*value, parameter.low, parameter.high));
}

class SpaceFile {
 public:
  SpaceFile(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<Parameter> change(std::vector<Parameter> parameters) const {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    for (const auto& [key, node] : parse()) {
      const auto known = std::ranges::find(names, key.str());
      if (known == names.end())
        fail(node, "the parameter " + std::string(key.str()) + " is unknown" + did_you_mean(key.str(), names) +
                       "; known are " + list_names({names.begin(), names.end()}));
      const toml::table* table = node.as_table();
      if (table == nullptr) fail(node, std::string(*known) + " is not a table; " + kSpaceExample);
      change(parameters[static_cast<std::size_t>(known - names.begin())], *table);
    }
    const bool any_free = !std::ranges::all_of(parameters, &Parameter::is_fixed);
    FW_CHECK(any_free, Usage, name_ << ": nothing is left to choose; leave a parameter its range or choices");
    return parameters;
  }

 private:
  toml::table parse() const {
    const std::size_t long_key = line_of_long_key(text_);
    FW_CHECK(long_key == 0, Usage, name_ << ":" << long_key << ": a key has more than 32 parts; " << kSpaceExample);
    try {
      return toml::parse(text_);
    } catch (const toml::parse_error& error) {
      throw Error(ErrorKind::kUsage, name_ + ":" + std::to_string(error.source().begin.line) + " is not valid TOML: " +
                                         std::string(error.description()) + "; " + kSpaceExample);
    }
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(ErrorKind::kUsage, name_ + ":" + std::to_string(node.source().begin.line) + ": " + what);
  }

  void change(Parameter& parameter, const toml::table& table) const {
    static constexpr std::string_view kKeys[] = {"low", "high", "log", "choices", "value"};
    for (const auto& [key, node] : table) {
      if (std::ranges::find(kKeys, key.str()) == std::end(kKeys))
        fail(node, parameter.name + " has no " + std::string(key.str()) + did_you_mean(key.str(), kKeys) + "; " +
                       kSpaceExample);
      if ((key == "choices" || key == "value") && table.size() > 1)
        fail(node, parameter.name + " has " + std::string(key.str()) + " and other keys, too; " + kSpaceExample);
      change(parameter, key.str(), node);
    }
    const std::string fault = fault_of(parameter);
    if (!fault.empty()) fail(table, parameter.name + " " + fault);
    parameter.standard = nearest_standard(parameter);
  }

  void change(Parameter& parameter, std::string_view key, const toml::node& node) const {
    if (key == "choices") {
      const toml::array* list = node.as_array();
      if (list == nullptr) fail(node, "choices of " + parameter.name + " is not a list; " + kSpaceExample);
      parameter.choices.clear();
      for (const toml::node& choice : *list) parameter.choices.push_back(word_of(parameter, choice));
      parameter.kind = ParameterKind::kChoice;
    } else if (key == "value" && !parameter.is_number()) {
      parameter.choices = {word_of(parameter, node)};
    } else if (key == "value") {
      parameter.low = parameter.high = number_of(parameter, node);
      parameter.logarithmic = false;
    } else if (!parameter.is_number()) {
      fail(node, parameter.name + " is chosen by name and has no " + std::string(key) + "; " + kSpaceExample);
    } else if (key == "log") {
      if (!node.is_boolean()) fail(node, "log of " + parameter.name + " is neither true nor false");
      parameter.logarithmic = node.value_or(false);
    } else {
      (key == "low" ? parameter.low : parameter.high) = number_of(parameter, node);
    }
  }

  double number_of(const Parameter& parameter, const toml::node& node) const {
    if (!node.is_number()) fail(node, "a limit or value of " + parameter.name + " is not a number; " + kSpaceExample);
    return *node.value<double>();
  }

  std::string word_of(const Parameter& parameter, const toml::node& node) const {
    if (node.is_boolean()) return node.value_or(false) ? "true" : "false";
    if (node.is_number()) return number_text(*node.value<double>());
    if (!node.is_string()) fail(node, "a choice of " + parameter.name + " is neither a string nor a number");
    return *node.value<std::string>();
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

Parameter integer_parameter(const std::string& name, int low, int high, int standard, bool logarithmic) {
  return {name, ParameterKind::kInteger, static_cast<double>(low), static_cast<double>(high), logarithmic,
          {},   std::to_string(standard)};
}

Parameter real_parameter(const std::string& name, double low, double high, double standard, bool logarithmic) {
  return {name, ParameterKind::kReal, low, high, logarithmic, {}, number_text(standard)};
}

Parameter choice_parameter(const std::string& name, const std::vector<std::string>& choices,
                           const std::string& standard) {
  return {name, ParameterKind::kChoice, 0, 0, false, choices, standard};
}

Space::Space(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  std::set<std::string> names;
  for (Parameter& parameter : parameters_) {
    const std::string fault = names.insert(parameter.name).second ? fault_of(parameter) : "stands twice; name it once";
    FW_CHECK(fault.empty(), Usage, "the space's parameter " << parameter.name << " " << fault);
    parameter.standard = nearest_standard(parameter);
  }
}

Configuration Space::standard() const {
  Configuration configuration;
  for (const Parameter& parameter : parameters_) configuration[parameter.name] = parameter.standard;
  return configuration;
}

Configuration Space::configuration(const std::vector<double>& point) const {
  Configuration configuration;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    configuration[parameters_[i].name] = value_at(parameters_[i], point.at(i));
  return configuration;
}

std::vector<double> Space::point(const Configuration& configuration) const {
  check(configuration);
  std::vector<double> point;
  for (const Parameter& parameter : parameters_)
    point.push_back(coordinate_of(parameter, configuration.at(parameter.name)));
  return point;
}

void Space::check(const Configuration& configuration) const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_) {
    names.push_back(parameter.name);
    const auto value = configuration.find(parameter.name);
    FW_CHECK(value != configuration.end(), Usage,
             "the configuration has no " << parameter.name << "; pass all that the space has");
    const std::string fault = fault_of_value(parameter, value->second);
    FW_CHECK(fault.empty(), Usage,
             "the configuration's " << parameter.name << " " << fault << ", not " << value->second
                                    << "; use a value that the space has");
  }
  for (const auto& [name, value] : configuration)
    FW_CHECK(std::ranges::find(names, name) != names.end(), Usage,
             "the configuration has the parameter " << name << ", which the space has not" << did_you_mean(name, names)
                                                    << "; leave it out");
}

bool Space::has(const Configuration& configuration) const {
  try {
    check(configuration);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Space Space::changed_by(std::string_view toml, const std::string& file) const {
  const DefaultFloats floats;
  return Space(SpaceFile(toml, file).change(parameters_));
}

std::string Space::to_json() const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::object();
  for (const Parameter& parameter : parameters_) {
    nlohmann::ordered_json& row = rows[parameter.name];
    row["kind"] = !parameter.is_number() ? "choice" : parameter.kind == ParameterKind::kInteger ? "integer" : "real";
    if (parameter.is_number()) {
      row["low"] = parameter.low;
      row["high"] = parameter.high;
      row["log"] = parameter.logarithmic;
    } else {
      row["choices"] = parameter.choices;
    }
    row["standard"] = parameter.standard;
  }
  return json_text(rows);
}

}  // namespace fernwood::search
