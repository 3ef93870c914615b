// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "fernwood/core/option_sentence.h"

namespace fernwood {

/// What went wrong; the value is the exit code of the command line.
enum class ErrorKind {
  kRuntime = 1,       ///< Reading, writing or another operation failed.
  kUsage = 2,         ///< An option is out of its range or contradicts another.
  kData = 3,          ///< A data set breaks a rule.
  kDevice = 4,        ///< A device is missing or refused to work.
  kModel = 5,         ///< A model file is damaged, too new or does not fit the data.
  kResource = 6,      ///< Memory or disk space ran out.
  kInterrupted = 130  ///< The user asked to stop.
};

/// Every failure of the library. The text is one sentence that names the place, the rule, the values and the remedy;
/// what() names options as the command line writes them.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, OptionSentence sentence)
      : std::runtime_error(sentence.on_command_line()), kind_(kind), sentence_(std::move(sentence)) {}
  ErrorKind kind() const { return kind_; }
  /// For other front ends.
  const OptionSentence& sentence() const { return sentence_; }

 private:
  ErrorKind kind_;
  OptionSentence sentence_;
};

}  // namespace fernwood

/// Throws Error of ErrorKind::k##kind unless `condition` holds; `message` is streamed, as in
/// `FW_CHECK(rows > 0, Data, path << ": has no rows; give another " << named_option("label"))`.
#define FW_CHECK(condition, kind, message)                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ::fernwood::SentenceOutput fw_check_text;                                      \
      fw_check_text << message;                                                      \
      throw ::fernwood::Error(::fernwood::ErrorKind::k##kind, fw_check_text.take()); \
    }                                                                                \
  } while (false)
