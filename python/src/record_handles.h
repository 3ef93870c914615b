// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Handles of forests over records in Python, and copies of records for the library.

#include <memory>
#include <utility>

#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"
#include "python/src/bindings.h"

namespace fernwood::python {

void bind_record_predictor(nb::module_& module);
void bind_record_shap(nb::module_& module);

/// A forest over records, shared with its predictors.
struct RecordForestHandle {
  std::shared_ptr<const records::RecordForest> forest;
};
inline RecordForestHandle own(records::RecordForest forest) {
  return {std::make_shared<const records::RecordForest>(std::move(forest))};
}

/// Copies records and their labels, for growing trees.
/// @param labels  [record]; null: the records have no labels.
records::RecordTable copy_table(const records::RecordView& view, const std::int32_t* labels,
                                const std::vector<std::string>& attributes, const std::vector<std::string>& classes);

}  // namespace fernwood::python
