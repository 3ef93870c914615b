// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

// Model files in memory, for applications that store or send them by other means.

/// Writes the bytes of a model file. @param name  Name of the file in messages.
/// @throws Error(kModel), before the first byte, if the forest breaks a rule that load_records() checks.
void write_records(const RecordForest& forest, const std::string& name, std::ostream& out);

/// Reads a forest from the bytes of a model file. @param name  Name of the file in messages. @throws Error(kModel).
RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::records
