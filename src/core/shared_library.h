// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <type_traits>

#include "fernwood/core/platform.h"

namespace fernwood {

/// Fills a table of pointers with functions of a library that was opened while the program runs.
class FunctionTable {
 public:
  /// @param library  As platform::open_library() gives it.
  explicit FunctionTable(void* library) : library_(library) {}

  /// @param function  A pointer to a function, null where the library lacks the name.
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
