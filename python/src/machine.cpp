// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <pthread.h>

#include <atomic>

#include "fernwood/core/device.h"
#include "python/src/bindings.h"

namespace fernwood::python {

namespace {

std::atomic<bool> threads_began = false, threads_are_lost = false;

}  // namespace

void begin_threads() {
  FW_CHECK(
      !threads_are_lost, Runtime,
      "this process was forked from one in which fernwood had threads, which a fork does not copy; start processes "
      "with multiprocessing.get_context(\"spawn\"), or fork before the first use of fernwood");
  if (threads_began) return;
  // The handler holds for children of children, too: it only ever says so once more.
  pthread_atfork(nullptr, nullptr, [] { threads_are_lost = true; });
  threads_began = true;
}

void warn(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  const nb::object tell = nb::module_::import_("fernwood.errors").attr("warn");
  for (const std::string& sentence : sentences) tell(sentence);
}

void bind_machine(nb::module_& module) {
  module.def("version", [] { return build_info().version; });
  module.def("available_devices", [] {
    std::vector<std::string> names;
    for (const Device device : available_devices()) names.push_back(to_string(device));
    return names;
  });
}

}  // namespace fernwood::python
