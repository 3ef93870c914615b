// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <string>

namespace fernwood::python {

/// The result of an operation, in the formats of the program.
struct ReportHandle {
  std::function<std::string()> json;
  std::function<std::string()> table;  ///< Plain text in UTF-8, without colours.
  std::function<std::string()> page;   ///< HTML; empty: this result has no page.
};

}  // namespace fernwood::python
