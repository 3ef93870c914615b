// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/error.h"

namespace fernwood {

/// An option whose value is wrong. The parts are kept, so that each front end can name options as its users write them;
/// what() is worded for the command line: "--trees is 0; give a number from 1 to 10000".
class OptionError : public Error {
 public:
  /// @param option  Without dashes: "trees". @param value  As a text. @param rule  "give a number from 1 to 10000".
  OptionError(std::string option, std::string value, std::string rule)
      : Error(ErrorKind::kUsage, "--" + option + " is " + value + "; " + rule),
        option_(std::move(option)),
        value_(std::move(value)),
        rule_(std::move(rule)) {}

  const std::string& option() const { return option_; }
  const std::string& value() const { return value_; }
  const std::string& rule() const { return rule_; }

 private:
  std::string option_, value_, rule_;
};

}  // namespace fernwood
