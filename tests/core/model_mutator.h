// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <random>

#include "core/model_parts.h"

namespace fernwood {

/// Damages model files; the same seed causes the same damage.
class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  Bytes mutate(const Bytes& whole) { return below(4) == 0 ? raw(whole) : signed_anew(ModelParts(whole)); }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  template <typename Text>
  void change(Text& text) {
    if (text.empty()) return;
    const auto at = [&] { return text.begin() + static_cast<std::ptrdiff_t>(below(text.size())); };
    switch (below(6)) {
      case 0:
        *at() ^= static_cast<typename Text::value_type>(1u << below(8));
        break;
      case 1:
        *at() = static_cast<typename Text::value_type>(below(256));
        break;
      case 2:
        text.erase(at(), text.end());
        break;
      case 3:
        text.insert(at(), below(70), static_cast<typename Text::value_type>(below(256)));
        break;
      case 4:
        std::iter_swap(at(), at());
        break;
      default: {
        const auto from = at();
        text.erase(from, from + std::min<std::ptrdiff_t>(text.end() - from, static_cast<std::ptrdiff_t>(below(70))));
      }
    }
  }

  Bytes raw(Bytes bytes) {
    for (std::size_t n = 1 + below(3); n > 0; --n) change(bytes);
    return bytes;
  }

  /// Damage with matching checksums, which they therefore cannot detect.
  Bytes signed_anew(ModelParts parts) {
    switch (below(5)) {
      case 0:
        change(parts.header);
        return parts.bytes();
      case 1:
        change(parts.data);
        break;
      case 2:
        change_number(parts.data);
        break;
      default: {
        nlohmann::json header = parts.json();
        for (std::size_t n = 1 + below(2); n > 0; --n) change_value(header);
        parts.header = header.dump();
        return parts.bytes();
      }
    }
    parts.sign_arrays();
    return parts.bytes();
  }

  void change_number(Bytes& data) {
    if (data.size() < 4) return;
    const std::uint32_t numbers[] = {0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 0x7fc00000, 0x7f800000, 0x80808080};
    const std::size_t place = below(data.size() / 4) * 4;
    std::memcpy(data.data() + place, &numbers[below(std::size(numbers))], 4);
  }

  nlohmann::json value() {
    switch (below(9)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return below(6);
      case 3:
        return -static_cast<int>(below(3));
      case 4:
        return std::uint64_t{1} << below(64);
      case 5:
        return ~std::uint64_t{0};
      case 6:
        return 1e300;
      case 7:
        return nlohmann::json::array({1, "depth", nlohmann::json::object()});
      default:
        return std::string(below(20), 'a');
    }
  }

  /// Descends to a random value, and replaces, changes, duplicates or removes it.
  void change_value(nlohmann::json& root) {
    nlohmann::json* here = &root;
    while (!here->empty() && here->is_structured()) {
      auto child = here->begin();
      std::advance(child, static_cast<std::ptrdiff_t>(below(here->size())));
      if (below(12) == 0) {
        here->erase(child);
        return;
      }
      if (below(12) == 0 && here->is_array()) {
        here->push_back(nlohmann::json(*child));
        return;
      }
      here = &*child;
      if (below(12) == 0) break;
    }
    if (here->is_number_unsigned() && below(2) == 0)
      *here = here->get<std::uint64_t>() + below(5) - 2;
    else
      *here = value();
  }

  std::mt19937 random_;
};

}  // namespace fernwood
