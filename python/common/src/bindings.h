// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Declarations shared by the extension modules of both packages, fernwood and fernwood_tables. A module is thin: it
// passes arrays and options to the library and returns arrays, JSON and handles; API conventions and plots are in
// Python. FERNWOOD_PACKAGE is the name of the module's package.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"

namespace nb = nanobind;

namespace fernwood::python {

/// The result of an operation, in the formats of the program.
struct ReportHandle {
  std::function<std::string()> json;
  std::function<std::string()> table;  ///< Plain text in UTF-8, without colours.
  std::function<std::string()> page;   ///< HTML; empty: this result has no page.
};

/// Converts Error and out-of-memory exceptions to the exceptions of the package's errors.
void bind_errors(nb::module_& module);
void bind_machine(nb::module_& module);
void bind_reports(nb::module_& module);

/// Returns the options with those of keyword arguments set. @throws Error(kUsage) for an unknown name or an invalid
/// text.
template <typename Options>
Options with_texts(Options options, const OptionTexts& texts) {
  for (const auto& [name, text] : texts) set_option(name, text, options);
  return options;
}

/// Must be called before work that uses more than one thread. Threads do not survive a fork, and code that waits for
/// them in the child would wait forever. @throws Error(kRuntime) in a child of a process that had called it.
void begin_threads();
/// Whether this process is a child whose threads were lost in a fork.
bool threads_are_lost();

/// The sentence with options in the form of keyword arguments.
std::string in_python(const OptionSentence& sentence);

/// Calls warnings.warn() for each sentence. Requires the GIL. @throws nb::python_error where warnings are errors.
void warn(const std::vector<std::string>& sentences);

/// A row of the tables of options, for scripts/generate_options.
nb::dict to_dict(const OptionInfo& row);

/// Adds a table to the options of an operation. @param all  A list of dicts for each operation.
template <typename Options>
void add_options(nb::dict& all, const char* work, const Options& defaults) {
  nb::list rows = all.contains(work) ? nb::cast<nb::list>(all[work]) : nb::list();
  for (const OptionInfo& row : describe_options(Options::table(), defaults)) rows.append(to_dict(row));
  all[work] = rows;
}

}  // namespace fernwood::python
