// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <memory>
#include <mutex>
#include <utility>

#include "fernwood/core/file.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_bytes.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/records/tree_arrays.h"
#include "fernwood/records/wide_records.h"
#include "fernwood/report/description.h"
#include "fernwood/report/records.h"
#include "python/src/gil.h"
#include "python/src/long_work.h"
#include "python/src/record_arrays.h"
#include "python/src/record_handles.h"
#include "python/src/report_handle.h"

namespace fernwood::python {

namespace {

using Names = std::vector<std::string>;

template <typename T>
using NodeArray = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

/// A predictor keeps what it found to be fastest; one call at a time, whatever threads of Python do.
class RecordPredictorHandle {
 public:
  RecordPredictorHandle(const RecordForestHandle& forest, const OptionTexts& options) : forest_(forest.forest) {
    records::set_options(options, options_);
    begin_threads();
    evaluator_ = threaded(records::make_record_evaluator(*forest_, options_));
  }

  void classify(const RecordArray& values,
                const nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& classes) {
    const records::RecordView view = view_of_records(values);
    FW_CHECK(classes.shape(0) == view.num_records, Usage,
             "there is room for " << classes.shape(0) << " classes of " << view.num_records << " records");
    std::int32_t* const out = classes.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    if (view.num_records > 0) evaluator_->classify(view, out);
  }

  void find_probabilities(const RecordArray& values,
                          const nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& probabilities) {
    const records::RecordView view = view_of_records(values);
    FW_CHECK(probabilities.shape(0) == view.num_records && probabilities.shape(1) == forest_->classes.size(), Usage,
             "there is room for the probabilities of " << probabilities.shape(0) << " records and "
                                                       << probabilities.shape(1) << " classes, not of "
                                                       << view.num_records << " and " << forest_->classes.size());
    float* const out = probabilities.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    if (!probabilities_)
      probabilities_ = threaded(std::make_unique<records::ProbabilityEvaluator>(*forest_, options_.threads));
    if (view.num_records > 0) probabilities_->find(view, out);
  }

  std::string explain() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return evaluator_->explain();
  }

 private:
  std::shared_ptr<const records::RecordForest> forest_;
  records::EvaluatorOptions options_;
  Threaded<records::RecordEvaluator> evaluator_;
  Threaded<records::ProbabilityEvaluator> probabilities_;  ///< Made when it is first asked for.
  std::mutex mutex_;                                       // never waited for with the GIL
};

records::ImportOptions import_options(const std::string& format, const Names& classes, const Names& attributes,
                                      const std::string& rounds) {
  return {parse_name("format", format, records::kModelSources), classes, attributes,
          parse_name("rounds", rounds, records::kRounds)};
}

RecordForestHandle import_file(const std::string& path, const std::string& format, const Names& classes,
                               const Names& attributes, const std::string& rounds) {
  const records::ImportOptions options = import_options(format, classes, attributes, rounds);
  const WithoutGil without_gil;
  return own(records::import_model(path, options));
}

RecordForestHandle import_text(const nb::bytes& text, const std::string& name, const std::string& format,
                               const Names& classes, const Names& attributes, const std::string& rounds) {
  const records::ImportOptions options = import_options(format, classes, attributes, rounds);
  const std::string_view view(text.c_str(), text.size());  // the caller holds the bytes
  const WithoutGil without_gil;
  return own(records::import_text_of(view, name, options));
}

/// What records of 64 bits become where 32 bits would lose classes.
class WideForestHandle {
 public:
  WideForestHandle(const nb::bytes& text, const std::string& name, int threads)
      : wide_(records::import_wide_text({text.c_str(), text.size()}, name)),
        forest_{std::make_shared<const records::RecordForest>(wide_.forest)},
        pool_(new ThreadPool(threads)) {
    begin_threads();
  }

  const RecordForestHandle& forest() const { return forest_; }

