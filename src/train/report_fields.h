// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The keys of a training's report as JSON, for writing and for reading: visit(key, member) for each plain member.

#include <concepts>
#include <type_traits>

#include "fernwood/train/train.h"

namespace fernwood::train {

inline constexpr const char* kGpuKey = "gpu";
inline constexpr const char* kLevelsKey = "levels";
inline constexpr const char* kStageSecondsKey = "stage_seconds";
inline constexpr const char* kOptionsKey = "options";
inline constexpr const char* kProvenanceKey = "provenance";

/// T or const T.
template <typename Owner, typename T>
concept Holds = std::same_as<std::remove_const_t<Owner>, T>;

void visit_fields(Holds<StageSeconds> auto& stages, const auto& visit) {
  visit("probe", stages.probe);
  visit("respond", stages.respond);
  visit("bin", stages.bin);
  visit("aggregate", stages.aggregate);
  visit("score", stages.score);
  visit("split", stages.split);
}

/// All but the seconds of the stages of growing, and the stage and fold.
void visit_fields(Holds<LevelReport> auto& level, const auto& visit) {
  visit("tree", level.tree);
  visit("level", level.level);
  visit("nodes", level.nodes);
  visit("samples", level.samples);
  visit("responses", level.responses);
  visit("seconds", level.seconds);
}

void visit_fields(Holds<GpuReport> auto& gpu, const auto& visit) {
  visit("name", gpu.name);
  visit("frame_slots", gpu.frame_slots);
  visit("hits", gpu.hits);
  visit("misses", gpu.misses);
  visit("uploaded_bytes", gpu.uploaded_bytes);
  visit("memory_bytes", gpu.memory_bytes);
  visit("response_bytes", gpu.response_bytes);
}

/// All but the GPU, the levels and what is out of bag.
void visit_fields(Holds<TrainReport> auto& report, const auto& visit) {
  visit("seconds_loading", report.seconds_loading);
  visit("seconds_sampling", report.seconds_sampling);
  visit("seconds_growing", report.seconds_growing);
  visit("seconds_context", report.seconds_context);
  visit("seconds_out_of_bag", report.seconds_out_of_bag);
  visit("samples", report.samples);
  visit("frames", report.frames);
  visit("frames_kept", report.frames_kept);
  visit("frames_decoded", report.frames_decoded);
  visit("frame_bytes", report.frame_bytes);
  visit("threads", report.threads);
  visit("device", report.device);
  visit("device_note", report.device_note);
  visit("instruction_set", report.instruction_set);
  visit("warnings", report.warnings);
}

}  // namespace fernwood::train
