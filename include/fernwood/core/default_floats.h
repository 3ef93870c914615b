// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cfenv>

namespace fernwood {

/// Floating point as C begins with, whatever the calling program has set: rounding to nearest, numbers close to zero
/// kept, no traps; its settings come back at the end. Entries of work have one, for results must not depend on the
/// program.
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
