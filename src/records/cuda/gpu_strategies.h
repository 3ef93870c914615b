// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What each strategy of GPUs brings to the table in gpu_strategies.cu.

#include "records/evaluate/strategy.h"

namespace fernwood::records {

std::unique_ptr<RecordEvaluator> make_gpu_interval(const StrategyRequest& request);

std::string gpu_packed_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_packed(const StrategyRequest& request);

std::string heaped_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_heaped(const StrategyRequest& request);

std::string staged_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_staged(const StrategyRequest& request);

/// Spencer's Procedures 4 and 5, and their form for one warp.
std::string speculative_all_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_speculative_all(const StrategyRequest& request);
std::string speculative_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_speculative(const StrategyRequest& request);
std::string speculative_warp_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_speculative_warp(const StrategyRequest& request);

std::string windowed_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_windowed(const StrategyRequest& request);

/// The forest as a kernel that is compiled first.
std::string gpu_if_else_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_gpu_if_else(const StrategyRequest& request);
std::string gpu_no_if_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_gpu_no_if(const StrategyRequest& request);

}  // namespace fernwood::records
