// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/records/tuner.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

// What the tuner chose before, in cache_folder()/strategies.json. It is a help only: a file that is damaged, foreign or
// cannot be written is as good as none.

/// What a choice depends on: the forest, the device's name, threads, class of batch and version of fernwood.
std::string choice_key(const StrategyRequest& request, int batch_class);

/// @param report  Strategy, values and device are set when a choice is found that still can be made.
bool recall_choice(const std::string& key, const StrategyRequest& request, TuningReport& report);
void remember_choice(const std::string& key, const TuningReport& report);

}  // namespace fernwood::records
