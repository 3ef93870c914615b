// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Forests over records as Python holds them, and records as the library holds them.

#include <memory>
#include <utility>

#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"
#include "python/src/bindings.h"

namespace fernwood::python {

void bind_record_predictor(nb::module_& module);
void bind_record_shap(nb::module_& module);

/// Predictors share the forest.
struct RecordForestHandle {
  std::shared_ptr<const records::RecordForest> forest;
};
inline RecordForestHandle own(records::RecordForest forest) {
  return {std::make_shared<const records::RecordForest>(std::move(forest))};
}

/// Records with their labels in memory of their own, for those who grow trees from them.
/// @param labels  [record]; null: none.
records::RecordTable copy_table(const records::RecordView& view, const std::int32_t* labels,
                                const std::vector<std::string>& attributes, const std::vector<std::string>& classes);

}  // namespace fernwood::python
