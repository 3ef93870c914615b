// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood {

/// A file or folder that the system does not provide: it is missing, it is a folder, permission is denied. Front ends
/// raise what their language has for such a case.
class FileError : public Error {
 public:
  /// @param error_number  Of the system: ENOENT, EACCES, EISDIR …
  /// @param rule          The sentence after the path and a colon.
  FileError(ErrorKind kind, std::filesystem::path path, int error_number, const std::string& rule)
      : Error(kind, path.string() + ": " + rule), path_(std::move(path)), error_number_(error_number) {}
  const std::filesystem::path& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::filesystem::path path_;
  int error_number_;
};

}  // namespace fernwood
