// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "python/common/src/gil.h"
#include "python/common/src/gpu_answers.h"
#include "python/src/record_arrays.h"
#include "python/src/record_handles.h"

namespace fernwood::python {

namespace {

/// A predictor, which caches the strategy found to be fastest; it handles one call at a time, from any Python thread.
class RecordPredictorHandle {
 public:
  RecordPredictorHandle(const RecordForestHandle& forest, const OptionTexts& options) : forest_(forest.forest) {
    records::set_options(options, options_);
    begin_threads();
    if (forest_->has_classes())
      evaluator_ = threaded(records::make_record_evaluator(*forest_, options_));
    else
      values_ = threaded(std::make_unique<records::ValueEvaluator>(*forest_, options_));
  }

  void classify(const nb::object& values,
                const nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& classes) {
    const records::RecordView view = view_of_records(values);
    FW_CHECK(classes.shape(0) == view.num_records, Usage,
             "there is room for " << classes.shape(0) << " classes of " << view.num_records << " records");
    std::int32_t* const out = classes.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    if (view.num_records > 0) class_evaluator().classify(view, out);
  }

  using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Leaves = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  void predict(const nb::object& values, const Rows& predicted) {
    ask(values, predicted, forest_->num_predicted(), &records::ValueEvaluator::predict);
  }
  void find_margins(const nb::object& values, const Rows& margins) {
    ask(values, margins, forest_->num_outputs(), &records::ValueEvaluator::find_margins);
  }
  void find_leaves(const nb::object& values, const Leaves& leaves) {
    ask(values, leaves, num_trees(), &records::ValueEvaluator::find_leaves);
  }
  void find_tree_values(const nb::object& values, const Rows& found) {
    ask(values, found, num_trees() * tree_width(), &records::ValueEvaluator::find_tree_values);
  }

  std::size_t num_trees() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return value_evaluator().num_trees();
  }
  std::size_t tree_width() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return value_evaluator().tree_width();
  }

  /// Returns an array on the GPU for records on the GPU.
  /// @param what  "codes" of classes, "margins" or "predicted". @param stream  A cudaStream_t as a number.
  nb::object ask_on_gpu(const GpuRecordArray& values, const std::string& what, std::uintptr_t stream) {
    const bool asks_codes = what == "codes", asks_margins = what == "margins";
    const records::RecordView view = view_of_records(values);
    const Device device = {values.device_id()};
    void* const handle = reinterpret_cast<void*>(stream);
    const std::size_t width = asks_codes ? 1 : asks_margins ? forest_->num_outputs() : forest_->num_predicted();
    const std::size_t bytes = view.num_records * width * (asks_codes ? sizeof(std::int32_t) : sizeof(double));
    begin_threads();
    std::unique_ptr<AnswerMemory::Answer> answer;
    {
      const WithoutGil without_gil;
      const std::lock_guard lock(mutex_);
      answer = memory_->take(device, bytes, handle);
      if (asks_codes)
        class_evaluator().evaluate_on_device(view, {.numbers = static_cast<std::int32_t*>(answer->data())}, handle);
      else if (asks_margins)
        value_evaluator().find_margins_on_device(view, static_cast<double*>(answer->data()), handle);
      else
        value_evaluator().predict_on_device(view, static_cast<double*>(answer->data()), handle);
    }
    return asks_codes ? to_gpu_array<std::int32_t>(std::move(answer), device, {view.num_records})
                      : to_gpu_array<double>(std::move(answer), device, {view.num_records, width});
  }

  std::string explain() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    if (!evaluator_ || !values_) return evaluator_ ? evaluator_->explain() : values_->explain();
    return "classes: " + evaluator_->explain() + "\nsums over trees: " + values_->explain();
  }

 private:
  /// @param width  Number of values for each record.
  template <typename Array, typename Number>
  void ask(const nb::object& values, const Array& found, std::size_t width,
           void (records::ValueEvaluator::*find)(const records::RecordView&, Number*)) {
    const records::RecordView view = view_of_records(values);
    FW_CHECK(found.shape(0) == view.num_records && found.shape(1) == width, Usage,
             "there is room for " << found.shape(1) << " numbers of " << found.shape(0) << " records, not for " << width
                                  << " of " << view.num_records);
    Number* const out = found.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    if (view.num_records > 0) (value_evaluator().*find)(view, out);
  }

  records::RecordEvaluator& class_evaluator() {
    FW_CHECK(evaluator_, Usage, "the forest predicts values and has no classes; ask for its values");
    return *evaluator_;
  }
  records::ValueEvaluator& value_evaluator() {
    if (!values_) values_ = threaded(std::make_unique<records::ValueEvaluator>(*forest_, options_));
    return *values_;
  }

  std::shared_ptr<const records::RecordForest> forest_;
  records::EvaluatorOptions options_;
  Threaded<records::RecordEvaluator> evaluator_;
  Threaded<records::ValueEvaluator> values_;  ///< For a forest with classes created by its first use.
  std::shared_ptr<AnswerMemory> memory_ = std::make_shared<AnswerMemory>();
  std::mutex mutex_;  // never waited for while holding the GIL
};

}  // namespace

void bind_record_predictor(nb::module_& module) {
  nb::class_<RecordPredictorHandle>(module, "RecordPredictorHandle")
      .def(nb::init<const RecordForestHandle&, const OptionTexts&>(), nb::call_guard<WithoutGil>())
      .def("classify", &RecordPredictorHandle::classify, nb::arg("values"), nb::arg("classes").noconvert())
      .def("predict", &RecordPredictorHandle::predict, nb::arg("values"), nb::arg("predicted").noconvert())
      .def("find_margins", &RecordPredictorHandle::find_margins, nb::arg("values"), nb::arg("margins").noconvert())
      .def("find_leaves", &RecordPredictorHandle::find_leaves, nb::arg("values"), nb::arg("leaves").noconvert())
      .def("find_tree_values", &RecordPredictorHandle::find_tree_values, nb::arg("values"),
           nb::arg("found").noconvert())
      .def_prop_ro("num_trees", &RecordPredictorHandle::num_trees)
      .def_prop_ro("tree_width", &RecordPredictorHandle::tree_width)
      .def("ask_on_gpu", &RecordPredictorHandle::ask_on_gpu, nb::arg("values").noconvert(), nb::arg("what"),
           nb::arg("stream"))
      .def("explain", &RecordPredictorHandle::explain);
}

}  // namespace fernwood::python
