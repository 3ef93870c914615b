// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the parts of the module _fernwood share. The module is thin: it hands arrays and options to the library and
// gives back arrays, JSON and handles; API conventions, tables and plots are Python's (python/fernwood).

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"

namespace nb = nanobind;

namespace fernwood::python {

/// Lets Error and what memory throws arrive as the exceptions of fernwood.errors.
void bind_errors(nb::module_& module);
void bind_machine(nb::module_& module);
void bind_options(nb::module_& module);
void bind_records(nb::module_& module);
void bind_stream(nb::module_& module);
void bind_datasets(nb::module_& module);
void bind_forests(nb::module_& module);
void bind_backbones(nb::module_& module);
void bind_training(nb::module_& module);
void bind_prediction(nb::module_& module);
void bind_reports(nb::module_& module);
void bind_search(nb::module_& module);
void bind_live(nb::module_& module);
void bind_mapping(nb::module_& module);

/// Options with those of keyword arguments. @throws Error(kUsage) for a name that their table lacks, or a wrong text.
template <typename Options>
Options with_texts(Options options, const OptionTexts& texts) {
  for (const auto& [name, text] : texts) set_option(name, text, options);
  return options;
}

/// To be called before work that takes more than one thread. Threads do not survive a fork, and what waits for them in
/// the child would wait for ever. @throws Error(kRuntime) in a child of a process that had called it.
void begin_threads();
/// Whether this is such a child.
bool threads_are_lost();

/// With options as keyword arguments.
std::string in_python(const OptionSentence& sentence);

/// warnings.warn() for each sentence. To be called with the GIL. @throws nb::python_error where warnings are errors.
void warn(const std::vector<std::string>& sentences);

}  // namespace fernwood::python
