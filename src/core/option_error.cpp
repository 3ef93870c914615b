// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_error.h"

namespace fernwood {

namespace {

/// "--stride 4", "--interpolate", "--no-interpolate".
std::string dashed(const NamedOption& option) {
  if (option.value == "false") return "--no-" + option.name;
  return "--" + option.name + (option.value.empty() || option.value == "true" ? "" : " " + option.value);
}

}  // namespace

std::string OptionSentence::on_command_line() const {
  std::string sentence;
  std::size_t begin = 0;
  for (const NamedOption& option : options) {
    const std::size_t place = text.find("{}", begin);
    sentence += text.substr(begin, place - begin) + dashed(option);
    begin = place + 2;
  }
  return sentence + text.substr(begin);
}

}  // namespace fernwood
