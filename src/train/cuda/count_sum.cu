// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/cuda_backend.h"

#include <algorithm>

namespace fernwood::train {

namespace {

/// Size of a piece of a block: small enough for the L2 cache, large enough that the cost of exchanges is negligible.
constexpr std::size_t kPieceSize = std::size_t{1} << 18;

Share piece_of(std::size_t number, std::size_t block_size) {
  return {number * kPieceSize, std::min((number + 1) * kPieceSize, block_size)};
}

}  // namespace

void CountSum::fetch(std::size_t number, const std::uint32_t* blocks, std::size_t block_size, std::size_t num_ranks,
                     const cuda::Stream& stream) {
  Piece& piece = pieces_[number % 2];
  const Share part = piece_of(number, block_size);
  piece.numbers.resize(num_ranks * part.size());
  for (std::size_t rank = 0; rank < num_ranks; ++rank)
    cuda::copy_to_host(blocks + rank * block_size + part.begin, part.size(), piece.numbers.data() + rank * part.size(),
                       stream);
  piece.arrived.record(stream);
}

void CountSum::add_up(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks, const cuda::Stream& stream) {
  ranks.has_gpu_links() ? ranks.sum_blocks(blocks, block_size, stream, [&] { return stream.is_idle(); })
                        : add_up_on_hosts(blocks, block_size, ranks, stream);
}

void CountSum::add_up_on_hosts(std::uint32_t* blocks, std::size_t block_size, Ranks& ranks,
                               const cuda::Stream& stream) {
  const std::size_t num_pieces = (block_size + kPieceSize - 1) / kPieceSize, num_ranks = ranks.num_ranks();
  stream.synchronize();  // until earlier sums are copied
  sums_.resize(block_size);
  if (num_pieces > 0) fetch(0, blocks, block_size, num_ranks, stream);
  for (std::size_t i = 0; i < num_pieces; ++i) {
    if (i + 1 < num_pieces) fetch(i + 1, blocks, block_size, num_ranks, stream);
    Piece& piece = pieces_[i % 2];
    piece.arrived.synchronize();
    const std::vector<std::uint32_t> sums = ranks.sum_rows({piece.numbers.data(), piece.numbers.size()}, num_ranks);
    std::ranges::copy(sums, sums_.data() + piece_of(i, block_size).begin);
  }
  cuda::copy_to_gpu(static_cast<const std::uint32_t*>(sums_.data()), block_size, blocks + ranks.rank() * block_size,
                    stream);
}

}  // namespace fernwood::train
