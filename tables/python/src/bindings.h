// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The parts of the module _fernwood_tables.

#include "python/common/src/bindings.h"

namespace fernwood::python {

void bind_options(nb::module_& module);
void bind_records(nb::module_& module);
void bind_stream(nb::module_& module);

}  // namespace fernwood::python
