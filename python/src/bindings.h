// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the parts of the module _fernwood share. The module is thin: it hands arrays and options to the library and
// gives back arrays, JSON and handles; manners, tables and plots are Python's (python/fernwood).

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace nb = nanobind;

namespace fernwood::python {

/// Lets Error and what memory throws arrive as the exceptions of fernwood.errors.
void bind_errors(nb::module_& module);
void bind_machine(nb::module_& module);
void bind_records(nb::module_& module);

}  // namespace fernwood::python
