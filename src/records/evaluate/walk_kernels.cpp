// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which
// other files might share: only FW_HD formulas and plain data.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

namespace {

template <NanSide kSide>
struct FloatRule {
  FW_HD static std::uint32_t next(const FlatNode& node, const LinkBits& bits, float value) {
    return next_slot<kSide>(node, bits, value);
  }
  FW_HD static std::uint32_t column(const FlatNode& node, const LinkBits& bits) { return bits.attribute(node.link); }
};
struct RankRule {
  FW_HD static std::uint32_t next(const RankNode& node, const LinkBits&, std::uint32_t value) {
    return node.child + (value > node.threshold ? 1u : 0u);
  }
  FW_HD static std::uint32_t column(const RankNode& node, const LinkBits&) { return node.column; }
};

/// All records of a block take a step before any takes the next, so that none waits for another's loads.
template <typename Rule, typename T>
void walk(const WalkArgsOf<T>& args) {
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

/// The next kAbreast records, whose slots stay in the lanes of vectors: the compiler turns loads into gathers.
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
      slots[k] = next_slot<kSide>(node, args.bits, value);
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

extern const KernelsOf<WalkArgsOf> walk_kernels_table;
const KernelsOf<WalkArgsOf> walk_kernels_table = {
    {walk<FloatRule<NanSide::kRight>, float>, walk<FloatRule<NanSide::kLeft>, float>,
     walk<FloatRule<NanSide::kEither>, float>},
    walk<RankRule, std::uint16_t>,
    walk<RankRule, std::uint8_t>};

extern const GatherKernel gather_kernels_table[3];
const GatherKernel gather_kernels_table[3] = {gather<NanSide::kRight>, gather<NanSide::kLeft>,
                                              gather<NanSide::kEither>};

}  // namespace fernwood::records::FW_ISA
