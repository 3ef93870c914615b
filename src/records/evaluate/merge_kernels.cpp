// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which
// other files might share: only FW_HD formulas and plain data.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records::FW_ISA {

namespace {

template <NanSide kSide>
struct FloatRule {
  FW_HD static bool right(float value, const MergeTest<float>& test) {
    return flat_side<kSide>(value, test.threshold, test.nan_left) != 0;
  }
};
struct RankRule {
  template <typename T>
  FW_HD static bool right(T value, const MergeTest<T>& test) {
    return value > test.threshold;
  }
};

/// Children are read before any is chosen: the compiler makes one comparison and one blend of it.
template <typename Rule, typename T>
FW_HD void merge_test(const MergeTest<T>& test, const T* values, const Lane<T>* left, const Lane<T>* right,
                      Lane<T>* __restrict merged) {
#pragma GCC ivdep
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

}  // namespace

extern const KernelsOf<MergeArgs> merge_kernels_table;
const KernelsOf<MergeArgs> merge_kernels_table = {
    {merge<FloatRule<NanSide::kRight>, float>, merge<FloatRule<NanSide::kLeft>, float>,
     merge<FloatRule<NanSide::kEither>, float>},
    merge<RankRule, std::uint16_t>,
    merge<RankRule, std::uint8_t>};

}  // namespace fernwood::records::FW_ISA
