// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Kernels for merging trees of any shape, for walks in step and for sums of rows, and the table of the kernels of all
// files. Compiled once for each instruction set, into namespace FW_ISA. The headers included may not define functions
// that other files could share with this one: only FW_HD formulas and plain data.
#include "records/evaluate/evaluation_kernels.h"

#include <cstring>

/// Marks a loop whose iterations are independent, which GCC does not infer from __restrict; clang does.
#if defined(__clang__)
#define FW_ITERATIONS_ARE_INDEPENDENT
#else
#define FW_ITERATIONS_ARE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace fernwood::records::FW_ISA {

namespace {

template <NanSide kSide>
struct FloatRule {
  FW_HD static bool right(float value, const MergeTest<float>& test) {
    return flat_side<kSide>(value, test.threshold, test.nan_left) != 0;
  }
  FW_HD static std::uint32_t next(const FlatNode& node, const LinkBits& bits, float value) {
    return next_slot<kSide>(node, bits, value);
  }
  FW_HD static std::uint32_t column(const FlatNode& node, const LinkBits& bits) { return bits.attribute(node.link); }
};
struct RankRule {
  template <typename T>
  FW_HD static bool right(T value, const MergeTest<T>& test) {
    return value > test.threshold;
  }
  FW_HD static std::uint32_t next(const RankNode& node, const LinkBits&, std::uint32_t value) {
    return node.child + (value > node.threshold ? 1u : 0u);
  }
  FW_HD static std::uint32_t column(const RankNode& node, const LinkBits&) { return node.column; }
};

/// Both children are read before one is selected, so that the compiler emits one comparison and one blend.
template <typename Rule, typename T>
FW_HD void merge_test(const MergeTest<T>& test, const T* values, const Lane<T>* left, const Lane<T>* right,
                      Lane<T>* __restrict merged) {
  FW_ITERATIONS_ARE_INDEPENDENT
  for (std::size_t k = 0; k < kGroup<T>; ++k) {
    const Lane<T> of_left = left[k], of_right = right[k];
    merged[k] = Rule::right(values[k], test) ? of_right : of_left;
  }
}

template <typename Rule, typename T>
void merge(const MergeArgs<T>& given) {
  const MergeArgs<T> args = given;  // a copy, which no store of bytes can change
  for (std::size_t begin = 0; begin < args.values.num_records; begin += kGroup<T>) {
    Lane<T>* merged = args.lanes + args.first_result;
    for (std::size_t i = 0; i < args.tests.size; ++i, merged += kGroup<T>) {
      const MergeTest<T> test = args.tests[i];
      merge_test<Rule>(test, args.values.column(test.column) + begin, args.lanes + test.left, args.lanes + test.right,
                       merged);
    }
    const Lane<T>* root = merged - kGroup<T>;
    std::int32_t* places = args.places + begin;
    if (args.exits)
      for (std::size_t k = 0; k < kGroup<T>; ++k) places[k] = args.exits[root[k]];
    else
      for (std::size_t k = 0; k < kGroup<T>; ++k) places[k] = root[k];
  }
}

// With few steps, all records of a block take each step together, in vectors of gathered values. With more steps, the
// nodes lie in no near cache, where single loads of some records overlap better than gathers; and paths differ in
// length, so that a record that has ended makes room for the next one.
constexpr std::uint32_t kFewSteps = 12;
constexpr std::size_t kWalkers = 64;

template <typename Rule, typename T>
void walk_together(const WalkArgsOf<T>& args) {
  const NodeOf<T>* nodes = args.nodes;
  const LinkBits bits = args.bits;
  const BlockValues<T> values = args.values;
  std::int32_t* __restrict slots = args.places;
  for (std::uint32_t step = 0; step < args.num_steps; ++step)
    for (std::size_t i = 0; i < values.num_records; ++i) {
      const NodeOf<T>& node = nodes[slots[i]];
      slots[i] = static_cast<std::int32_t>(Rule::next(node, bits, values.at(i, Rule::column(node, bits))));
    }
}

template <typename Rule, typename T>
void walk_in_turns(const WalkArgsOf<T>& args) {
  const NodeOf<T>* nodes = args.nodes;
  const LinkBits bits = args.bits;
  const BlockValues<T> values = args.values;
  std::size_t records[kWalkers], next_record = 0, num_walkers = 0;
  std::uint32_t slots[kWalkers];
  const auto start = [&](std::size_t walker) {
    records[walker] = next_record;
    slots[walker] = static_cast<std::uint32_t>(args.places[next_record++]);
  };
  while (num_walkers < kWalkers && next_record < values.num_records) start(num_walkers++);
  while (num_walkers > 0) {
    for (std::size_t walker = 0; walker < num_walkers; ++walker) {
      const std::uint32_t slot = slots[walker];
      const NodeOf<T>& node = nodes[slot];
      const std::uint32_t next = Rule::next(node, bits, values.at(records[walker], Rule::column(node, bits)));
      slots[walker] = next;
      __builtin_prefetch(nodes + next);  // for the walker's next turn
      if (next != slot) continue;
      args.places[records[walker]] = static_cast<std::int32_t>(slot);  // a leaf, whose next slot is itself
      if (next_record < values.num_records) {
        start(walker);
      } else {
        --num_walkers;
        records[walker] = records[num_walkers];
        slots[walker] = slots[num_walkers];
      }
    }
  }
}

/// Takes the steps of records in turns, so that no record waits for the loads of another.
template <typename Rule, typename T>
void walk(const WalkArgsOf<T>& given) {
  const WalkArgsOf<T> args = given;
  if (args.num_steps <= kFewSteps)
    walk_together<Rule>(args);
  else
    walk_in_turns<Rule>(args);
}

/// Read as a whole before it is written, so that the compiler uses vectors.
FW_HD void add_piece(const std::int32_t* row, std::int32_t* sums) {
  typedef std::int32_t Piece __attribute__((vector_size(kRowPiece * sizeof(std::int32_t))));
  Piece added, sum;
  std::memcpy(&added, row, sizeof added);
  std::memcpy(&sum, sums, sizeof sum);
  sum += added;
  std::memcpy(sums, &sum, sizeof sum);
}

void add_rows(const AddRowsArgs& given) {
  const AddRowsArgs args = given;
  if (args.width == kRowPiece) {  // most forests have at most 8 classes: no loop over pieces
    for (std::size_t i = 0; i < args.num_records; ++i)
      add_piece(args.rows + static_cast<std::size_t>(args.answers[i]) * kRowPiece, args.sums + i * kRowPiece);
    return;
  }
  for (std::size_t i = 0; i < args.num_records; ++i)
    for (std::size_t k = 0; k < args.width; k += kRowPiece)
      add_piece(args.rows + static_cast<std::size_t>(args.answers[i]) * args.width + k, args.sums + i * args.width + k);
}

template <typename T>
void add_values(const AddValuesArgs<T>& given) {
  const AddValuesArgs<T> args = given;
  if (args.width == 1 && args.step == 1) {  // vectors of gathered values
    T* __restrict sums = args.sums;
    FW_ITERATIONS_ARE_INDEPENDENT
    for (std::size_t i = 0; i < args.num_records; ++i) sums[i] += args.values[args.leaves[i]];
    return;
  }
  for (std::size_t i = 0; i < args.num_records; ++i) {
    const T* values = args.values + static_cast<std::size_t>(args.leaves[i]) * args.width;
    T* __restrict sums = args.sums + i * args.step;
    for (std::size_t k = 0; k < args.width; ++k) sums[k] += values[k];
  }
}

const ValueKernels value_kernels = {add_values<float>, add_values<double>};
const KernelsOf<MergeArgs> merge_kernels = {
    {merge<FloatRule<NanSide::kRight>, float>, merge<FloatRule<NanSide::kLeft>, float>,
     merge<FloatRule<NanSide::kEither>, float>},
    merge<RankRule, std::uint16_t>,
    merge<RankRule, std::uint8_t>};
const KernelsOf<WalkArgsOf> walk_kernels = {
    {walk<FloatRule<NanSide::kRight>, float>, walk<FloatRule<NanSide::kLeft>, float>,
     walk<FloatRule<NanSide::kEither>, float>},
    walk<RankRule, std::uint16_t>,
    walk<RankRule, std::uint8_t>};

}  // namespace

extern const KernelsOf<LayerArgs> layer_kernels_table;
extern const KernelsOf<LayerArgs> level_kernels_table;
extern const RankKernels rank_kernels_table;

extern const EvaluationKernels evaluation_kernels_table;
const EvaluationKernels evaluation_kernels_table = {&merge_kernels, &layer_kernels_table, &level_kernels_table,
                                                    &walk_kernels,  &rank_kernels_table,  add_rows,
                                                    &value_kernels};

}  // namespace fernwood::records::FW_ISA
