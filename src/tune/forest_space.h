// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/search/search.h"
#include "fernwood/train/options.h"

namespace fernwood::tune {

/// The training options that a search may choose, with their default ranges, from the table in forest_space.cpp.
/// @param base     The hand-made defaults.
/// @param dataset  Its images determine the available channels.
search::Space forest_space(const train::TrainOptions& base, const dataset::Dataset& dataset);

/// The options of a configuration. @param base  Options that it does not name.
/// @throws Error(kUsage) for a value that training does not accept.
train::TrainOptions options_of(const search::Configuration& configuration, const train::TrainOptions& base);

/// The configurations that one training evaluates at no further cost, its own first: fewer trees are the first trees,
/// less depth and more samples in a node are pruned trees, and class weights are applied to leaves. Only values of the
/// space.
/// @param base  As in options_of().
std::vector<search::Configuration> free_variants(const search::Configuration& configuration, const search::Space& space,
                                                 const train::TrainOptions& base);

}  // namespace fernwood::tune
