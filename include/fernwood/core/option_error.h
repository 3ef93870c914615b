// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text_stream.h"

namespace fernwood {

/// An option as it was given, or as it may be given in place of that.
struct NamedOption {
  std::string name;        ///< Without dashes: "stride", "interpolate".
  std::string value = {};  ///< As a text; empty: the option alone. "false" is that of a flag which is negated.
};

/// What is said about options, for each front end to name them as its users write them.
struct OptionSentence {
  std::string text;                       ///< With {} for each option, in their order: "only {} has it; give {}".
  std::vector<NamedOption> options = {};  ///< As many.

  /// "only --schedule adaptive has it; give --no-prune".
  std::string on_command_line() const;
};

/// An option whose value is wrong. The parts are kept, so that each front end can name options as its users write them;
/// what() is worded for the command line: "--trees is 0; give a number from 1 to 10000".
class OptionError : public Error {
 public:
  /// @param option  Without dashes: "trees". @param value  As a text. @param rule  "give a number from 1 to 10000".
  OptionError(std::string option, std::string value, std::string rule)
      : OptionError(std::move(option), std::move(value), OptionSentence{std::move(rule)}) {}
  /// @param rule  That names other options.
  OptionError(std::string option, std::string value, OptionSentence rule)
      : Error(ErrorKind::kUsage, "--" + option + " is " + value + "; " + rule.on_command_line()),
        option_(std::move(option)),
        value_(std::move(value)),
        rule_(std::move(rule)) {}

  const std::string& option() const { return option_; }
  const std::string& value() const { return value_; }
  const OptionSentence& sentence() const { return rule_; }
  /// For the command line.
  std::string rule() const { return rule_.on_command_line(); }

 private:
  std::string option_, value_;
  OptionSentence rule_;
};

/// Options that contradict or need each other; what() is worded for the command line.
class ContradictionError : public Error {
 public:
  explicit ContradictionError(OptionSentence sentence)
      : Error(ErrorKind::kUsage, sentence.on_command_line()), sentence_(std::move(sentence)) {}

  const OptionSentence& sentence() const { return sentence_; }

 private:
  OptionSentence sentence_;
};

/// FW_CHECK for options that go together. @throws ContradictionError unless `holds`.
inline void require_together(bool holds, std::string text, std::vector<NamedOption> options) {
  if (!holds) throw ContradictionError({std::move(text), std::move(options)});
}

/// As a value of an option that is a text.
inline std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

/// FW_CHECK for the value of one option. @throws OptionError unless `holds`.
template <typename Value>
void require_option(bool holds, std::string option, const Value& value, OptionSentence rule) {
  if (holds) return;
  TextOutput text;
  text << value;
  throw OptionError(std::move(option), std::move(text).str(), std::move(rule));
}
template <typename Value>
void require_option(bool holds, std::string option, const Value& value, std::string rule) {
  require_option(holds, std::move(option), value, OptionSentence{std::move(rule)});
}

/// An option that is not there.
class UnknownOptionError : public Error {
 public:
  /// @param option  Without dashes. @param meant  The one that was probably meant; empty: none is near.
  UnknownOptionError(std::string option, std::string meant)
      : Error(ErrorKind::kUsage,
              "there is no option " + in_quotes(option) + (meant.empty() ? "" : " (did you mean " + meant + "?)")),
        option_(std::move(option)),
        meant_(std::move(meant)) {}

  const std::string& option() const { return option_; }
  const std::string& meant() const { return meant_; }

 private:
  std::string option_, meant_;
};

}  // namespace fernwood