  /// @param ranks  [attribute][record]
  void rank(const nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>& values,
            const nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& ranks) {
    const records::WideView view = {values.data(), values.shape(0), values.shape(1), values.stride(0),
                                    values.stride(1)};
    FW_CHECK(ranks.shape(0) == view.num_attributes && ranks.shape(1) == view.num_records, Usage,
             "there is room for " << ranks.shape(1) << " records of " << ranks.shape(0) << " attributes, not for "
                                  << view.num_records << " of " << view.num_attributes);
    float* const out = ranks.data();
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    records::rank_records(wide_, view, *pool_, out);
  }

 private:
  records::WideForest wide_;
  RecordForestHandle forest_;
  Threaded<ThreadPool> pool_;
  std::mutex mutex_;
};

/// A tree in Python's arrays, which are held as long as their numbers are read.
struct PythonTree {
  NodeArray<std::int64_t> left, right, attribute;
  NodeArray<double> threshold;
  NodeArray<std::uint8_t> nan_left;
  nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values;
  std::size_t first_output;

  explicit PythonTree(const nb::handle& arrays)
      : left(nb::cast<decltype(left)>(arrays["left"])),
        right(nb::cast<decltype(right)>(arrays["right"])),
        attribute(nb::cast<decltype(attribute)>(arrays["attribute"])),
        threshold(nb::cast<decltype(threshold)>(arrays["threshold"])),
        nan_left(nb::cast<decltype(nan_left)>(arrays["nan_left"])),
        values(nb::cast<decltype(values)>(arrays["values"])),
        first_output(nb::cast<std::size_t>(arrays["first_output"])) {}

