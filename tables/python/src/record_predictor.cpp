// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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

  /// Evaluates a single record while the GIL is held, which takes less time than to release it.
  /// @return  False, if nothing was evaluated: another thread uses the predictor, or it must be completed first.
  template <typename Find>
  bool try_now(bool asks_class, const Find& find) {
    begin_threads();
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !(asks_class ? evaluator_ != nullptr : values_ != nullptr)) return false;
    const DefaultFloats floats;  // the caller may have changed them
    find(*this);
    return true;
  }
  records::RecordEvaluator& classes_now() { return *evaluator_; }
  records::ValueEvaluator& values_now() { return *values_; }
  const records::RecordForest& forest() const { return *forest_; }

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

/// Evaluates single records by the shortest way: the only row of an array of NumPy's own type, of float32 or float64.
/// Its memory is read in place, and answers are copies of an array that was made once. All methods hold the GIL.
class RecordRowHandle {
 public:
  /// @param wide  For a predictor of its forest: rows are float64, and their ranks are evaluated; otherwise None.
  /// @param what  "codes", "margins" or "predicted".
  /// @param answer  [1][numbers] float32 or float64, of which find() returns copies.
  RecordRowHandle(nb::object predictor, const nb::object& wide, const std::string& what, const nb::object& answer)
      : predictor_(std::move(predictor)),
        handle_(nb::cast<RecordPredictorHandle&>(predictor_)),
        asks_codes_(what == "codes"),
        asks_margins_(what == "margins"),
        array_type_(answer.type()),
        copy_answer_(answer.attr("copy")),
        answer_(nb::cast<nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>>(answer)),
        floats_(handle_.forest().attributes.size()),
        found_(asks_margins_ ? handle_.forest().num_outputs() : handle_.forest().num_predicted()) {
    if (!wide.is_none()) wide_ = nb::cast<const WideForestHandle&>(wide).wide;
    FW_CHECK(asks_codes_ || answer_.size() == found_.size(), Usage,
             "there is room for " << answer_.size() << " numbers, not for " << found_.size());
  }

  /// A new array like `answer`, or for "codes" the class as a number; None if the argument is not such a row, or the
  /// predictor cannot evaluate it now: then ask the predictor.
  nb::object find(const nb::object& values) {
    if (!values.type().is(array_type_) || !nb::try_cast(values, row_, false)) return nb::none();
    const bool found = is_row() && (row_.dtype() == nb::dtype<double>() ? find_doubles() : find_floats());
    row_ = {};  // releases the caller's array
    if (!found) return nb::none();
    if (asks_codes_) return nb::int_(code_);
    const bool is_single = handle_.forest().float_sums ? handle_.forest().float_sums->is_single : true;
    if (answer_.dtype() == nb::dtype<float>())
      std::ranges::transform(found_, static_cast<float*>(answer_.data()), [](double x) { return float(x); });
    else
      std::ranges::transform(found_, static_cast<double*>(answer_.data()),
                             [&](double x) { return is_single ? double(float(x)) : x; });
    return copy_answer_();
  }

 private:
  bool is_row() const {
    return row_.ndim() == 2 && row_.shape(0) == 1 && row_.shape(1) == floats_.size() && row_.stride(1) > 0 &&
           reinterpret_cast<std::uintptr_t>(row_.data()) % (row_.dtype().bits / 8) == 0;
  }

  bool find_floats() {
    if (wide_ || row_.dtype() != nb::dtype<float>()) return false;
    const auto step = static_cast<std::size_t>(row_.stride(1));
    return evaluate({static_cast<const float*>(row_.data()), 1, floats_.size(), floats_.size() * step, step});
  }

  bool find_doubles() {
    const auto* const values = static_cast<const double*>(row_.data());
    const std::int64_t step = row_.stride(1);
    for (std::size_t a = 0; a < floats_.size(); ++a) {
      const double value = values[static_cast<std::int64_t>(a) * step];
      floats_[a] = wide_ ? wide_->rank_of(a, value) : static_cast<float>(value);
    }
    records::RecordView record = records::records_by_rows(floats_.data(), 1, floats_.size());
    if (wide_) record.exact = values, record.exact_attribute_step = step;
    return evaluate(record);
  }

  bool evaluate(const records::RecordView& record) {
    return handle_.try_now(asks_codes_, [&](RecordPredictorHandle& handle) {
      if (asks_codes_)
        handle.classes_now().classify(record, &code_);
      else if (asks_margins_)
        handle.values_now().find_margins(record, found_.data());
      else
        handle.values_now().predict(record, found_.data());
    });
  }

  nb::object predictor_;
  RecordPredictorHandle& handle_;  ///< Of predictor_.
  const bool asks_codes_, asks_margins_;
  nb::handle array_type_;  ///< numpy.ndarray, which lives as long as the answer.
  nb::object copy_answer_;
  nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu> answer_;
  std::shared_ptr<const records::WideForest> wide_;
  std::vector<float> floats_;  ///< [attribute]
  std::vector<double> found_;
  std::int32_t code_ = 0;
  nb::ndarray<nb::ro, nb::device::cpu> row_;
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
  nb::class_<RecordRowHandle>(module, "RecordRowHandle")
      .def(nb::init<nb::object, const nb::object&, const std::string&, const nb::object&>(), nb::arg("predictor"),
           nb::arg("wide").none(), nb::arg("what"), nb::arg("answer"))
      .def("find", &RecordRowHandle::find, nb::arg("values"));
}

}  // namespace fernwood::python
