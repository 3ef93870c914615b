// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

// Model files in memory, for those who keep or send them in their own way.

/// The bytes of a model file. @param name  Of the file, for messages.
/// @throws Error(kModel), before the first byte, when the forest breaks a rule that load_records checks.
void write_records(const RecordForest& forest, const std::string& name, std::ostream& out);

/// The forest in the bytes of a model file. @param name  Of the file, for messages. @throws Error(kModel).
RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::records
