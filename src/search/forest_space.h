// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/search/space.h"
#include "fernwood/train/options.h"

namespace fernwood::search {

/// The options of training that a search may choose, with the ranges that it chooses from unless told otherwise: a new
/// option is a new row of the table in forest_space.cpp.
/// @param base     The hand-made defaults.
/// @param dataset  Whose images say which channels there are.
Space forest_space(const train::TrainOptions& base, const dataset::Dataset& dataset);

/// The options that a setting stands for. @param base  What it does not name.
/// @throws Error(kUsage) for a value that training does not take.
train::TrainOptions options_of(const Setting& setting, const train::TrainOptions& base);

/// What the training of a setting gives for nothing, itself first: fewer trees are the first of more, less depth and
/// more samples a node are the trees cut back, and class weights are put into leaves. Only what the space has.
/// @param base  As in options_of().
std::vector<Setting> free_variants(const Setting& setting, const Space& space, const train::TrainOptions& base);

}  // namespace fernwood::search
