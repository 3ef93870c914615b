// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The tables of options, for scripts/generate_options.

#include "python/common/src/bindings.h"

namespace fernwood::python {

nb::dict to_dict(const OptionInfo& row);

/// Adds a table to the options of an operation. @param all  A list of dicts for each operation.
template <typename Options>
void add_options(nb::dict& all, const char* work, const Options& defaults) {
  nb::list rows = all.contains(work) ? nb::cast<nb::list>(all[work]) : nb::list();
  for (const OptionInfo& row : describe_options(Options::table(), defaults)) rows.append(to_dict(row));
  all[work] = rows;
}

}  // namespace fernwood::python
