// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fernwood::lab {

/// Command that compiles C++, as words: $CXX, otherwise c++, g++ or clang++ in $PATH. Empty if none is found.
std::vector<std::string> find_compiler();

/// Compiled code, unloaded by the destructor.
class CompiledCode {
 public:
  /// Compiles C++, within ten minutes. @param options  For example "-O2". @throws Error(kRuntime) with the first error
  /// message of the compiler.
  CompiledCode(const std::string& source, const std::vector<std::string>& options);

  /// @throws Error(kRuntime) if the name is not defined.
  const void* find(const char* name) const;

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
};

}  // namespace fernwood::lab
