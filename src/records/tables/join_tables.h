// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "fernwood/records/table_reader.h"

namespace fernwood::records {

/// The records of all blocks, one block after the other; the classes are those of the last.
/// @param blocks      At least one, none with more attributes than there are to be; each is emptied when it is copied.
/// @param attributes  Of the table. LIBSVM text shows only with time how many there are; what a block lacks is absent.
RecordTable join_tables(std::vector<RecordTable>& blocks, const std::vector<std::string>& attributes,
                        const TableOptions& options);

}  // namespace fernwood::records
