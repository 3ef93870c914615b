// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Records from Python: arrays of 32-bit floats in row-major or column-major order.

#include <nanobind/ndarray.h>

#include "fernwood/records/record_forest.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// [record][attribute]; fernwood_tables.arrays ensures type and order.
using RecordArray = nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>;
/// The same on a GPU.
using GpuRecordArray = nb::ndarray<const float, nb::ndim<2>, nb::device::cuda>;
/// [record] class index
using LabelArray = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// [record] value to predict
using TargetArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// @throws Error(kUsage) if neither rows nor columns are contiguous, or for negative strides.
template <typename Array>
records::RecordView view_of_records(const Array& values) {
  const std::int64_t record_step = values.stride(0), attribute_step = values.stride(1);
  const bool is_empty = values.size() == 0;  // its strides have no meaning
  const bool by_rows = attribute_step == 1 || values.shape(1) <= 1, by_columns = record_step == 1;
  FW_CHECK(is_empty || ((by_rows || by_columns) && record_step >= 0 && attribute_step >= 0), Usage,
           "the records have strides of " << record_step << " and " << attribute_step
                                          << " floats; pass rows or columns whose values lie side by side");
  return {values.data(), values.shape(0), values.shape(1), static_cast<std::size_t>(record_step),
          static_cast<std::size_t>(attribute_step)};
}

}  // namespace fernwood::python
