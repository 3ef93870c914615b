// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/platform.h"

namespace fernwood {

/// Fills a table of function pointers from a library opened at run time.
class FunctionTable {
 public:
  /// @param library  Handle returned by platform::open_library().
  explicit FunctionTable(void* library) : library_(library) {}

  /// @param function  Set to the function, or to null if the library lacks the name.
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(platform::find_in_library(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  /// The first name that the library lacks; empty: it has all.
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace fernwood
