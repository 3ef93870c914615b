// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/bindings.h"

NB_MODULE(_fernwood_tables, module) {
  module.doc() = "The engine of fernwood_tables; use the package fernwood_tables, which this belongs to.";
  // Objects of threads that still run at the end of a script live until exit.
  nb::set_leak_warnings(false);
  fernwood::python::bind_errors(module);
  fernwood::python::bind_machine(module);
  fernwood::python::bind_reports(module);
  fernwood::python::bind_options(module);
  fernwood::python::bind_records(module);
  fernwood::python::bind_stream(module);
}
