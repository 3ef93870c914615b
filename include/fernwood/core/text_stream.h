// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <locale>
#include <sstream>
#include <utility>

namespace fernwood {

/// A stream that writes and reads numbers in the C locale, 1000.5 and not 1.000,5, regardless of the global locale of
/// the calling program.
template <typename Stream>
class ClassicStream : public Stream {
 public:
  template <typename... Arguments>
  explicit ClassicStream(Arguments&&... arguments) : Stream(std::forward<Arguments>(arguments)...) {
    this->imbue(std::locale::classic());
  }
};

/// Sets the C locale of a caller's stream for the lifetime of this object.
class ClassicNumbers {
 public:
  explicit ClassicNumbers(std::ios& stream) : stream_(stream), callers_(stream.imbue(std::locale::classic())) {}
  ~ClassicNumbers() { stream_.imbue(callers_); }
  ClassicNumbers(const ClassicNumbers&) = delete;
  ClassicNumbers& operator=(const ClassicNumbers&) = delete;

 private:
  std::ios& stream_;
  std::locale callers_;
};

using TextOutput = ClassicStream<std::ostringstream>;
using TextInput = ClassicStream<std::istringstream>;

}  // namespace fernwood
