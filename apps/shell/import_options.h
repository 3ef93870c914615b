// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

#include "fernwood/dataset/import.h"

namespace fernwood::apps {

/// Options that the format has a use for. @param options  Outlive the command.
void add_import_choices(const dataset::ImportFormat& format, dataset::ImportOptions& options, CLI::App& command);

}  // namespace fernwood::apps
