// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/confusion.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// One minus the objective. NaN stays NaN.
double loss_of(const Accuracy& accuracy, Objective objective);

}  // namespace fernwood::search
