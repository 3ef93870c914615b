// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Records as they come from Python: arrays of 32-bit floats that lie by rows or by columns.

#include <nanobind/ndarray.h>

#include "fernwood/records/record_forest.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// [record][attribute]; fernwood.records.arrays sees to type and order.
using RecordArray = nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>;
/// Likewise on a GPU.
using GpuRecordArray = nb::ndarray<const float, nb::ndim<2>, nb::device::cuda>;
/// [record] An index of a class for each.
using LabelArray = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// [record] What is to be predicted of each.
using TargetArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// @throws Error(kUsage) when neither rows nor columns lie side by side, or backwards.
template <typename Array>
records::RecordView view_of_records(const Array& values) {
  const std::int64_t record_step = values.stride(0), attribute_step = values.stride(1);
  const bool by_rows = attribute_step == 1 || values.shape(1) <= 1, by_columns = record_step == 1;
  FW_CHECK((by_rows || by_columns) && record_step >= 0 && attribute_step >= 0, Usage,
           "the records have strides of " << record_step << " and " << attribute_step
                                          << " floats; give rows or columns whose values lie side by side");
  return {values.data(), values.shape(0), values.shape(1), static_cast<std::size_t>(record_step),
          static_cast<std::size_t>(attribute_step)};
}

}  // namespace fernwood::python
