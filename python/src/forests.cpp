// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/tuple.h>

#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/description.h"
#include "python/common/src/gil.h"
#include "python/src/encoders.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

std::size_t num_trees(const ForestHandle& handle) {
  std::size_t count = 0;
  for (const std::vector<forest::Tree>& trees : handle.forest->stages) count += trees.size();
  return count;
}

ReportHandle describe(const ForestHandle& handle, const std::string& path) {
  const auto summary = std::make_shared<const forest::ForestSummary>(forest::summarize(*handle.forest));
  const std::string checksum = model_checksum(path);
  return {[=, forest = handle.forest] { return report::model_json(*forest, *summary, checksum); },
          [=, forest = handle.forest] { return report::model_table(*forest, *summary, checksum); },
          {}};
}

}  // namespace

void bind_forests(nb::module_& module) {
  nb::class_<ForestHandle>(module, "Forest")
      .def_static(
          "load",
          [](const std::string& path) {
            const WithoutGil without_gil;
            return ForestHandle{std::make_shared<const forest::Forest>(forest::load_forest(path))};
          },
          nb::arg("path"))
      .def(
          "save",
          [](const ForestHandle& handle, const std::string& path) {
            const WithoutGil without_gil;
            forest::save_forest(*handle.forest, path);
          },
          nb::arg("path"))
      .def("classes", [](const ForestHandle& handle) { return class_list(handle.forest->classes.classes); })
      .def("kind", [](const ForestHandle& handle) { return to_string(handle.forest->kind); })
      .def("num_trees", num_trees)
      .def("channels", [](const ForestHandle& handle) { return handle.forest->preparation.channels.set_names(); })
      .def("options", [](const ForestHandle& handle) { return handle.forest->options_json; })
      .def("equals",
           [](const ForestHandle& handle, const ForestHandle& other) { return *handle.forest == *other.forest; })
      .def("encoder",
           [](const ForestHandle& handle) {
             const auto& encoder = handle.forest->encoder;
             return encoder ? nb::object(nb::make_tuple(encoder->name, encoder->checksum, encoder->options_json))
                            : nb::none();
           })
      .def(
          "check_encoder",
          [](const ForestHandle& handle, const EncoderHandle& encoder) {
            predict::check_encoder(*handle.forest, encoder.encoder->info());
          },
          nb::arg("encoder"))
      .def("describe", describe, nb::arg("path"));
}

}  // namespace fernwood::python
