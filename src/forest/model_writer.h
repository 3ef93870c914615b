// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <ostream>
#include <string>

#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// The bytes of a model file. @param name  Of the file, for messages.
/// @throws Error(kModel), before the first byte, when the forest breaks a rule that load_forest checks.
void write_forest(const Forest& forest, const std::string& name, std::ostream& out);

}  // namespace fernwood::forest
