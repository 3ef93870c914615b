// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_bytes.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/records/tree_arrays.h"
#include "fernwood/report/records.h"
#include "python/common/src/gil.h"
#include "python/common/src/long_work.h"
#include "python/src/record_arrays.h"
#include "python/src/record_handles.h"

namespace fernwood::python {

namespace {

using Names = std::vector<std::string>;

template <typename T>
using NodeArray = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

/// @param classes, attributes  Not passed as option texts, because names may contain commas.
records::ImportOptions import_options(const OptionTexts& texts, const Names& classes, const Names& attributes) {
  records::ImportOptions options{.classes = classes, .attributes = attributes};
  for (const auto& [name, text] : texts) set_option(name, text, options);
  return options;
}

RecordForestHandle import_file(const std::string& path, const OptionTexts& texts, const Names& classes,
                               const Names& attributes) {
  const records::ImportOptions options = import_options(texts, classes, attributes);
  const WithoutGil without_gil;
  return own(records::import_model(path, options));
}

RecordForestHandle import_text(const nb::bytes& text, const std::string& name, const OptionTexts& texts,
                               const Names& classes, const Names& attributes) {
  const records::ImportOptions options = import_options(texts, classes, attributes);
  const std::string_view view(text.c_str(), text.size());  // the caller keeps the bytes alive
  const WithoutGil without_gil;
  return own(records::import_text_of(view, name, options));
}

/// A tree in Python's arrays, which are kept alive while it is read.
struct PythonTree {
  NodeArray<std::int64_t> left, right, attribute;
  NodeArray<double> threshold;
  NodeArray<std::uint8_t> nan_left;
  nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values;
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> covers;
  std::size_t first_output;
  NodeArray<std::int64_t> set;
  nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> set_words;

  explicit PythonTree(const nb::handle& arrays)
      : left(nb::cast<decltype(left)>(arrays["left"])),
        right(nb::cast<decltype(right)>(arrays["right"])),
        attribute(nb::cast<decltype(attribute)>(arrays["attribute"])),
        threshold(nb::cast<decltype(threshold)>(arrays["threshold"])),
        nan_left(nb::cast<decltype(nan_left)>(arrays["nan_left"])),
        values(nb::cast<decltype(values)>(arrays["values"])),
        covers(nb::cast<decltype(covers)>(arrays["covers"])),
        first_output(nb::cast<std::size_t>(arrays["first_output"])),
        set(nb::cast<decltype(set)>(arrays["set"])),
        set_words(nb::cast<decltype(set_words)>(arrays["set_words"])) {}

  template <typename T>
  static records::StridedArray<T> strided(const NodeArray<T>& array) {
    return {array.data(), array.shape(0), static_cast<std::ptrdiff_t>(array.stride(0) * std::int64_t{sizeof(T)})};
  }
  records::TreeArrays arrays() const {
    return {strided(left),
            strided(right),
            strided(attribute),
            strided(threshold),
            strided(nan_left),
            {values.data(), values.size(), sizeof(double)},
            {covers.data(), covers.size(), sizeof(double)},
            first_output,
            values.shape(1),
            strided(set),
            {set_words.data(), set_words.size(), sizeof(std::uint64_t)},
            set_words.shape(1)};
  }
};

/// Trees of another library, with the arrays that hold them.
class PythonForest {
 public:
  explicit PythonForest(const nb::dict& model) {
    const nb::object listed = model["trees"];
    const nb::tuple all(listed);  // a copy, since the list could change
    for (const nb::handle tree : all) trees_.emplace_back(tree);
    arrays_.link = parse_name("link", nb::cast<std::string>(model["link"]), records::kLinks);
    arrays_.num_classes = nb::cast<std::size_t>(model["num_classes"]);
    arrays_.num_targets = nb::cast<std::size_t>(model["num_targets"]);
    arrays_.num_attributes = nb::cast<std::size_t>(model["num_attributes"]);
    arrays_.slope = nb::cast<double>(model["slope"]);
    arrays_.class_rule = parse_name("class_rule", nb::cast<std::string>(model["class_rule"]), records::kClassRules);
    arrays_.sums.base = numbers(model["base"]);
    arrays_.sums.divisor = nb::cast<double>(model["divisor"]);
    arrays_.sums.divisors = numbers(model["divisors"]);
    arrays_.trees_per_iteration = nb::cast<std::uint32_t>(model["trees_per_iteration"]);
    arrays_.is_wide = nb::cast<bool>(model["is_wide"]);
    arrays_.estimator = nb::cast<std::string>(model["estimator"]);
    arrays_.library_version = nb::cast<std::string>(model["library_version"]);
    for (const PythonTree& tree : trees_) arrays_.trees.push_back(tree.arrays());
  }

