// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fernwood::lab {

/// Words of a command that compiles C++: $CXX, else c++, g++ or clang++ of $PATH. Empty: there is none.
std::vector<std::string> find_compiler();

/// Compiled code, loaded until it is destroyed.
class CompiledCode {
 public:
  /// Compiles C++, in ten minutes at most. @param options  Such as "-O2". @throws Error(kRuntime) with the compiler's
  /// first complaint.
  CompiledCode(const std::string& source, const std::vector<std::string>& options);

  /// @throws Error(kRuntime) when there is no such name.
  const void* find(const char* name) const;

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
};

}  // namespace fernwood::lab
