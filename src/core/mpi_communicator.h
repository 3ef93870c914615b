// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <memory>

#include "fernwood/core/communicator.h"

namespace fernwood {

/// What the plug-in for MPI exports as fernwood_make_communicator; owned by the caller.
using MakeMpiCommunicator = Communicator*(std::size_t max_piece_bytes);

/// make_communicator() with another limit than kMaxPieceBytes.
std::unique_ptr<Communicator> make_communicator(std::size_t max_piece_bytes);

}  // namespace fernwood
