// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/forest/accuracy.h"
#include "fernwood/search/data_search.h"

namespace fernwood::search {

/// The share of what is wrong, by an objective. NaN stays.
double loss_of(const forest::Accuracy& accuracy, Objective objective);

}  // namespace fernwood::search
