// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/error.h"

namespace fernwood {

/// Description of an exception for the user, common to all front ends.
struct Failure {
  ErrorKind kind = ErrorKind::kRuntime;
  OptionSentence sentence;
  bool is_expected = true;          ///< False for an unforeseen exception: the sentence is only its own message.
  int error_number = 0;             ///< The system's error number if a file cannot be accessed; otherwise 0.
  std::filesystem::path path = {};  ///< That file.
};

/// Describes the exception that is being handled: Error, or an exception of the standard library when the system
/// refuses memory, threads or file descriptors.
Failure failure_in_hand();

}  // namespace fernwood