  template <typename T>
  static records::StridedArray<T> strided(const NodeArray<T>& array) {
    return {array.data(), array.shape(0), static_cast<std::ptrdiff_t>(array.stride(0) * std::int64_t{sizeof(T)})};
  }
  records::TreeArrays arrays() const {
    return {strided(left),      strided(right),    strided(attribute),
            strided(threshold), strided(nan_left), {values.data(), values.size(), sizeof(double)},
            first_output,       values.shape(1)};
  }
};

RecordForestHandle import_arrays(const nb::dict& model, const std::string& name, const Names& classes,
                                 const Names& attributes) {
  std::vector<PythonTree> trees;
  const nb::object listed = model["trees"], base = model["base"];
  const nb::tuple all(listed);  // no list, which could change
  for (const nb::handle tree : all) trees.emplace_back(tree);
  records::ForestArrays arrays;
  arrays.link = parse_name("link", nb::cast<std::string>(model["link"]), records::kLinks);
  arrays.num_classes = nb::cast<std::size_t>(model["num_classes"]);
  arrays.num_attributes = nb::cast<std::size_t>(model["num_attributes"]);
  arrays.base = nb::cast<std::vector<double>>(nb::object(nb::tuple(base)));
  arrays.estimator = nb::cast<std::string>(model["estimator"]);
  arrays.library_version = nb::cast<std::string>(model["library_version"]);
  for (const PythonTree& tree : trees) arrays.trees.push_back(tree.arrays());
  const WithoutGil without_gil;
  return own(records::import_arrays(arrays, name, {records::ModelSource::kSklearn, classes, attributes, {}}));
}

/// The forest, and what growing it took.
std::pair<RecordForestHandle, ReportHandle> train(const RecordArray& values, const LabelArray& labels,
                                                  const Names& attributes, const Names& classes,
                                                  const OptionTexts& texts, int threads, const nb::object& tell) {
  records::RecordTrainOptions options;
  records::set_options(texts, options);
  options.check();
  const records::RecordView view = view_of_records(values);
  const std::int32_t* const label_data = labels.data();
  FW_CHECK(labels.shape(0) == view.num_records, Data,
           "there are " << labels.shape(0) << " labels for " << view.num_records << " records; give one for each");
  records::RecordTrainReport report;
  const auto work = [&](const ProgressCallback& progress) {
    const records::RecordTable table = copy_table(view, label_data, attributes, classes);
    ThreadPool pool(threads);
    return own(records::train_records(table, options, pool, progress, &report));
  };
  const RecordForestHandle forest = run_counted("growing", tell, work);
  const std::size_t num_records = view.num_records;
  const auto json = [=] { return report::record_training_json(*forest.forest, num_records, report, ""); };
  const auto table = [=] { return report::record_training_table(*forest.forest, num_records, report); };
  return {forest, ReportHandle{json, table, {}}};
}

void bind_record_forest(nb::module_& module) {
  nb::class_<RecordForestHandle>(module, "RecordForestHandle")
      .def("save",
           [](const RecordForestHandle& self, const std::string& path) {
             const WithoutGil without_gil;
             records::save_records(*self.forest, path);
           })
      .def("to_bytes",
           [](const RecordForestHandle& self) {
             TextOutput bytes;
             records::write_records(*self.forest, "the forest", bytes);
             const std::string_view view = bytes.view();
             return nb::bytes(view.data(), view.size());
           })
      .def_prop_ro("classes", [](const RecordForestHandle& self) { return self.forest->classes; })
      .def_prop_ro("attributes", [](const RecordForestHandle& self) { return self.forest->attributes; })
      .def_prop_ro("spaces_are_underscores",
                   [](const RecordForestHandle& self) { return records::spaces_are_underscores(*self.forest); })
      .def_prop_ro("num_trees", [](const RecordForestHandle& self) { return self.forest->trees.size(); })
      .def("describe", [](const RecordForestHandle& self) {
        const auto forest = self.forest;
        const auto json = [=] { return report::model_json(*forest, records::summarize(*forest), ""); };
        const auto table = [=] { return report::model_table(*forest, records::summarize(*forest), ""); };
        return ReportHandle{json, table, {}};
      });
  module.def("load_record_forest", [](const std::string& path) {
    const WithoutGil without_gil;
    return own(records::load_records(path));
  });
  module.def("record_forest_of_bytes", [](const nb::bytes& bytes) {
    return own(records::read_records({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "the model"));
  });
  module.def("is_unknown_value", [](const std::string& field) { return records::is_unknown_value(field); });
  module.def("name_problem", records::name_problem);
  module.def("import_record_file", import_file);
  module.def("import_record_text", import_text);
  module.def("import_record_arrays", import_arrays);
  module.def("train_record_forest", train, nb::arg("values").noconvert(), nb::arg("labels").noconvert(),
             nb::arg("attributes"), nb::arg("classes"), nb::arg("options"), nb::arg("threads"), nb::arg("tell").none());
}

void bind_record_predictor(nb::module_& module) {
  nb::class_<WideForestHandle>(module, "WideForestHandle")
      .def(nb::init<const nb::bytes&, const std::string&, int>())
      .def_prop_ro("forest", &WideForestHandle::forest)
      .def("rank", &WideForestHandle::rank, nb::arg("values").noconvert(), nb::arg("ranks").noconvert());
  nb::class_<RecordPredictorHandle>(module, "RecordPredictorHandle")
      .def(nb::init<const RecordForestHandle&, const OptionTexts&>(), nb::call_guard<WithoutGil>())
      .def("classify", &RecordPredictorHandle::classify, nb::arg("values").noconvert(), nb::arg("classes").noconvert())
      .def("find_probabilities", &RecordPredictorHandle::find_probabilities, nb::arg("values").noconvert(),
           nb::arg("probabilities").noconvert())
      .def("explain", &RecordPredictorHandle::explain);
}

}  // namespace

records::RecordTable copy_table(const records::RecordView& view, const std::int32_t* labels, const Names& attributes,
                                const Names& classes) {
  records::RecordTable table;
  table.attributes = attributes;
  table.classes = classes;
  table.values = Array2<float>(view.num_records, view.num_attributes);
  for (std::size_t i = 0; i < view.num_records; ++i)
    for (std::size_t a = 0; a < view.num_attributes; ++a) table.values(i, a) = view.at(i, a);
  table.labels.assign(labels, labels + view.num_records);
  return table;
}

void bind_records(nb::module_& module) {
  bind_record_forest(module);
  bind_record_predictor(module);
}

}  // namespace fernwood::python
