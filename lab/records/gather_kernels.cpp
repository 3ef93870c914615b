// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Must not include code that emits functions which other
// files could share: only FW_HD formulas and plain data.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::lab::FW_ISA {

using records::FlatNode;
using records::NanSide;
using records::WalkArgsOf;

namespace {

/// Walks the next kAbreast records, with their slots in vector lanes: the compiler turns loads into gathers.
template <NanSide kSide, std::size_t kAbreast>
FW_HD void walk_abreast(const WalkArgsOf<float>& args, std::size_t begin) {
  std::uint32_t slots[kAbreast];
  for (std::size_t k = 0; k < kAbreast; ++k) slots[k] = static_cast<std::uint32_t>(args.places[begin + k]);
  const std::size_t record_step = args.values.record_step, column_step = args.values.column_step;
  const float* values = args.values.data + begin * record_step;
  for (std::uint32_t step = 0; step < args.num_steps; ++step)
    for (std::size_t k = 0; k < kAbreast; ++k) {
      const FlatNode& node = args.nodes[slots[k]];
      const float value = values[k * record_step + args.bits.attribute(node.link) * column_step];
      slots[k] = records::next_slot<kSide>(node, args.bits, value);
    }
  for (std::size_t k = 0; k < kAbreast; ++k) args.places[begin + k] = static_cast<std::int32_t>(slots[k]);
}

template <NanSide kSide>
void gather(const WalkArgsOf<float>& args) {
  constexpr std::size_t kAbreast = 16;
  std::size_t begin = 0;
  for (; begin + kAbreast <= args.values.num_records; begin += kAbreast) walk_abreast<kSide, kAbreast>(args, begin);
  for (; begin < args.values.num_records; ++begin) walk_abreast<kSide, 1>(args, begin);
}

}  // namespace

using GatherKernel = void (*)(const WalkArgsOf<float>&);
extern const GatherKernel gather_kernels_table[3];
const GatherKernel gather_kernels_table[3] = {gather<NanSide::kRight>, gather<NanSide::kLeft>,
                                              gather<NanSide::kEither>};

}  // namespace fernwood::lab::FW_ISA
