// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The tables of options, for scripts/generate_options.

#include <algorithm>
#include <iterator>
#include <map>

#include "python/common/src/bindings.h"

namespace fernwood::python {

/// Options by the operation that accepts them.
class OptionTables {
 public:
  template <typename Options>
  void add(const char* work, const Options& defaults) {
    std::ranges::move(describe_options(Options::table(), defaults), std::back_inserter(tables_[work]));
  }
  /// A list of dicts for each operation.
  nb::dict to_dict() const;

 private:
  std::map<std::string, std::vector<OptionInfo>> tables_;
};

}  // namespace fernwood::python
