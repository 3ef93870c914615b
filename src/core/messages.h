// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"

// What every communicator agrees on. Headers only, because the plug-in for MPI is not linked to the library.
namespace fernwood {

/// Messages go in pieces of at most that many bytes, because MPI counts in int.
constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 30;

/// Calls `piece(offset, num_bytes)` for the parts of a message, in order, each of 1 to `max_bytes` bytes.
template <typename Piece>
void for_each_piece(std::size_t message_bytes, std::size_t max_bytes, const Piece& piece) {
  for (std::size_t offset = 0; offset < message_bytes; offset += max_bytes)
    piece(offset, std::min(max_bytes, message_bytes - offset));
}

/// @throws Error(kRuntime)
inline void check_one_for_each_rank(const std::vector<Bytes>& outgoing, int size) {
  FW_CHECK(outgoing.size() == static_cast<std::size_t>(size), Runtime,
           "exchange: there are " << outgoing.size() << " messages for " << size << " ranks; give one for each");
}

}  // namespace fernwood
