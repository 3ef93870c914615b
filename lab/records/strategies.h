// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Strategies that are slower than the library's, or that need a compiler; kept for comparison.

#include <memory>
#include <string>
#include <vector>

#include "records/evaluate/strategy.h"

namespace fernwood::lab {

/// The library's strategies, followed by the laboratory's.
/// @param with_compiled  Include those that compile the forest first, which takes seconds.
records::StrategyTable all_strategies(bool with_compiled);

/// Strategies that can evaluate a forest; for forests without classes, which predict values, only the library's.
records::StrategyTable strategies_for(const records::RecordForest& forest, bool with_compiled);
/// A forest in the forms that strategies use, for classes or, if it has none, for values.
records::SharedModel model_for(const records::RecordForest& forest);

/// records::why_unsupported() for all strategies.
OptionSentence unsupported_reason_for(const records::RecordForest& forest, const std::string& strategy,
                                      records::Values values, Device device);
/// As records::make_record_evaluator(), for all strategies except "auto".
std::unique_ptr<records::RecordEvaluator> make_evaluator(const records::RecordForest& forest,
                                                         const std::string& strategy, records::Values values,
                                                         Device device, int threads);

/// Walks records in vector lanes, on the CPU.
records::Strategy gather_strategy();
/// Strategies that compile the forest as C++ and load it; part of all_strategies().
std::vector<records::Strategy> compiled_strategies();
/// Strategies for GPUs: other access to packed nodes, tables in other memories or with the value in a register, and
/// Spencer's procedures 4 and 5 and windows. Empty in a build without CUDA.
std::vector<records::Strategy> gpu_strategies();
/// Page-locked memory of the host, for the fastest copies to and from a GPU. @throws Error(kDevice) in a build without
/// CUDA.
std::shared_ptr<void> pinned_memory(Device device, std::size_t size_bytes);
/// Strategies that compile the forest as a kernel at run time. Empty in a build without CUDA.
std::vector<records::Strategy> compiled_gpu_strategies();

}  // namespace fernwood::lab
