// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cfenv>

namespace fernwood {

/// Sets C's default floating-point environment for its lifetime: rounding to nearest, no flushing of subnormal numbers,
/// no traps. The destructor restores the settings of the calling program. Entry points of computations create one,
/// because results must not depend on the calling program.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&callers_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace fernwood
