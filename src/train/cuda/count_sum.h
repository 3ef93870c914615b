// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>

#include "core/cuda/buffer.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// Counts that ranks have in the memory of their GPUs, added up there where these are linked, else through the memory
/// of their machines: then they travel in pieces, so that one comes from the GPU while the one before is added up, and
/// little memory of the host is taken.
class CountSum {
 public:
  /// Adds up the blocks of all ranks, one for each rank, in the order of a stream; waits for most of it.
  /// @param blocks  [rank][block_size], that of this rank written.
  void add_up(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);

 private:
  /// Numbers of every block that travel together.
  struct Piece {
    cuda::PinnedBuffer<std::uint32_t> numbers;  // [rank][size]
    cuda::Event arrived;
  };
  void add_up_on_hosts(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);
  void fetch(std::size_t number, const std::uint32_t* blocks, std::size_t block_size, std::size_t num_ranks,
             const cuda::Stream& stream);

  std::array<Piece, 2> pieces_;  // by turns
  cuda::PinnedBuffer<std::uint32_t> sums_;
};

}  // namespace fernwood::train
