// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "fernwood/core/option_sentence.h"

namespace fernwood {

/// Category of an error; the value is the exit code of the command line.
enum class ErrorKind {
  kRuntime = 1,       ///< Reading, writing or another operation failed.
  kUsage = 2,         ///< An option is out of its range or contradicts another.
  kData = 3,          ///< A data set breaks a rule.
  kDevice = 4,        ///< A device is missing or failed.
  kModel = 5,         ///< A model file is damaged, too new or does not fit the data.
  kResource = 6,      ///< Memory or disk space ran out.
  kInterrupted = 130  ///< The user requested a stop.
};

/// Exception for all errors of the library. The message is one sentence that names the place, the rule, the values and
/// the remedy; what() writes options as on the command line.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, OptionSentence sentence)
      : std::runtime_error(sentence.on_command_line()), kind_(kind), sentence_(std::move(sentence)) {}
  ErrorKind kind() const { return kind_; }
  /// The message for other front ends, with options to be written as their users do.
  const OptionSentence& sentence() const { return sentence_; }

 private:
  ErrorKind kind_;
  OptionSentence sentence_;
};

}  // namespace fernwood

/// Throws Error of ErrorKind::k##kind unless `condition` holds; `message` is written to a stream, as in
/// `FW_CHECK(rows > 0, Data, path << ": has no rows; give another " << named_option("label"))`.
#define FW_CHECK(condition, kind, message)                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ::fernwood::SentenceOutput fw_check_text;                                      \
      fw_check_text << message;                                                      \
      throw ::fernwood::Error(::fernwood::ErrorKind::k##kind, fw_check_text.take()); \
    }                                                                                \
  } while (false)