  const records::ForestArrays& arrays() const { return arrays_; }

 private:
  static std::vector<double> numbers(const nb::object& listed) {
    return nb::cast<std::vector<double>>(nb::object(nb::tuple(listed)));
  }

  std::vector<PythonTree> trees_;
  records::ForestArrays arrays_;
};

RecordForestHandle import_arrays(const nb::dict& model, const std::string& name, const Names& classes,
                                 const Names& attributes) {
  const PythonForest forest(model);
  const WithoutGil without_gil;
  return own(records::import_arrays(forest.arrays(), name, {records::ModelSource::kSklearn, classes, attributes, {}}));
}

/// Returns the forest and a report on its training.
/// @param num_labels  Number of given labels. @param weights  Empty: all 1.
/// @param make_table  make_table(records) returns them with their labels.
template <typename MakeTable>
std::pair<RecordForestHandle, ReportHandle> train(const RecordArray& values, std::size_t num_labels,
                                                  const TargetArray& weights, const OptionTexts& texts, int threads,
                                                  const nb::object& tell, const MakeTable& make_table) {
  records::RecordTrainOptions options;
  records::set_options(texts, options);
  options.check();
  const records::RecordView view = view_of_records(values);
  FW_CHECK(num_labels == view.num_records, Data,
           "there are " << num_labels << " labels for " << view.num_records << " records; pass one for each");
  records::RecordTrainReport report;
  const auto work = [&](const ProgressCallback& progress) {
    records::RecordTable table = make_table(view);
    table.weights.assign(weights.data(), weights.data() + weights.shape(0));
    ThreadPool pool(threads);
    return own(records::train_records(table, options, pool, progress, &report));
  };
  const RecordForestHandle forest = run_counted("growing", tell, work);
  for (const Warning& warning : report.warnings) warn({in_python(warning.text)});
  const std::size_t num_records = view.num_records;
  const auto json = [=] { return report::record_training_json(*forest.forest, num_records, report, ""); };
  const auto table = [=] { return report::record_training_table(*forest.forest, num_records, report); };
  return {forest, ReportHandle{json, table, {}}};
}

std::pair<RecordForestHandle, ReportHandle> train_classes(const RecordArray& values, const LabelArray& labels,
                                                          const TargetArray& weights, const Names& attributes,
                                                          const Names& classes, const OptionTexts& texts, int threads,
                                                          const nb::object& tell) {
  return train(values, labels.shape(0), weights, texts, threads, tell,
               [&, data = labels.data()](const auto& view) { return copy_table(view, data, attributes, classes); });
}

std::pair<RecordForestHandle, ReportHandle> train_values(const RecordArray& values, const TargetArray& targets,
                                                         const TargetArray& weights, const Names& attributes,
                                                         const std::string& target, const OptionTexts& texts,
                                                         int threads, const nb::object& tell) {
  return train(values, targets.shape(0), weights, texts, threads, tell, [&, data = targets.data()](const auto& view) {
    records::RecordTable table = copy_table(view, nullptr, attributes, {});
    table.target = target;
    table.targets.assign(data, data + view.num_records);
    return table;
  });
}

/// @param values  [text] Output: the values of these categories in records.
void read_categories(const std::vector<nb::bytes>& texts,
                     const nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
  FW_CHECK(values.shape(0) == texts.size(), Usage, "there is not a value for each text");
  for (std::size_t i = 0; i < texts.size(); ++i)
    values.data()[i] = records::value_of_category(records::category_of_text({texts[i].c_str(), texts[i].size()}));
}

void bind_record_forest(nb::module_& module) {
  nb::class_<RecordForestHandle>(module, "RecordForestHandle")
      .def("save",
           [](const RecordForestHandle& self, const std::string& path) {
             const WithoutGil without_gil;
             records::save_records(*self.forest, path);
           })
      .def("write_source",
           [](const RecordForestHandle& self, const std::string& path, const std::optional<std::string>& name_space) {
             const WithoutGil without_gil;
             write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) {
               if (name_space)
                 records::write_cpp(*self.forest, *name_space, out);
               else
                 records::write_onnx(*self.forest, out);
             });
           })
      .def("to_bytes",
           [](const RecordForestHandle& self) {
             TextOutput bytes;
             records::write_records(*self.forest, "the forest", bytes);
             const std::string_view view = bytes.view();
             return nb::bytes(view.data(), view.size());
           })
      .def_prop_ro("classes", [](const RecordForestHandle& self) { return self.forest->classes; })
      .def_prop_ro("targets", [](const RecordForestHandle& self) { return self.forest->targets; })
      .def_prop_ro("attributes", [](const RecordForestHandle& self) { return self.forest->attributes; })
      .def_prop_ro("text_attributes",
                   [](const RecordForestHandle& self) { return self.forest->columns.text_attributes; })
      .def_prop_ro("link", [](const RecordForestHandle& self) { return to_string(self.forest->link); })
      .def_prop_ro("num_outputs", [](const RecordForestHandle& self) { return self.forest->num_outputs(); })
      .def_prop_ro(
          "is_single",
          [](const RecordForestHandle& self) { return !self.forest->float_sums || self.forest->float_sums->is_single; })
      .def_prop_ro("is_wide", [](const RecordForestHandle& self) { return self.forest->is_wide(); })
      .def_prop_ro("spaces_are_underscores",
                   [](const RecordForestHandle& self) { return records::spaces_are_underscores(*self.forest); })
      .def_prop_ro("version_note", [](const RecordForestHandle& self) { return records::version_note(*self.forest); })
      .def_prop_ro("num_trees", [](const RecordForestHandle& self) { return self.forest->trees.size(); })
      .def_prop_ro("importances", [](const RecordForestHandle& self) { return records::importances(*self.forest); })
      .def_prop_ro("num_iterations",
                   [](const RecordForestHandle& self) { return records::num_iterations(*self.forest); })
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
  module.def("name_problem", fernwood::name_problem);
  module.def("ambiguity_of", records::ambiguity_of);
  module.def("read_categories", read_categories, nb::arg("texts"), nb::arg("values").noconvert());
  module.def("import_record_file", import_file);
  module.def("import_record_text", import_text);
  module.def("import_record_arrays", import_arrays);
  module.def("train_record_values", train_values, nb::arg("values").noconvert(), nb::arg("targets").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("attributes"), nb::arg("target"), nb::arg("options"),
             nb::arg("threads"), nb::arg("tell").none());
  module.def("train_record_forest", train_classes, nb::arg("values").noconvert(), nb::arg("labels").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("attributes"), nb::arg("classes"), nb::arg("options"),
             nb::arg("threads"), nb::arg("tell").none());
}

void bind_wide_forest(nb::module_& module) {
  nb::class_<WideForestHandle>(module, "WideForestHandle")
      .def(nb::init<const RecordForestHandle&>())
      .def_prop_ro("forest", [](const WideForestHandle& self) { return self.forest; })
      .def(
          "rank",
          [](const WideForestHandle& self, const WideArray& values, int threads) {
            begin_threads();
            const WithoutGil without_gil;
            return RankedRecords(self, values, threads);
          },
          nb::arg("values").noconvert(), nb::arg("threads"));
  nb::class_<RankedRecords>(module, "RankedRecords").def("__len__", [](const RankedRecords& self) {
    return self.view.num_records;
  });
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
  if (labels) table.labels.assign(labels, labels + view.num_records);
  return table;
}

void bind_records(nb::module_& module) {
  bind_record_forest(module);
  bind_wide_forest(module);
  bind_record_predictor(module);
  bind_record_shap(module);
}

}  // namespace fernwood::python
