// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "fernwood/core/text_stream.h"

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

/// Every failure of the library. The text is one sentence that names the place, the rule, the values and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace fernwood

/// Throws Error of ErrorKind::k##kind unless `condition` holds; `message` is streamed, as in
/// `FW_CHECK(rows > 0, Data, path << ": has no rows")`.
#define FW_CHECK(condition, kind, message)                                                     \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      ::fernwood::TextOutput fw_check_text;                                                    \
      fw_check_text << message;                                                                \
      throw ::fernwood::Error(::fernwood::ErrorKind::k##kind, std::move(fw_check_text).str()); \
    }                                                                                          \
  } while (false)
