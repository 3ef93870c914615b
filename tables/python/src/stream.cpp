// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "fernwood/stream/train_stream.h"
#include "python/common/src/gil.h"
#include "python/common/src/long_work.h"
#include "python/src/record_arrays.h"
#include "python/src/record_handles.h"

namespace fernwood::python {

namespace {

/// A growing tree; handles one call at a time, from any Python thread.
class StreamTrainerHandle {
 public:
  explicit StreamTrainerHandle(const OptionTexts& texts) {
    stream::StreamOptions options;
    stream::StreamWork work;
    stream::set_options(texts, options, work);
    trainer_ = threaded(std::make_unique<stream::StreamTrainer>(options, work));
  }

  /// @param classes  All classes that the stream has had up to the last of these records.
  void feed(const RecordArray& values, const LabelArray& labels, const std::vector<std::string>& attributes,
            const std::vector<std::string>& classes) {
    const records::RecordView view = view_of_records(values);
    const std::int32_t* const label_data = labels.data();
    FW_CHECK(labels.shape(0) == view.num_records, Data,
             "there are " << labels.shape(0) << " labels for " << view.num_records << " records; pass one for each");
    feed_table([&] { return copy_table(view, label_data, attributes, classes); });
  }

  /// Adds records with targets.
  void feed_values(const RecordArray& values, const TargetArray& targets, const std::vector<std::string>& attributes,
                   const std::string& target) {
    const records::RecordView view = view_of_records(values);
    const double* const target_data = targets.data();
    FW_CHECK(targets.shape(0) == view.num_records, Data,
             "there are " << targets.shape(0) << " targets for " << view.num_records << " records; pass one for each");
    feed_table([&] {
      records::RecordTable table = copy_table(view, nullptr, attributes, {});
      table.target = target;
      table.targets.assign(target_data, target_data + view.num_records);
      return table;
    });
  }

  /// Adds a few records with the attributes and classes of those before.
  void feed_few(const RecordArray& values, std::vector<std::int32_t> labels) {
    feed_rows(values, [&](records::RecordTable& table) { table.labels = std::move(labels); });
  }
  void feed_few_values(const RecordArray& values, std::vector<double> targets) {
    feed_rows(values, [&](records::RecordTable& table) { table.targets = std::move(targets); });
  }

  using Codes = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  void classify(const RecordArray& values, const Codes& codes) {
    predict_into(values, codes.shape(0), [&](const Array2<double>& shares) {
      for (std::size_t i = 0; i < shares.rows(); ++i)
        codes.data()[i] =
            static_cast<std::int32_t>(std::max_element(shares.row(i), shares.row(i) + shares.cols()) - shares.row(i));
    });
  }
  /// @param predicted  [record][class or target] Room for at least the classes known.
  void predict(const RecordArray& values, const Rows& predicted) {
    predict_into(values, predicted.shape(0), [&](const Array2<double>& found) {
      const std::size_t width = std::min(found.cols(), predicted.shape(1));
      for (std::size_t i = 0; i < found.rows(); ++i)
        std::copy_n(found.row(i), width, predicted.data() + i * predicted.shape(1));
    });
  }

  RecordForestHandle tree() {
    begin_threads();
    stream::StreamReport report;
    const auto work = [&](const std::stop_token& stop) {
      const std::lock_guard lock(mutex_);
      const auto go_on = [&](const stream::StreamProgress&) {
        if (stop.stop_requested()) throw Error(ErrorKind::kInterrupted, "growing was interrupted");
      };
      return own(trainer_->tree(go_on, &report));
    };
    const RecordForestHandle tree = run_interruptibly(work, {});
    importances_ = report.importances;
    for (const Warning& warning : report.warnings) warn({in_python(warning.text)});
    return tree;
  }

  /// Of the last tree(): see StreamReport.
  const std::vector<double>& importances() const { return importances_; }

  stream::Prequential prequential() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return trainer_->prequential();
  }

  std::uint64_t num_records() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return trainer_->num_records();
  }

