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
  /// @param background  Records, or None.
  RecordShapHandle(const RecordForestHandle& forest, int threads, const nb::object& background,
                   const std::string& device) {
    const records::RecordView view = background.is_none() ? records::RecordView{} : view_of_records(background);
    begin_threads();
    const WithoutGil without_gil;
    shap_ =
        threaded(std::make_unique<records::ShapEvaluator>(*forest.forest, threads, view, choose_device(device).device));
  }

  using Values = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
  using Pairs = nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

  void find(const nb::object& records, const Values& values) { ask(records, values, &records::ShapEvaluator::find); }
  void find_interactions(const nb::object& records, const Pairs& values) {
    ask(records, values, &records::ShapEvaluator::find_interactions);
  }

 private:
  template <typename Array>
  void ask(const nb::object& given, const Array& values,
           void (records::ShapEvaluator::*find)(const records::RecordView&, double*)) {
    const records::RecordView view = view_of_records(given);
    std::size_t needed = view.num_records * shap_->expected().size();
    for (std::size_t d = 2; d < values.ndim(); ++d) needed *= view.num_attributes + 1;
    FW_CHECK(values.size() == needed, Usage,
             "there is room for " << values.size() << " values, and " << needed << " are found");
    double* const out = values.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    (*shap_.*find)(view, out);
  }

  Threaded<records::ShapEvaluator> shap_;
  std::mutex mutex_;  // never waited for while holding the GIL
};

}  // namespace

void bind_record_shap(nb::module_& module) {
  nb::class_<RecordShapHandle>(module, "RecordShapHandle")
      .def(nb::init<const RecordForestHandle&, int, const nb::object&, const std::string&>(), nb::arg("forest"),
           nb::arg("threads"), nb::arg("background").none(), nb::arg("device"))
      .def("find", &RecordShapHandle::find, nb::arg("records"), nb::arg("values").noconvert())
      .def("find_interactions", &RecordShapHandle::find_interactions, nb::arg("records"),
           nb::arg("values").noconvert());
}

}  // namespace fernwood::python
