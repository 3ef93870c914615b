// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood {

/// Error of accessing a file or folder: it is missing, is a folder, or permission is denied. Front ends raise the
/// corresponding exception of their language.
class FileError : public Error {
 public:
  /// @param error_number  The system's value of errno: ENOENT, EACCES, EISDIR …
  /// @param rule          The message after the path and a colon.
  FileError(ErrorKind kind, std::filesystem::path path, int error_number, const std::string& rule)
      : Error(kind, path.string() + ": " + rule), path_(std::move(path)), error_number_(error_number) {}
  const std::filesystem::path& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::filesystem::path path_;
  int error_number_;
};

}  // namespace fernwood
