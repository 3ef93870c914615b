// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. The headers included may not define functions that
// other files could share with this one: only FW_HD formulas and plain data.
#include "records/explain/shap_kernels.h"

#include <cstring>

#include "records/explain/shap_formula.h"

namespace fernwood::records::FW_ISA {

namespace {

#if defined(__AVX512BW__)
constexpr std::size_t kShapVectorBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kShapVectorBytes = 32;
#else
constexpr std::size_t kShapVectorBytes = 16;
#endif
constexpr int kLanes = kShapVectorBytes / sizeof(double);
typedef double Doubles __attribute__((vector_size(kShapVectorBytes)));
typedef std::int64_t Masks __attribute__((vector_size(kShapVectorBytes)));
typedef std::uint64_t Patterns __attribute__((vector_size(kShapVectorBytes)));

template <typename Vector, typename T>
FW_HD Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
FW_HD void store(const Doubles& vector, double* to) { std::memcpy(to, &vector, sizeof vector); }

template <int... kPlaces>
struct Places {};
template <int kCount, int... kPlaces>
struct CountedPlaces : CountedPlaces<kCount - 1, kCount - 1, kPlaces...> {};
template <int... kPlaces>
struct CountedPlaces<0, kPlaces...> {
  using Type = Places<kPlaces...>;
};

/// Selects elements of two vectors; those of the second have indices from kLanes on. GCC 11 has another name for this.
template <int... kPlaces>
FW_HD Doubles pick_places(const Doubles& first, const Doubles& second) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
  return __builtin_shuffle(first, second, Masks{kPlaces...});
#else
  return __builtin_shufflevector(first, second, kPlaces...);
#endif
}

/// Exchanges the elements with bit kStep in their index of the first vector with those without it of the second.
template <int kStep, int... kPlaces>
FW_HD void exchange(Places<kPlaces...>, Doubles& first, Doubles& second) {
  const Doubles low = pick_places<(kPlaces & kStep ? kLanes + kPlaces - kStep : kPlaces)...>(first, second);
  second = pick_places<(kPlaces & kStep ? kLanes + kPlaces : kPlaces + kStep)...>(first, second);
  first = low;
}

/// Transposes rows into columns, by squares of 1, 2, 4 ... elements.
template <int kStep = 1>
FW_HD void transpose_square(Doubles (&square)[kLanes]) {
  if constexpr (kStep < kLanes) {
    for (int i = 0; i < kLanes; ++i)
      if ((i & kStep) == 0) exchange<kStep>(typename CountedPlaces<kLanes>::Type(), square[i], square[i + kStep]);
    transpose_square<2 * kStep>(square);
  }
}

template <typename Word>
void narrow(const NarrowArgs<Word>& given) {
  const NarrowArgs<Word> args = given;
  for (std::size_t i = 0; i < args.num_records; ++i)
    args.narrowed[i] = narrowed_pattern(args.patterns[i], args.values[i], args.threshold, args.nan_left, args.left_mask,
                                        args.right_mask);
}

/// The factors of a leaf, which are the same for all patterns.
struct LeafFactors {
  std::size_t num_elements;
  const ShapElement* elements;
  const double* weights;                                        ///< [point]
  ShapFactor factors[kMaxPathElements / 2 * kMaxPathElements];  ///< [point][element]

