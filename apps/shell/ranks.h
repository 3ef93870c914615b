// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"

namespace fernwood::apps {

/// What is said when mpirun ends all processes of a job because one has ended. Nothing for one process.
/// @param checkpoint  Where there may be something to go on from; empty: nowhere.
/// @param next_time   How there would be, where it is nowhere.
void prepare_last_words(const Communicator& communicator, const std::filesystem::path& checkpoint,
                        const std::string& next_time);

/// Ends the program as a failure wants it, which one process tells, and with it the others.
[[noreturn]] void end_all(const Error& failure, Communicator& communicator);

}  // namespace fernwood::apps
