// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. The headers included may not define functions that
// other files could share with this one: only FW_HD formulas and plain data.
#include <cstring>

#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

namespace {

// Arrays would stay in memory; compiler vectors as wide as registers stay in registers.
#if defined(__AVX512BW__)
constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kVectorBytes = 32;
#else
constexpr std::size_t kVectorBytes = 16;
#endif
constexpr std::size_t kVectors = 2;

typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
template <typename T>
struct Group {
  typedef T Values __attribute__((vector_size(kVectorBytes)));
  typedef Lane<T> Lanes __attribute__((vector_size(kVectorBytes)));
  static constexpr std::size_t kLanes = kVectorBytes / sizeof(T);
  Lanes vectors[kVectors];
};

template <NanSide kSide>
struct FloatRule {
  using Type = float;
  template <typename Values>
  FW_HD static auto right(const Values& values, const Values& thresholds, std::uint32_t nan_left) {
    if constexpr (kSide == NanSide::kRight) return ~(values <= thresholds);
    if constexpr (kSide == NanSide::kLeft) return values > thresholds;
    return (values > thresholds) | ((values != values) & (static_cast<std::int32_t>(nan_left) - 1));
  }
};
template <typename T>
struct RankRule {
  using Type = T;
  template <typename Values>
  FW_HD static auto right(const Values& values, const Values& thresholds, std::uint32_t) {
    return values > thresholds;
  }
};

/// Replaces results in `left` by those of the right child where values go right. Results are numbers of exits from the
/// beginning, so that a comparison and a selection suffice.
template <typename Rule, typename T>
FW_HD void merge_test(const LayerTest& test, const BlockValues<T>& values, Group<T>& left, const Group<T>& right) {
  using Values = typename Group<T>::Values;
  const auto thresholds = reinterpret_cast<Values>(Words{} + test.thresholds);
  const T* column = values.column(test.column);
  for (std::size_t i = 0; i < kVectors; ++i) {
    Values tested;
    std::memcpy(&tested, column + i * Group<T>::kLanes, kVectorBytes);
    const auto goes_right = Rule::right(tested, thresholds, test.nan_left);
    left.vectors[i] = goes_right ? right.vectors[i] : left.vectors[i];
  }
}

/// Merges kLayers levels below node kNode of level kLevel; leaf(i) is the result of the i-th node below them.
template <typename Rule, std::uint32_t kLayers, std::uint32_t kLevel = 0, std::uint32_t kNode = 0, typename T,
          typename Leaf>
FW_HD void merge_nodes(const LayerTest* tests, const BlockValues<T>& values, const Leaf& leaf, Group<T>& merged) {
  if constexpr (kLevel == kLayers) {
    leaf(kNode, merged);
  } else {
    Group<T> right;
    merge_nodes<Rule, kLayers, kLevel + 1, 2 * kNode>(tests, values, leaf, merged);
    merge_nodes<Rule, kLayers, kLevel + 1, 2 * kNode + 1>(tests, values, leaf, right);
    merge_test<Rule>(tests[(1u << kLevel) - 1 + kNode], values, merged, right);
  }
}

/// Merges the levels of a chunk, whose exits are numbered from 0.
template <typename Rule, std::uint32_t kLayers, typename T>
FW_HD void merge_chunk(const LayerTest* tests, const BlockValues<T>& values, Group<T>& merged) {
  using Lanes = typename Group<T>::Lanes;
  const auto number = [](std::uint32_t exit, Group<T>& leaf) {
    for (Lanes& lanes : leaf.vectors) lanes = Lanes{} + static_cast<Lane<T>>(exit);
  };
  merge_nodes<Rule, kLayers>(tests, values, number, merged);
}

/// Merges kUpper levels above chunks.
template <typename Rule, std::uint32_t kUpper, typename T>
FW_HD void merge_above_chunks(const LayerTest* tests, const BlockValues<T>& values, Group<T>& merged) {
  constexpr std::uint32_t kChunkTests = (1u << kChunkLayers) - 1;
  constexpr std::uint32_t kChunks = 1u << kUpper;
  Group<T> chunks[kChunks];
  const LayerTest* of_chunk = tests + kChunks - 1;
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk, of_chunk += kChunkTests) {
    merge_chunk<Rule, kChunkLayers>(of_chunk, values, chunks[chunk]);
    for (auto& lanes : chunks[chunk].vectors) lanes += static_cast<Lane<T>>(chunk << kChunkLayers);
  }
  merge_nodes<Rule, kUpper>(
      tests, values, [&](std::uint32_t chunk, Group<T>& leaf) { leaf = chunks[chunk]; }, merged);
}

