// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>

namespace fernwood {

/// Told how much of a piece of work is done; called from one thread at a time. Empty: nobody listens.
/// May throw Error(kInterrupted) to end the work.
using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace fernwood