 private:
  template <typename SetLabels>
  void feed_rows(const RecordArray& values, const SetLabels& set_labels) {
    records::RecordTable table = copy_table(view_of_records(values), nullptr, {}, {});
    set_labels(table);
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    trainer_->feed_more(std::move(table));
    trainer_->grow();
  }

  /// @param room  Number of records that the result has room for.
  template <typename Take>
  void predict_into(const RecordArray& values, std::size_t room, const Take& take) {
    const records::RecordView view = view_of_records(values);
    FW_CHECK(room == view.num_records, Usage, "there is room for " << room << " of " << view.num_records << " records");
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    take(trainer_->predict(view));
  }

  template <typename MakeTable>
  void feed_table(const MakeTable& make_table) {
    begin_threads();
    {
      const WithoutGil without_gil;
      const std::lock_guard lock(mutex_);
      trainer_->feed(make_table());
    }
    const auto work = [&](const std::stop_token& stop) {
      const std::lock_guard lock(mutex_);
      trainer_->grow([&] { return !stop.stop_requested(); });
      return true;
    };
    run_interruptibly(work, {});
  }

  Threaded<stream::StreamTrainer> trainer_;
  std::vector<double> importances_;  // read and written while holding the GIL
  std::mutex mutex_;                 // never waited for while holding the GIL
};

}  // namespace

namespace {

bool has_infinite(const RecordArray& values) {
  const records::RecordView view = view_of_records(values);
  for (std::size_t i = 0; i < view.num_records; ++i)
    for (std::size_t a = 0; a < view.num_attributes; ++a)
      if (std::isinf(view.at(i, a))) return true;
  return false;
}

nb::tuple errors_tuple(const stream::PrequentialErrors& errors) {
  return nb::make_tuple(errors.rmse, errors.mae, errors.r2);
}

}  // namespace

void bind_stream(nb::module_& module) {
  module.def("has_infinite", &has_infinite, nb::arg("values").noconvert());
  nb::class_<StreamTrainerHandle>(module, "StreamTrainerHandle")
      .def(nb::init<const OptionTexts&>())
      .def("feed", &StreamTrainerHandle::feed, nb::arg("values").noconvert(), nb::arg("labels").noconvert(),
           nb::arg("attributes"), nb::arg("classes"))
      .def("feed_values", &StreamTrainerHandle::feed_values, nb::arg("values").noconvert(),
           nb::arg("targets").noconvert(), nb::arg("attributes"), nb::arg("target"))
      .def("feed_few", &StreamTrainerHandle::feed_few, nb::arg("values").noconvert(), nb::arg("labels"))
      .def("feed_few_values", &StreamTrainerHandle::feed_few_values, nb::arg("values").noconvert(), nb::arg("targets"))
      .def("classify", &StreamTrainerHandle::classify, nb::arg("values").noconvert(), nb::arg("codes").noconvert())
      .def("predict", &StreamTrainerHandle::predict, nb::arg("values").noconvert(), nb::arg("predicted").noconvert())
      .def("tree", &StreamTrainerHandle::tree)
      .def_prop_ro("importances", &StreamTrainerHandle::importances)
      // Number of tested records, number of correct ones, and both for the recent records.
      .def_prop_ro("prequential",
                   [](StreamTrainerHandle& handle) {
                     const stream::Prequential now = handle.prequential();
                     return nb::make_tuple(now.records, now.right, now.recent_records, now.recent_right, now.no_change);
                   })
      // Number of tested records, their errors, and both for the recent records.
      .def_prop_ro("prequential_errors",
                   [](StreamTrainerHandle& handle) {
                     const stream::Prequential now = handle.prequential();
                     return nb::make_tuple(now.records, errors_tuple(now.errors), now.recent_records,
                                           errors_tuple(now.recent_errors), now.no_change);
                   })
      .def_prop_ro("num_records", &StreamTrainerHandle::num_records);
}

}  // namespace fernwood::python
