// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "web/access.h"

#include <sys/random.h>

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

std::optional<std::string> path_behind(std::string_view target, std::string_view token) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::size_t start = path.find('/'); start != std::string_view::npos; start = path.find('/', start + 1)) {
    const std::size_t end = path.find('/', start + 1);
    if (end != std::string_view::npos && are_equal(path.substr(start + 1, end - start - 1), token))
      return std::string(target.substr(end));
  }
  return std::nullopt;
}

std::string_view name_of_host(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  std::string_view name = host.substr(0, has_port ? colon : host.size());
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace fernwood::web
