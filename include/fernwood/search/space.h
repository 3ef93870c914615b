// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The search space: parameters with their ranges, and the mapping between configurations and points of the unit cube,
// in which all proposals are made.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::search {

/// A configuration: a value for each parameter of a space, in the form of --config: "1500", "0.4", "lab,depth".
using Configuration = std::map<std::string, std::string>;

enum class ParameterKind { kInteger, kReal, kChoice };

/// A parameter of a space.
struct Parameter {
  std::string name;  ///< Its name in --config: "samples_per_frame".
  ParameterKind kind = ParameterKind::kInteger;
  double low = 0, high = 0;               ///< Range of a number, both ends included.
  bool logarithmic = false;               ///< Numbers: uniform on a logarithmic scale; low > 0.
  std::vector<std::string> choices = {};  ///< For kChoice, at least one; a single one fixes the parameter.
  std::string standard = {};              ///< Value of the hand-made defaults.

  bool is_number() const { return kind != ParameterKind::kChoice; }
  /// Whether the parameter has only one value.
  bool is_fixed() const { return is_number() ? low == high : choices.size() == 1; }
};

Parameter integer_parameter(const std::string& name, int low, int high, int standard, bool logarithmic = false);
/// A real parameter, whose values have four significant digits.
Parameter real_parameter(const std::string& name, double low, double high, double standard, bool logarithmic = false);
Parameter choice_parameter(const std::string& name, const std::vector<std::string>& choices,
                           const std::string& standard);

/// The parameters of a search. The point of a configuration has a coordinate in [0, 1) for each parameter.
class Space {
 public:
  Space() = default;
  /// @throws Error(kUsage) for inconsistent parameters or duplicate names.
  explicit Space(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The hand-made defaults, each replaced by the nearest value in the space.
  Configuration standard() const;
  /// The configuration of a point. @param point  [parameters], each in [0, 1).
  Configuration configuration(const std::vector<double>& point) const;
  /// The middle of each value's interval, so that configuration(point(s)) == s. @throws Error(kUsage) as check().
  std::vector<double> point(const Configuration& configuration) const;
  /// @throws Error(kUsage) for missing or unknown parameters, and for values outside the space.
  void check(const Configuration& configuration) const;
  /// Whether check() succeeds.
  bool has(const Configuration& configuration) const;
  /// The space with the changes of a file: `[samples_per_frame]`, then `low`, `high` and `log` for numbers,
  /// `choices = ["lab", "lab,depth"]` for others, or `value`, which fixes a parameter of either kind.
  /// @param toml  The file's text. @param file  Its name in messages.
  /// @throws Error(kUsage) naming file and line: invalid TOML, an unknown parameter or key, a range that is empty or of
  ///         another kind; also if all parameters are fixed.
  Space changed_by(std::string_view toml, const std::string& file) const;
  /// A JSON object of all parameters; equal spaces give equal texts.
  std::string to_json() const;

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace fernwood::search
