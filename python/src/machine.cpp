// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"
#include "fernwood/core/device.h"
#include "python/src/bindings.h"

namespace fernwood::python {

void bind_machine(nb::module_& module) {
  module.def("version", [] { return build_info().version; });
  module.def("available_devices", [] {
    std::vector<std::string> names;
    for (const Device device : available_devices()) names.push_back(to_string(device));
    return names;
  });
}

}  // namespace fernwood::python
