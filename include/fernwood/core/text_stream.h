// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <locale>
#include <sstream>
#include <utility>

namespace fernwood {

/// A stream that writes and reads numbers as C++ begins with, whatever locale the calling program has set for all
/// streams: 1000.5, not 1.000,5.
template <typename Stream>
class ClassicStream : public Stream {
 public:
  template <typename... Arguments>
  explicit ClassicStream(Arguments&&... arguments) : Stream(std::forward<Arguments>(arguments)...) {
    this->imbue(std::locale::classic());
  }
};

/// A stream of the caller's writes numbers so as long as this lives.
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
