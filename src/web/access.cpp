// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "web/access.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdint>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::web {

std::string new_token() {
  std::uint64_t bits[2] = {};
  FW_CHECK(::getrandom(bits, sizeof(bits), 0) == sizeof(bits), Runtime, "the system gives no random numbers");
  return to_hex(bits[0]) + to_hex(bits[1]);
}

bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

std::optional<std::string> value_of(std::string_view text, char separator, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
      return std::string(part.substr(name.size() + 1));
  }
  return std::nullopt;
}

std::string without_token(std::string_view target) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return std::string(target);
  std::string out(target.substr(0, question));
  std::string_view query = target.substr(question + 1);
  char separator = '?';
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (!query.starts_with("token=")) {
      out += separator;
      out += query.substr(0, end);
      separator = '&';
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return out;
}

std::string_view name_of_host(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  std::string_view name = host.substr(0, has_port ? colon : host.size());
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace fernwood::web
