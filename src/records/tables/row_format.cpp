// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/tables/row_format.h"

#include <cstdlib>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? format_text("\\x%02x", static_cast<unsigned char>(c))
                                                             : std::string(1, c);
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

void refuse_number(const std::string& file, const TextLine& line, const std::string& what, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  std::strtod(copy.c_str(), &end);
  const bool too_large = !copy.empty() && *end == '\0' && copy.find_first_of("xX") == std::string::npos;
  FW_CHECK(!too_large, Data,
           file << ":" << line.number << ": " << what << " is " << shown(text)
                << ", which is too large for a number of 32 bits; scale the attribute, the limit is 3.4e38");
  throw Error(ErrorKind::kData, file + ":" + std::to_string(line.number) + ": " + what + " is " + shown(text) +
                                    ", which is no number; write for example 1.5 or, if it is not known, nan");
}

}  // namespace fernwood::records
