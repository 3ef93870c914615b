// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace fernwood {

std::string format_text(const char* pattern, ...) {
  std::array<char, 512> text{};
  std::va_list values;
  va_start(values, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, values);
  va_end(values);
  return text.data();
}

}  // namespace fernwood
