// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"
#include "python/common/src/gil.h"
#include "python/common/src/report_handle.h"

namespace fernwood::python {

void bind_reports(nb::module_& module) {
  nb::class_<ReportHandle>(module, "Report")
      .def("json", [](const ReportHandle& report) { return report.json(); })
      .def("table", [](const ReportHandle& report) { return report.table(); })
      .def("page", [](const ReportHandle& report) -> std::optional<std::string> {
        if (!report.page) return std::nullopt;
        const WithoutGil without_gil;
        return report.page();
      });
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) {
        const WithoutGil without_gil;
        write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) { out << text; });
      },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace fernwood::python
