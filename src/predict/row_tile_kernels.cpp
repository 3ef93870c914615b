// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. It must not include anything that emits functions
// shared with other files: only FW_HD formulas and plain data.
#include "predict/row_tile_kernels.h"

#include "forest/leaf.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace fernwood::predict::FW_ISA {

namespace {

using forest::PixelSite;

/// Write positions of the next sites.
struct Ends {
  PixelSite *left, *right;  ///< The first free position; the position after the last free one.
};

// Whole vectors are written, and their unused lanes are overwritten later; so vectors are not used when fewer free
// positions remain than two vectors have lanes.

#if defined(__AVX512F__)

constexpr std::size_t kWidth = 8;

Ends part_vector(const PixelSite* sites, const float* responses, float threshold, Ends ends) {
  const __m512i all = _mm512_loadu_si512(sites);
  const __mmask8 goes_left = _mm256_cmp_ps_mask(_mm256_loadu_ps(responses), _mm256_set1_ps(threshold), _CMP_LE_OQ);
  const auto goes_right = static_cast<__mmask8>(~goes_left);
  const __m512i reversed = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  _mm512_storeu_si512(ends.left, _mm512_maskz_compress_epi64(goes_left, all));
  _mm512_storeu_si512(ends.right - kWidth,
                      _mm512_maskz_permutexvar_epi64(0xff, reversed, _mm512_maskz_compress_epi64(goes_right, all)));
  const std::int32_t num_right = count_bits(goes_right);
  return {ends.left + (kWidth - num_right), ends.right - num_right};
}

#elif defined(__AVX2__)

constexpr std::size_t kWidth = 4;

/// For each mask of the sites that go right: the permutation that puts the others first, and the one that puts the
/// masked sites last, in reverse order.
struct Orders {
  alignas(32) std::int32_t left[16][8], right[16][8];
};

constexpr Orders make_orders() {
  Orders orders = {};
  for (int mask = 0; mask < 16; ++mask) {
    int first = 0, last = 3;
    for (int i = 0; i < 4; ++i) {
      const bool goes_right = mask >> i & 1;
      std::int32_t* place = goes_right ? orders.right[mask] + 2 * last-- : orders.left[mask] + 2 * first++;
      place[0] = 2 * i;
      place[1] = 2 * i + 1;
    }
  }
  return orders;
}

constexpr Orders kOrders = make_orders();

Ends part_vector(const PixelSite* sites, const float* responses, float threshold, Ends ends) {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sites));
  const int goes_right = _mm_movemask_ps(_mm_cmp_ps(_mm_loadu_ps(responses), _mm_set1_ps(threshold), _CMP_NLE_UQ));
  const auto ordered = [&](const std::int32_t* order) {
    return _mm256_permutevar8x32_epi32(all, _mm256_load_si256(reinterpret_cast<const __m256i*>(order)));
  };
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(ends.left), ordered(kOrders.left[goes_right]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(ends.right - kWidth), ordered(kOrders.right[goes_right]));
  const std::int32_t num_right = count_bits(static_cast<std::uint32_t>(goes_right));
  return {ends.left + (kWidth - num_right), ends.right - num_right};
}

#else

constexpr std::size_t kWidth = 1;

/// Writes the site to both sides and advances one: avoids a branch that would be mispredicted.
Ends part_vector(const PixelSite* site, const float* response, float threshold, Ends ends) {
  const PixelSite copy = *site;
  const int goes_right = side(*response, threshold);
  *ends.left = copy;
  ends.right[-1] = copy;
  return {ends.left + (1 - goes_right), ends.right - goes_right};
}

#endif

std::size_t part(const PixelSite* sites, const float* responses, std::size_t count, float threshold,
                 PixelSite* parted) {
  Ends ends = {parted, parted + count};
  std::size_t i = 0;
  for (; i + 2 * kWidth <= count; i += kWidth) ends = part_vector(sites + i, responses + i, threshold, ends);
  for (; i < count; ++i) *(side(responses[i], threshold) == 0 ? ends.left++ : --ends.right) = sites[i];
  return static_cast<std::size_t>(ends.left - parted);
}

/// Adds the votes of all trees for one pixel and kLanes classes, in a vector that stays in registers: otherwise g++ 12
/// splits the sums into scalars.
template <std::size_t kLanes, bool kFromZero>
void sum_lanes(const LeafSums& of, std::size_t pixel, std::size_t lanes, std::size_t first_lane, float* sums) {
  typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float)), aligned(sizeof(float)), may_alias));
  Lanes total = {};
  if (!kFromZero) total = *reinterpret_cast<const Lanes*>(sums + first_lane);
  for (std::size_t k = 0; k < of.num_trees; ++k) {
    const std::uint32_t leaf = of.leaves[k * of.tree_stride + pixel];
    total += *reinterpret_cast<const Lanes*>(of.rows[k] + leaf * lanes + first_lane);
  }
  *reinterpret_cast<Lanes*>(sums + first_lane) = total;
}

template <bool kFromZero>
void sum_pixel(const LeafSums& of, std::size_t pixel, std::size_t lanes, float* sums) {
  std::size_t lane = 0;
  for (; lane + 2 * kClassLanes <= lanes; lane += 2 * kClassLanes)
    sum_lanes<2 * kClassLanes, kFromZero>(of, pixel, lanes, lane, sums);
  if (lane < lanes) sum_lanes<kClassLanes, kFromZero>(of, pixel, lanes, lane, sums);
}

void sum(const LeafSums& of, std::size_t first, std::size_t count, float* sums) {
  const std::size_t lanes = padded_classes(of.num_classes);
  for (std::size_t i = 0; i < count; ++i) sum_pixel<true>(of, first + i, lanes, sums + i * lanes);
}

void add(const LeafSums& of, const std::uint32_t* pixels, std::size_t count, float* sums) {
  const std::size_t lanes = padded_classes(of.num_classes);
  for (std::size_t i = 0; i < count; ++i) sum_pixel<false>(of, pixels[i], lanes, sums + pixels[i] * lanes);
}

void choose(const float* sums, const forest::ClassPriorCorrection* correction, std::size_t num_classes,
            std::size_t count, std::uint16_t* labels) {
  const std::size_t stride = padded_classes(num_classes);
  constexpr std::size_t kBlock = 16;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    // Class by class, so that the pixels of a block are vector lanes.
    float highest[kBlock] = {};
    std::int32_t best[kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) best[k] = image::kVoid;
    for (std::size_t c = 0; c < num_classes; ++c) {
      const forest::ClassPriorCorrection of_class = correction[c];
      for (std::size_t k = 0; k < kBlock; ++k) {
        const float sum = of_class.of(sums[(i + k) * stride + c]);
        best[k] = sum > highest[k] ? static_cast<std::int32_t>(c) : best[k];
        highest[k] = sum > highest[k] ? sum : highest[k];
      }
    }
    for (std::size_t k = 0; k < kBlock; ++k) labels[i + k] = static_cast<std::uint16_t>(best[k]);
  }
  for (; i < count; ++i) {
    forest::BestClass best;
    for (std::size_t c = 0; c < num_classes; ++c)
      best.offer(static_cast<std::int32_t>(c), correction[c].of(sums[i * stride + c]));
    labels[i] = best.label;
  }
}

}  // namespace

extern const RowTileKernels row_tile_kernels_table;
const RowTileKernels row_tile_kernels_table = {part, sum, add, choose};

}  // namespace fernwood::predict::FW_ISA
