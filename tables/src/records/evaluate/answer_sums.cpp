// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/answer_sums.h"

#include <algorithm>

namespace fernwood::records {

namespace {

std::size_t padded_width(const FlatForest& flat) {
  if (flat.wanted == RequestedOutput::kLeaves) return 0;  // the output receives them directly
  if (flat.wanted == RequestedOutput::kValues) return flat.float_sums.base.size();
  if (flat.kind == LeafOutput::kClass) return 1;
  if (flat.kind != LeafOutput::kRow) return flat.base.size();
  return (flat.base.size() + kRowPiece - 1) / kRowPiece * kRowPiece;
}

template <typename T>
void begin_values(const std::vector<double>& base, std::size_t num_records, T* sums) {
  for (std::size_t k = 0; k < base.size(); ++k) sums[k] = static_cast<T>(base[k]);
  for (std::size_t i = 1; i < num_records; ++i) std::copy_n(sums, base.size(), sums + i * base.size());
}

template <typename T>
AddValuesArgs<T> values_of_tree(const std::vector<T>& values, const FlatTree& tree, const std::int32_t* answers,
                                std::size_t num_records, T* sums, std::size_t step) {
  return {values.data() + tree.first_value, tree.width, answers, num_records, sums + tree.first_output, step};
}

/// Adds the values of a leaf of each tree. @param leaves  [tree] @param sums  [width]
template <typename T>
void add_leaves(const FlatForest& flat, const std::vector<T>& values, const std::int32_t* leaves, std::size_t width,
                T* sums) {
  const auto values_of = [&](std::size_t t) {
    return values.data() + flat.trees[t].first_value + static_cast<std::size_t>(leaves[t]) * flat.trees[t].width;
  };
  if (width == 1) {  // the sum stays in a register
    T sum = sums[0];
    for (std::size_t t = 0; t < flat.trees.size(); ++t) sum += *values_of(t);
    sums[0] = sum;
    return;
  }
  for (std::size_t t = 0; t < flat.trees.size(); ++t) {
    const T* const added = values_of(t);
    for (std::size_t k = 0; k < flat.trees[t].width; ++k) sums[flat.trees[t].first_output + k] += added[k];
  }
}

template <typename T>
void finish_values(const FloatSums& rule, const T* sums, std::size_t num_records, double* found) {
  const std::size_t width = rule.base.size();
  const std::vector<T> bias(rule.bias.begin(), rule.bias.end());
  const T divisor = static_cast<T>(rule.divisor), scale = static_cast<T>(rule.scale);
  for (std::size_t i = 0; i < num_records; ++i)
    for (std::size_t k = 0; k < width; ++k)
      found[i * width + k] = finish_sum(sums[i * width + k], divisor, scale, bias.empty() ? nullptr : bias.data() + k);
}

}  // namespace

AnswerSums::AnswerSums(const FlatForest& flat)
    : flat_(flat), kernels_(evaluation_kernels(available_isas().back())), width_(padded_width(flat)) {
  if (flat.wanted == RequestedOutput::kValues)
    number_bytes_ = flat.float_sums.is_single ? sizeof(float) : sizeof(double);
  if (flat.kind != LeafOutput::kRow) return;
  rows_.assign(flat.rows.rows() * width_, 0);
  for (std::size_t row = 0; row < flat.rows.rows(); ++row)
    std::copy_n(flat.rows.row(row), flat.rows.cols(), rows_.data() + row * width_);
}

void AnswerSums::begin(std::size_t num_records, void* sums) const {
  if (num_records == 0 || flat_.wanted == RequestedOutput::kLeaves) return;
  if (flat_.wanted == RequestedOutput::kValues) {
    if (flat_.float_sums.is_single)
      begin_values(flat_.float_sums.base, num_records, static_cast<float*>(sums));
    else
      begin_values(flat_.float_sums.base, num_records, static_cast<double*>(sums));
    return;
  }
  if (flat_.kind == LeafOutput::kClass) return;
  auto* const numbers = static_cast<std::int32_t*>(sums);
  for (std::size_t i = 0; i < num_records; ++i) std::ranges::copy(flat_.base, numbers + i * width_);
}

void AnswerSums::add(std::size_t tree, const std::int32_t* answers, std::size_t num_records, void* sums,
                     const Found& found) const {
  const FlatTree& flat = flat_.trees[tree];
  if (flat_.wanted == RequestedOutput::kLeaves) {
    const std::size_t num_trees = flat_.trees.size();
    for (std::size_t i = 0; i < num_records; ++i) found.numbers[i * num_trees + tree] = answers[i];
  } else if (flat_.wanted != RequestedOutput::kValues) {
    add_numbers(flat, answers, num_records, static_cast<std::int32_t*>(sums));
  } else if (flat_.float_sums.is_single) {
    kernels_.values->floats(
        values_of_tree(flat_.floats, flat, answers, num_records, static_cast<float*>(sums), width_));
  } else {
    kernels_.values->doubles(
        values_of_tree(flat_.doubles, flat, answers, num_records, static_cast<double*>(sums), width_));
  }
}

void AnswerSums::add_all(const std::int32_t* answers, void* sums, const Found& found) const {
  const std::size_t num_trees = flat_.trees.size();
  if (flat_.wanted == RequestedOutput::kLeaves)
    std::copy_n(answers, num_trees, found.numbers);
  else if (flat_.wanted != RequestedOutput::kValues)
    for (std::size_t t = 0; t < num_trees; ++t)
      add_numbers(flat_.trees[t], answers + t, 1, static_cast<std::int32_t*>(sums));
  else if (flat_.float_sums.is_single)
    add_leaves(flat_, flat_.floats, answers, width_, static_cast<float*>(sums));
  else
    add_leaves(flat_, flat_.doubles, answers, width_, static_cast<double*>(sums));
}

void AnswerSums::add_numbers(const FlatTree& tree, const std::int32_t* answers, std::size_t num_records,
                             std::int32_t* sums) const {
  switch (flat_.kind) {
    case LeafOutput::kClass:
      std::copy_n(answers, num_records, sums);
      break;
    case LeafOutput::kMargin:
      for (std::size_t i = 0; i < num_records; ++i) sums[i] += answers[i];
      break;
    case LeafOutput::kVote:
      for (std::size_t i = 0; i < num_records; ++i) sums[i * width_ + tree.first_output] += answers[i];
      break;
    case LeafOutput::kRow:
      kernels_.add_rows({rows_.data(), width_, answers, num_records, sums});
      break;
    case LeafOutput::kLeaf:
      break;  // has no whole-number sums: used for values and leaves
  }
}

void AnswerSums::finish(const void* sums, std::size_t num_records, const Found& found) const {
  if (flat_.wanted == RequestedOutput::kLeaves) return;
  if (flat_.wanted != RequestedOutput::kValues)
    finish_numbers(static_cast<const std::int32_t*>(sums), num_records, found.numbers);
  else if (flat_.float_sums.is_single)
    finish_values(flat_.float_sums, static_cast<const float*>(sums), num_records, found.values);
  else
    finish_values(flat_.float_sums, static_cast<const double*>(sums), num_records, found.values);
}

void AnswerSums::finish_numbers(const std::int32_t* sums, std::size_t num_records, std::int32_t* found) const {
  if (flat_.wanted == RequestedOutput::kSums) {
    const std::size_t num_outputs = flat_.base.size();
    for (std::size_t i = 0; i < num_records; ++i) std::copy_n(sums + i * width_, num_outputs, found + i * num_outputs);
    return;
  }
  if (flat_.kind == LeafOutput::kClass)
    std::copy_n(sums, num_records, found);
  else if (flat_.kind == LeafOutput::kMargin)
    for (std::size_t i = 0; i < num_records; ++i)
      found[i] = choose_class_surely(Link::kLogistic, sums + i, 1, flat_.margin);
  else
    for (std::size_t i = 0; i < num_records; ++i)
      found[i] = choose_class_surely(flat_.link, sums + i * width_, flat_.base.size(), flat_.margin);
}

}  // namespace fernwood::records
