// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Strategies that lose against the product's, or that start a compiler: kept to be measured against.

#include <memory>
#include <string>
#include <vector>

#include "records/evaluate/strategy.h"

namespace fernwood::lab {

/// The product's strategies, then the laboratory's.
/// @param with_compiled  Also those that compile the forest first, which takes seconds.
records::StrategyTable all_strategies(bool with_compiled);

/// Those that can find what a forest predicts: of one without classes, whose values are found, the product's.
records::StrategyTable strategies_for(const records::RecordForest& forest, bool with_compiled);
/// A forest in the forms that strategies want, to be asked for classes or, where it has none, for values.
records::SharedModel model_for(const records::RecordForest& forest);

/// records::why_unsupported() of any strategy.
OptionSentence unsupported_reason_for(const records::RecordForest& forest, const std::string& strategy,
                                      records::Values values, Device device);
/// As records::make_record_evaluator(), of any strategy but "auto".
std::unique_ptr<records::RecordEvaluator> make_evaluator(const records::RecordForest& forest,
                                                         const std::string& strategy, records::Values values,
                                                         Device device, int threads);

/// Records in the lanes of vectors, on the CPU.
records::Strategy gather_strategy();
/// The forest as C++ that is compiled and loaded: rows of all_strategies().
std::vector<records::Strategy> compiled_strategies();
/// The rows of GPUs: other ways to read packed nodes, tables in other memories or whose value stays in a register,
/// Spencer's procedures 4 and 5 and his windows. None in a build without CUDA.
std::vector<records::Strategy> gpu_strategies();
/// Memory of the host that a GPU copies from and to fastest: page-locked. @throws Error(kDevice) in a build without
/// CUDA.
std::shared_ptr<void> pinned_memory(Device device, std::size_t size_bytes);
/// The forest as a kernel that is compiled while the program runs. None in a build without CUDA.
std::vector<records::Strategy> compiled_gpu_strategies();

}  // namespace fernwood::lab