template <typename Rule, std::uint32_t kLayers>
void merge_all(const LayerArgs<typename Rule::Type>& given) {
  using T = typename Rule::Type;
  const LayerArgs<T> args = given;
  constexpr std::size_t kRecords = kVectors * Group<T>::kLanes;
  BlockValues<T> values = args.values;
  for (std::size_t begin = 0; begin < args.values.num_records; begin += kRecords, values.data += kRecords) {
    Group<T> merged;
    if constexpr (kLayers <= kChunkLayers)
      merge_chunk<Rule, kLayers>(args.tests, values, merged);
    else
      merge_above_chunks<Rule, kLayers - kChunkLayers>(args.tests, values, merged);
    Lane<T> numbers[kRecords];
    std::memcpy(numbers, &merged, sizeof numbers);
    for (std::size_t i = 0; i < kRecords; ++i) args.places[begin + i] = args.exits[numbers[i]];
  }
}

template <typename Rule>
void merge_layers(const LayerArgs<typename Rule::Type>& args) {
  constexpr void (*kBodies[kMaxLayers])(const LayerArgs<typename Rule::Type>&) = {
      merge_all<Rule, 1>, merge_all<Rule, 2>, merge_all<Rule, 3>, merge_all<Rule, 4>,
      merge_all<Rule, 5>, merge_all<Rule, 6>, merge_all<Rule, 7>, merge_all<Rule, 8>};
  kBodies[args.num_layers - 1](args);
}

/// For trees with one test for each level: sides are the binary digits of the exit's number, the root's first.
template <typename Rule>
void index_levels(const LayerArgs<typename Rule::Type>& given) {
  using T = typename Rule::Type;
  using Values = typename Group<T>::Values;
  using Lanes = typename Group<T>::Lanes;
  const LayerArgs<T> args = given;
  constexpr std::size_t kRecords = kVectors * Group<T>::kLanes;
  BlockValues<T> values = args.values;
  for (std::size_t begin = 0; begin < args.values.num_records; begin += kRecords, values.data += kRecords) {
    Group<T> numbers = {};
    for (std::uint32_t level = 0; level < args.num_layers; ++level) {
      const LayerTest test = args.tests[level];
      const auto thresholds = reinterpret_cast<Values>(Words{} + test.thresholds);
      const T* column = values.column(test.column);
      for (std::size_t i = 0; i < kVectors; ++i) {
        Values tested;
        std::memcpy(&tested, column + i * Group<T>::kLanes, kVectorBytes);
        const auto goes_right = Rule::right(tested, thresholds, test.nan_left);  // -1 where the value goes right
        numbers.vectors[i] = numbers.vectors[i] + numbers.vectors[i] - reinterpret_cast<Lanes>(goes_right);
      }
    }
    Lane<T> exits[kRecords];
    std::memcpy(exits, &numbers, sizeof exits);
    std::int32_t* __restrict places = args.places + begin;
    if (args.exits)
      for (std::size_t i = 0; i < kRecords; ++i) places[i] = args.exits[exits[i]];
    else
      for (std::size_t i = 0; i < kRecords; ++i) places[i] = exits[i];
  }
}

}  // namespace

extern const KernelsOf<LayerArgs> level_kernels_table;
const KernelsOf<LayerArgs> level_kernels_table = {
    {index_levels<FloatRule<NanSide::kRight>>, index_levels<FloatRule<NanSide::kLeft>>,
     index_levels<FloatRule<NanSide::kEither>>},
    index_levels<RankRule<std::uint16_t>>,
    index_levels<RankRule<std::uint8_t>>};

extern const KernelsOf<LayerArgs> layer_kernels_table;
const KernelsOf<LayerArgs> layer_kernels_table = {
    {merge_layers<FloatRule<NanSide::kRight>>, merge_layers<FloatRule<NanSide::kLeft>>,
     merge_layers<FloatRule<NanSide::kEither>>},
    merge_layers<RankRule<std::uint16_t>>,
    merge_layers<RankRule<std::uint8_t>>};

}  // namespace fernwood::records::FW_ISA
