// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood {

/// Continuation of a message about an unknown word: " (did you mean train?)"; empty if `meant` is empty.
inline std::string did_you_mean(const std::string& meant) {
  return meant.empty() ? "" : " (did you mean " + meant + "?)";
}

/// Error for an option with an invalid value. The parts of the message are accessible, so that each front end can write
/// options as its users do; what() is worded for the command line: "--trees is 0; give a number from 1 to 10000".
class OptionError : public Error {
 public:
  /// @param option  Without dashes: "trees". @param value  As text. @param rule  "give a number from 1 to 10000".
  /// @param meant   The value that was probably meant; empty: no similar value.
  OptionError(std::string option, std::string value, OptionSentence rule, std::string meant = {})
      : Error(ErrorKind::kUsage, named_option(option) + " is " + value + did_you_mean(meant) + "; " + rule),
        option_(std::move(option)),
        value_(std::move(value)),
        meant_(std::move(meant)),
        rule_(std::move(rule)) {}

  const std::string& option() const { return option_; }
  const std::string& value() const { return value_; }
  const std::string& meant() const { return meant_; }
  const OptionSentence& rule() const { return rule_; }

 private:
  std::string option_, value_, meant_;
  OptionSentence rule_;
};

/// FW_CHECK for options that contradict or require each other. @throws Error(kUsage) unless `holds`.
inline void require_together(bool holds, const std::string& text, std::vector<NamedOption> options) {
  if (!holds) throw Error(ErrorKind::kUsage, OptionSentence(text, std::move(options)));
}

/// Quotes a text, as the value of an option in a message.
inline std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

/// FW_CHECK for the value of one option. @throws OptionError unless `holds`.
template <typename Value>
void require_option(bool holds, std::string option, const Value& value, OptionSentence rule) {
  if (holds) return;
  TextOutput text;
  text << value;
  throw OptionError(std::move(option), std::move(text).str(), std::move(rule));
}

/// Error for an option that does not exist.
class UnknownOptionError : public Error {
 public:
  /// @param option  Without dashes. @param meant  The option that was probably meant; empty: no similar option.
  UnknownOptionError(std::string option, std::string meant)
      : Error(ErrorKind::kUsage, "there is no option " + in_quotes(option) + did_you_mean(meant)),
        option_(std::move(option)),
        meant_(std::move(meant)) {}

  const std::string& option() const { return option_; }
  const std::string& meant() const { return meant_; }

 private:
  std::string option_, meant_;
};

}  // namespace fernwood
