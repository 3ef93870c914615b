// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <mutex>

#include "fernwood/core/error.h"
#include "fernwood/records/shap.h"
#include "python/common/src/gil.h"
#include "python/src/record_arrays.h"
#include "python/src/record_handles.h"

namespace fernwood::python {

namespace {

/// Computes SHAP values; handles one call at a time, from any Python thread.
class RecordShapHandle {
 public:
  RecordShapHandle(const RecordForestHandle& forest, int threads) {
    begin_threads();
    shap_ = threaded(std::make_unique<records::ShapEvaluator>(*forest.forest, threads));
  }

  using Values = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

  void find(const nb::object& records, const Values& values) {
    const records::RecordView view = view_of_records(records);
    const std::size_t num_outputs = shap_->expected().size(), row_size = view.num_attributes + 1;
    FW_CHECK(values.shape(0) == view.num_records && values.shape(1) == num_outputs && values.shape(2) == row_size,
             Usage,
             "there is room for " << values.shape(0) << " records of " << values.shape(1) << " outputs and "
                                  << values.shape(2) << " values, not for " << view.num_records << " of " << num_outputs
                                  << " and " << row_size);
    double* const out = values.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    shap_->find(view, out);
  }

 private:
  Threaded<records::ShapEvaluator> shap_;
  std::mutex mutex_;  // never waited for while holding the GIL
};

}  // namespace

void bind_record_shap(nb::module_& module) {
  nb::class_<RecordShapHandle>(module, "RecordShapHandle")
      .def(nb::init<const RecordForestHandle&, int>(), nb::call_guard<WithoutGil>())
      .def("find", &RecordShapHandle::find, nb::arg("records"), nb::arg("values").noconvert());
}

}  // namespace fernwood::python
