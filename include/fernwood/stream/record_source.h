// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "fernwood/records/table.h"

namespace fernwood {

/// Records in an order that is always the same.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual bool read(RecordTable& batch, std::size_t max_records) = 0;
  virtual bool can_rewind() const = 0;
  virtual void rewind() = 0;
  virtual const std::string& name() const = 0;
  virtual std::optional<double> fraction_read() const = 0;
};

}  // namespace fernwood
