// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/mdl_prune.h"

#include <algorithm>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood::stream {

namespace {

constexpr double kLog2Pi = 1.6514961294723187;

/// log2(Gamma(twice / 2)), from Gamma(x + 1) = x Gamma(x), Gamma(1) = 1 and Gamma(1 / 2) = sqrt(pi).
double log2_gamma_of_half(std::size_t twice) {
  double sum = twice % 2 == 0 ? 0 : kLog2Pi / 2;
  for (std::size_t k = twice % 2 == 0 ? 2 : 1; k < twice; k += 2) sum += exact_log2(static_cast<double>(k)) - 1;
  return sum;
}

}  // namespace

double class_bits(std::span<const std::uint64_t> counts) {
  double n = 0, bits = 0;
  for (const std::uint64_t count : counts) n += static_cast<double>(count);
  if (n == 0) return 0;
  for (const std::uint64_t count : counts)
    if (count > 0) bits += static_cast<double>(count) * exact_log2(n / static_cast<double>(count));
  const auto k = static_cast<double>(counts.size());
  const double of_counts = (k - 1) / 2 * (exact_log2(n) - 1) + k / 2 * kLog2Pi - log2_gamma_of_half(counts.size());
  return bits + std::max(0.0, of_counts);
}

void prune_by_mdl(StreamTree& tree, std::size_t num_attributes, std::size_t num_places) {
  const std::size_t num_nodes = tree.nodes().size(), num_classes = tree.num_classes();
  const double test_bits = exact_log2(static_cast<double>(num_attributes)) +
                           exact_log2(static_cast<double>(std::max<std::size_t>(1, num_places)));
  std::vector<double> bits(num_nodes);
  std::vector<std::uint64_t> below(num_nodes * num_classes);  // counts of the leaves under a node
  for (std::size_t n = num_nodes; n-- > 0;) {                 // children come after their parent
    const auto index = static_cast<std::int32_t>(n);
    const std::span<std::uint64_t> counts = std::span(below).subspan(n * num_classes, num_classes);
    if (tree.nodes()[n].is_leaf()) {
      std::ranges::copy(tree.counts(index), counts.begin());
      bits[n] = 1 + class_bits(counts);
      continue;
    }
    const auto child = static_cast<std::size_t>(tree.nodes()[n].child);
    for (std::size_t c = 0; c < num_classes; ++c)
      counts[c] = below[child * num_classes + c] + below[(child + 1) * num_classes + c];
    const double as_leaf = 1 + class_bits(counts), as_test = 1 + test_bits + bits[child] + bits[child + 1];
    bits[n] = std::min(as_leaf, as_test);
    if (as_leaf <= as_test) tree.cut(index, counts);
  }
}

}  // namespace fernwood::stream
