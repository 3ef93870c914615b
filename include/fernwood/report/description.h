// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What data sets, models and machines are, for people (tables, pages) and for programs (JSON: one object, indented by
// two spaces, with a final newline). Tables are in UTF-8, at most 100 columns wide but for names; `color` gives them
// ANSI colours.

#include <string>

#include "fernwood/core/machine.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/check.h"
#include "fernwood/forest/summary.h"
#include "fernwood/records/record_summary.h"

namespace fernwood::report {

/// What a check of a data set found; problems come last.
std::string dataset_table(const dataset::DatasetReport& report);
/// Keys: docs/datasets.md.
std::string dataset_json(const dataset::DatasetReport& report);
/// One page that opens offline: what the check found and thumbnails of at most `max_frames` frames, evenly spread.
std::string dataset_page(const dataset::DatasetReport& report, ThreadPool& pool, std::size_t max_frames = 48);

/// A forest: its trees, classes, options, and the channels that its splits read. @param checksum  Of the model file.
std::string model_table(const forest::Forest& forest, const forest::ForestSummary& summary,
                        const std::string& checksum);
/// Keys: docs/model_file.md.
std::string model_json(const forest::Forest& forest, const forest::ForestSummary& summary, const std::string& checksum);
/// The same of a forest over records.
std::string model_table(const records::RecordForest& forest, const records::RecordSummary& summary,
                        const std::string& checksum);
std::string model_json(const records::RecordForest& forest, const records::RecordSummary& summary,
                       const std::string& checksum);

/// What this build and this machine can do, and what is missing.
std::string machine_table(const MachineReport& report, bool color);
/// Keys: docs/devices.md.
std::string machine_json(const MachineReport& report);

}  // namespace fernwood::report
