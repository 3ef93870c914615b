// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. The headers included may not define functions that
// other files could share with this one: only FW_HD formulas and plain data.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

namespace {

constexpr std::uint32_t kMaxCounted = 64;  // up to this many thresholds are all compared, without buckets

/// Stores the ranks of a tile, with the rank of NaN for NaN values.
template <typename T>
FW_HD void store(const RankArgs<T>& args, const float* values, const std::uint32_t* ranks) {
  T* __restrict stored = args.ranks;
  const std::uint32_t nan_rank = args.attribute.nan_rank;
  for (std::size_t i = 0; i < kRankTile; ++i) stored[i] = static_cast<T>(is_nan(values[i]) ? nan_rank : ranks[i]);
}

FW_HD void count(const float* thresholds, std::uint32_t num_thresholds, const float* values,
                 std::uint32_t* __restrict ranks) {
  for (std::size_t i = 0; i < kRankTile; ++i) ranks[i] = 0;
  for (std::uint32_t t = 0; t < num_thresholds; ++t)
    for (std::size_t i = 0; i < kRankTile; ++i) ranks[i] += values[i] > thresholds[t] ? 1u : 0u;
}

/// A search without branches, where no bucket holds 2^kSteps thresholds. It may read thresholds of later buckets: these
/// are not below the value, so that the result does not change.
template <std::uint32_t kSteps>
FW_HD void search(const RankedAttribute& attribute, const float* thresholds, const std::uint32_t* marks,
                  const float* values, std::uint32_t* __restrict ranks) {
  for (std::size_t i = 0; i < kRankTile; ++i) {
    std::uint32_t rank = marks[bucket_of(attribute, values[i])];
    for (std::uint32_t width = 1u << kSteps >> 1; width > 0; width >>= 1)
      rank += values[i] > thresholds[rank + width - 1] ? width : 0u;
    ranks[i] = rank;
  }
}

/// Ranks one tile.
template <typename T>
FW_HD void rank_tile(const RankArgs<T>& args) {
  float values[kRankTile];
  std::uint32_t ranks[kRankTile];
  for (std::size_t i = 0; i < kRankTile; ++i) values[i] = 0;
  for (std::size_t i = 0; i < args.num_values; ++i) values[i] = args.values[i * args.step];
  if (args.attribute.count <= kMaxCounted) {
    count(args.thresholds, args.attribute.count, values, ranks);
  } else if (args.most_in_bucket <= 1) {
    search<1>(args.attribute, args.thresholds, args.marks, values, ranks);
  } else if (args.most_in_bucket <= 3) {
    search<2>(args.attribute, args.thresholds, args.marks, values, ranks);
  } else if (args.most_in_bucket <= 15) {
    search<4>(args.attribute, args.thresholds, args.marks, values, ranks);
  } else if (args.most_in_bucket <= kMaxInBucket) {
    search<8>(args.attribute, args.thresholds, args.marks, values, ranks);
  } else {
    RankedAttribute attribute = args.attribute;
    attribute.first = attribute.first_mark = 0;
    const RankView view = {{}, {args.thresholds, attribute.count}, {args.marks, attribute.num_buckets + 1}};
    for (std::size_t i = 0; i < kRankTile; ++i) ranks[i] = rank_of(view, attribute, values[i]);
  }
  store(args, values, ranks);
}

template <typename T>
void rank(const RankArgs<T>& args) {
  for (std::size_t begin = 0; begin < args.num_values; begin += kRankTile) {
    RankArgs<T> tile = args;
    tile.values += begin * args.step;
    tile.ranks += begin;
    tile.num_values = args.num_values - begin < kRankTile ? args.num_values - begin : kRankTile;
    rank_tile(tile);
  }
}

}  // namespace

extern const RankKernels rank_kernels_table;
const RankKernels rank_kernels_table = {rank<std::uint16_t>, rank<std::uint8_t>};

}  // namespace fernwood::records::FW_ISA
