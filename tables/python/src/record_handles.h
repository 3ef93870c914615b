// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Handles of forests over records in Python, and copies of records for the library.

#include <memory>
#include <utility>

#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/wide_records.h"
#include "python/src/bindings.h"
#include "python/src/record_arrays.h"

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

/// The forest for ranks of 64-bit records.
struct WideForestHandle {
  explicit WideForestHandle(const RecordForestHandle& of)
      : wide(std::make_shared<const records::WideForest>(*of.forest)), forest{{wide, &wide->forest}} {}

  std::shared_ptr<const records::WideForest> wide;
  RecordForestHandle forest;
};

using WideArray = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

/// Records of a WideForestHandle::forest, whose values are kept alive.
struct RankedRecords {
  RankedRecords(const WideForestHandle& forest, const WideArray& array, int threads)
      : values(array),
        view(records::rank_records(*forest.wide,
                                   {array.data(), array.shape(0), array.shape(1), array.stride(0), array.stride(1)},
                                   threads, ranks)) {}

  WideArray values;
  std::vector<float> ranks;
  records::RecordView view;
};

/// @param values  A RecordArray or RankedRecords.
inline records::RecordView view_of_records(const nb::object& values) {
  if (nb::isinstance<RankedRecords>(values)) return nb::cast<const RankedRecords&>(values).view;
  return view_of_records(nb::cast<RecordArray>(values, false));
}

/// Copies records and their labels, for growing trees.
/// @param labels  [record]; null: the records have no labels.
records::RecordTable copy_table(const records::RecordView& view, const std::int32_t* labels,
                                const std::vector<std::string>& attributes, const std::vector<std::string>& classes);

}  // namespace fernwood::python
