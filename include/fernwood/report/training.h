// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a training took, for people (in UTF-8, at most 100 columns wide but for names) and for programs.

#include <filesystem>
#include <string>

#include "fernwood/forest/forest.h"
#include "fernwood/train/report.h"

namespace fernwood::report {

/// Trees, samples, device, times.
std::string training_table(const train::TrainReport& report, const forest::Forest& forest);
/// Time per stage and level, summed over the trees. Stages of a CPU are shares of the wall clock, thread time by
/// threads; those of a GPU are kernel time.
std::string stage_table(const train::TrainReport& report);
/// Some lines about what the stages reached on a GPU.
std::string roofline_text(const train::GpuRoofline& roofline);

/// One JSON object, indented by two spaces, with a final newline. Keys: docs/training.md.
std::string training_json(const train::TrainReport& report, const forest::Forest& forest);
/// Where `fernwood train` leaves that beside a model.
std::filesystem::path training_json_path(const std::filesystem::path& model);
/// Reads it again. @throws Error(kRuntime) when the file cannot be read, Error(kData) when it is damaged, or of another
/// training than that which gave `forest` (by options and provenance).
train::TrainReport read_training_json(const std::filesystem::path& path, const forest::Forest& forest);

}  // namespace fernwood::report
