// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Words about models that several reports use.

#include <string>

#include "fernwood/forest/forest.h"

namespace fernwood::report {

/// "L - depth"; of an absolute feature, whose `channel_b` is empty, "L".
std::string pair_name(const std::string& channel_a, const std::string& channel_b);

/// "floor 0.5, wall 1.5": of a forest that has class weights; else empty.
std::string class_weights_text(const forest::Forest& forest);

}  // namespace fernwood::report
