// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <string>

namespace fernwood::python {

/// What some work found, in the forms that the program has for it.
struct ReportHandle {
  std::function<std::string()> json;
  std::function<std::string()> table;  ///< For people, in UTF-8 without colours.
  std::function<std::string()> page;   ///< HTML; empty: there is none.
};

}  // namespace fernwood::python
