// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <mutex>
#include <utility>

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
             "there are " << labels.shape(0) << " labels for " << view.num_records << " records; give one for each");
    feed_table([&] { return copy_table(view, label_data, attributes, classes); });
  }

  /// Adds records with targets.
  void feed_values(const RecordArray& values, const TargetArray& targets, const std::vector<std::string>& attributes,
                   const std::string& target) {
    const records::RecordView view = view_of_records(values);
    const double* const target_data = targets.data();
    FW_CHECK(targets.shape(0) == view.num_records, Data,
             "there are " << targets.shape(0) << " targets for " << view.num_records << " records; give one for each");
    feed_table([&] {
      records::RecordTable table = copy_table(view, nullptr, attributes, {});
      table.target = target;
      table.targets.assign(target_data, target_data + view.num_records);
      return table;
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

nb::tuple errors_tuple(const stream::PrequentialErrors& errors) {
  return nb::make_tuple(errors.rmse, errors.mae, errors.r2);
}

}  // namespace

void bind_stream(nb::module_& module) {
  nb::class_<StreamTrainerHandle>(module, "StreamTrainerHandle")
      .def(nb::init<const OptionTexts&>())
      .def("feed", &StreamTrainerHandle::feed, nb::arg("values").noconvert(), nb::arg("labels").noconvert(),
           nb::arg("attributes"), nb::arg("classes"))
      .def("feed_values", &StreamTrainerHandle::feed_values, nb::arg("values").noconvert(),
           nb::arg("targets").noconvert(), nb::arg("attributes"), nb::arg("target"))
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
