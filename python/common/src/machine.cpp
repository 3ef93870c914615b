// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <atomic>

#include "fernwood/core/device.h"
#include "fernwood/core/file.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/platform.h"
#include "python/common/src/gil.h"

namespace fernwood::python {

namespace {

std::atomic<bool> threads_began = false, forked_since = false;

}  // namespace

void begin_threads() {
  FW_CHECK(
      !forked_since, Runtime,
      "this process was forked from one in which fernwood had threads, which a fork does not copy; start processes "
      "with multiprocessing.get_context(\"spawn\"), or fork before the first use of fernwood");
  if (threads_began) return;
  // The handler is inherited by children of children, where it only sets the flag once more.
  platform::after_fork([] { forked_since = true; });
  threads_began = true;
}

bool threads_are_lost() { return forked_since; }

void warn(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) call_python("errors", "warn", sentence);
}

void bind_machine(nb::module_& module) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end_work));
  module.def("version", [] { return build_info().version; });
  module.def("usable_threads", [] {
    begin_threads();
    return ThreadPool().num_threads();
  });
  module.def("available_devices", [] {
    std::vector<std::string> names;
    for (const Device device : available_devices()) names.push_back(to_string(device));
    return names;
  });
}

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
