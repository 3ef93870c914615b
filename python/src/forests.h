// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>

#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// A forest in Python. Predictors share the forest, which is immutable.
struct ForestHandle {
  std::shared_ptr<const forest::Forest> forest;
  std::shared_ptr<const train::TrainReport> training = nullptr;  ///< Set if it was trained in this process.
};

}  // namespace fernwood::python
