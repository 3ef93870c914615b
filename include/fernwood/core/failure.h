// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/error.h"

namespace fernwood {

/// What an exception means to whoever runs fernwood, in whatever language.
struct Failure {
  ErrorKind kind = ErrorKind::kRuntime;
  OptionSentence sentence;
  bool is_expected = true;          ///< Else what nobody has thought of: the sentence is only what the exception says.
  int error_number = 0;             ///< Of a file that the system does not provide, else 0.
  std::filesystem::path path = {};  ///< That file.
};

/// Of the exception that is being handled: Error, and what the standard library throws where the system refuses memory,
/// threads or descriptors.
Failure failure_in_hand();

}  // namespace fernwood