  FW_HD LeafFactors(const ShapRowArgs& args, const ShapLeaf& leaf)
      : num_elements(leaf.num_elements),
        elements(args.elements + leaf.first_element),
        weights(args.weights[num_points() - 1]) {
    for (std::size_t q = 0; q < num_points(); ++q)
      for (std::size_t i = 0; i < num_elements; ++i)
        factors[q * num_elements + i] = shap_factor(elements[i].share, args.points[num_points() - 1][q]);
  }
  FW_HD std::size_t num_points() const { return (num_elements + 1) / 2; }
  FW_HD const ShapFactor& at(std::size_t point, std::size_t element) const {
    return factors[point * num_elements + element];
  }
};

/// Adds the interactions in a leaf to the columns of all patterns.
void add_leaf_pairs(const ShapRowArgs& args, const LeafFactors& factors, const double* values) {
  for (std::size_t p = 0; p < args.num_patterns; p += kLanes) {
    Doubles pairs[kMaxPathElements * (kMaxPathElements - 1) / 2];
    find_leaf_pairs<Doubles>(factors, load<Patterns>(args.patterns + p), pairs);
    for (std::size_t k = 0; k < args.width; ++k)
      for (std::size_t i = 0; i < factors.num_elements; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const std::size_t place = pair_place(factors.elements[j].slot, factors.elements[i].slot);
          double* sum = args.columns + (k * args.num_sums + place) * args.num_patterns + p;
          store(load<Doubles>(sum) + pairs[pair_place(j, i)] * values[k], sum);
        }
  }
}

/// Adds the contributions of a leaf to the columns of all patterns.
template <std::size_t kCount>
void add_leaf(const ShapRowArgs& args, const LeafFactors& factors, const double* values) {
  const std::size_t count = kCount > 0 ? kCount : factors.num_elements;
  for (std::size_t p = 0; p < args.num_patterns; p += kLanes) {
    Doubles shares[kCount > 0 ? kCount : kMaxPathElements];
    find_leaf_shares<kCount>(factors, load<Patterns>(args.patterns + p), shares);
    for (std::size_t k = 0; k < args.width; ++k)
      for (std::size_t i = 0; i < count; ++i) {
        double* sum = args.columns + (k * args.num_sums + factors.elements[i].slot) * args.num_patterns + p;
        store(load<Doubles>(sum) + shares[i] * values[k], sum);
      }
  }
}

/// Transposes columns into rows.
void store_rows(const ShapRowArgs& args) {
  const std::size_t row_sums = padded_to_lanes(args.num_sums), row_size = args.width * row_sums;
  for (std::size_t p = 0; p < args.num_patterns; p += kLanes)
    for (std::size_t k = 0; k < args.width; ++k)
      for (std::size_t first = 0; first < row_sums; first += kLanes) {
        Doubles square[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) {
          const std::size_t sum = first + i;
          square[i] = sum < args.num_sums
                          ? load<Doubles>(args.columns + (k * args.num_sums + sum) * args.num_patterns + p)
                          : Doubles{};
        }
        transpose_square(square);
        for (std::size_t i = 0; i < kLanes; ++i)
          store(square[i], args.rows + (p + i) * row_size + k * row_sums + first);
      }
}

void find_shap_rows(const ShapRowArgs& given) {
  const ShapRowArgs args = given;
  std::memset(args.columns, 0, args.width * args.num_sums * args.num_patterns * sizeof(double));
  constexpr void (*kBodies[])(const ShapRowArgs&, const LeafFactors&, const double*) = {
      add_leaf<0>,  add_leaf<1>,  add_leaf<2>,  add_leaf<3>,  add_leaf<4>,  add_leaf<5>,
      add_leaf<6>,  add_leaf<7>,  add_leaf<8>,  add_leaf<9>,  add_leaf<10>, add_leaf<11>,
      add_leaf<12>, add_leaf<13>, add_leaf<14>, add_leaf<15>, add_leaf<16>};
  for (const ShapLeaf& leaf : args.leaves) {
    const LeafFactors factors(args, leaf);
    const std::size_t count = leaf.num_elements;
    kBodies[count < sizeof kBodies / sizeof *kBodies ? count : 0](args, factors, args.leaf_values + leaf.first_value);
  }
  store_rows(args);
}

void find_shap_pair_rows(const ShapRowArgs& given) {
  const ShapRowArgs args = given;
  std::memset(args.columns, 0, args.width * args.num_sums * args.num_patterns * sizeof(double));
  for (const ShapLeaf& leaf : args.leaves) {
    const LeafFactors factors(args, leaf);
    add_leaf_pairs(args, factors, args.leaf_values + leaf.first_value);
  }
  store_rows(args);
}

void add_shap_rows(const AddShapArgs& given) {
  const AddShapArgs args = given;
  const std::size_t row_sums = padded_to_lanes(args.num_sums), row_size = args.width * row_sums;
  for (std::size_t r = 0; r < args.num_records; r += kLanes) {
    const double* rows[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) rows[i] = args.rows + args.row_of[r + i] * row_size;
    for (std::size_t k = 0; k < args.width; ++k)
      for (std::size_t first = 0; first < args.num_sums; first += kLanes) {
        Doubles square[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) square[i] = load<Doubles>(rows[i] + k * row_sums + first);
        transpose_square(square);
        double* const* sums = args.sums + k * args.num_sums + first;
        for (std::size_t i = 0; i < kLanes; ++i)
          if (first + i < args.num_sums) store(load<Doubles>(sums[i] + r) + square[i], sums[i] + r);
      }
  }
}

}  // namespace

extern const ShapKernels shap_kernels_table;
const ShapKernels shap_kernels_table = {narrow<std::uint32_t>, narrow<std::uint64_t>, find_shap_rows,
                                        find_shap_pair_rows, add_shap_rows};

}  // namespace fernwood::records::FW_ISA
