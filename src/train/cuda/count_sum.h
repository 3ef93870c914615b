// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>

#include "core/cuda/buffer.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// Adds up the counts of ranks in the memory of their GPUs. Linked GPUs add them up directly; otherwise they pass
/// through host memory in pieces, so that one piece is copied from the GPU while the previous one is added up, and
/// little host memory is needed.
class CountSum {
 public:
  /// Adds up the blocks of all ranks, one block for each rank, in stream order; waits for most of it.
  /// @param blocks  [rank][block_size]; this rank's block is overwritten with the sums.
  void add_up(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);

 private:
  /// The part of every block that is sent in one exchange.
  struct Piece {
    cuda::PinnedBuffer<std::uint32_t> numbers;  // [rank][size]
    cuda::Event arrived;
  };
  void add_up_on_hosts(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream);
  void fetch(std::size_t number, const std::uint32_t* blocks, std::size_t block_size, std::size_t num_ranks,
             const cuda::Stream& stream);

  std::array<Piece, 2> pieces_;  // used alternately
  cuda::PinnedBuffer<std::uint32_t> sums_;
};

}  // namespace fernwood::train
