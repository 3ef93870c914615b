// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/bindings.h"

NB_MODULE(_fernwood, module) {
  module.doc() = "The engine of fernwood; use the package fernwood, which this belongs to.";
  fernwood::python::bind_errors(module);
  fernwood::python::bind_machine(module);
  fernwood::python::bind_records(module);
}
