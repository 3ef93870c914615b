// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <random>

#include "fernwood/core/error.h"
#include "forest/model_parts.h"
#include "forest/model_reader.h"

namespace fernwood {
namespace {

using nlohmann::json;

/// Damages model files; the same seed, the same damage.
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

  /// Damage that checksums do not give away.
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
        json header = parts.json();
        for (std::size_t n = 1 + below(2); n > 0; --n) change_value(header);
        parts.header = header.dump();
        return parts.bytes();
      }
    }
    parts.sign_arrays();
    return parts.bytes();
  }

  void change_number(Bytes& data) {
    const std::uint32_t numbers[] = {0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 0x7fc00000, 0x7f800000, 0x80808080};
    const std::size_t place = below(data.size() / 4) * 4;
    std::memcpy(data.data() + place, &numbers[below(std::size(numbers))], 4);
  }

  json value() {
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
        return json::array({1, "depth", json::object()});
      default:
        return std::string(below(20), 'a');
    }
  }

  /// Walks down to some value and replaces, changes, doubles or removes it.
  void change_value(json& root) {
    json* here = &root;
    while (!here->empty() && here->is_structured()) {
      auto child = here->begin();
      std::advance(child, static_cast<std::ptrdiff_t>(below(here->size())));
      if (below(12) == 0) {
        here->erase(child);
        return;
      }
      if (below(12) == 0 && here->is_array()) {
        here->push_back(json(*child));
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

TEST(ModelFuzz, TenThousandDamagedFilesAreRefusedOrSafe) {
  Forest forest = small_forest();
  forest.trees.push_back(heap_tree(9, 3, 5));
  const Bytes whole = model_bytes(forest);
  Mutator mutator(2024);
  int num_read = 0, num_refused_behind_checksums = 0;
  for (int i = 0; i < 10000; ++i) {
    const Bytes bytes = mutator.mutate(whole);
    try {
      const Forest read = read_forest(bytes, "f");
      ++num_read;
      for (const Tree& tree : read.trees) {
        EXPECT_LT(tree.depth(), 17);
        EXPECT_EQ(leaf_probabilities(read, tree).rows(), tree.num_leaves());
      }
      EXPECT_NO_THROW(model_bytes(read));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
      num_refused_behind_checksums += std::string(error.what()).find("checksum") == std::string::npos;
    }
  }
  // Damage that makes another sound forest (a count, a threshold, a colour) is read; most is found by the rules.
  EXPECT_GT(num_read, 500);
  EXPECT_GT(num_refused_behind_checksums, 5000);
}

}  // namespace
}  // namespace fernwood
