// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a search may choose: parameters with their ranges, and the map between settings and points of the unit cube, in
// which all proposals are made.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::search {

/// A value for each parameter of a space, as --config would have it: "1500", "0.4", "lab,depth".
using Setting = std::map<std::string, std::string>;

enum class ParameterKind { kInteger, kReal, kChoice };

/// A row of a space.
struct Parameter {
  std::string name;  ///< As --config has it: "samples_per_frame".
  ParameterKind kind = ParameterKind::kInteger;
  double low = 0, high = 0;               ///< Of numbers, both included.
  bool logarithmic = false;               ///< Numbers: each doubling is as likely; low > 0.
  std::vector<std::string> choices = {};  ///< Of kChoice, at least one; of one the parameter is fixed.
  std::string standard = {};              ///< Value of the hand-made defaults.

  bool is_number() const { return kind != ParameterKind::kChoice; }
  /// Whether there is nothing to choose.
  bool is_fixed() const { return is_number() ? low == high : choices.size() == 1; }
};

Parameter integer_parameter(const std::string& name, int low, int high, int standard, bool logarithmic = false);
/// Values have four significant digits.
Parameter real_parameter(const std::string& name, double low, double high, double standard, bool logarithmic = false);
Parameter choice_parameter(const std::string& name, const std::vector<std::string>& choices,
                           const std::string& standard);

/// The parameters of a search. A setting's point has a coordinate in [0, 1) for each of them.
class Space {
 public:
  Space() = default;
  /// @throws Error(kUsage) for rows that contradict themselves, or names that stand twice.
  explicit Space(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The hand-made defaults, each the nearest value that the space has.
  Setting standard() const;
  /// @param point  [parameters], each in [0, 1).
  Setting setting(const std::vector<double>& point) const;
  /// Middle of each value's interval: setting(point(s)) == s. @throws Error(kUsage) as check() does.
  std::vector<double> point(const Setting& setting) const;
  /// @throws Error(kUsage) for parameters that are missing or unknown, and for values that the space does not have.
  void check(const Setting& setting) const;
  /// Whether check() passes.
  bool has(const Setting& setting) const;
  /// The space with what a file says in place: `[samples_per_frame]`, then `low`, `high` and `log` for numbers,
  /// `choices = ["lab", "lab,depth"]` for others, or `value`, which fixes a parameter of either kind.
  /// @param toml  The file's text. @param file  Its name, for messages.
  /// @throws Error(kUsage) naming file and line: no TOML, an unknown parameter or key, a range that is empty or not of
  ///         its kind; also when nothing is left to choose.
  Space changed_by(std::string_view toml, const std::string& file) const;
  /// A JSON object of all rows, the same for the same space.
  std::string to_json() const;

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace fernwood::search
