// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/cuda/buffer.h"
#include "core/machine.h"
#include "core/nccl.h"
#include "fernwood/core/progress.h"

namespace fernwood {

GpuSums measure_gpu_sums(Communicator& ranks, int gpu) {
  constexpr std::size_t kBlockSize = std::size_t{8} << 20;
  constexpr int kTimes = 8;
  cuda::use_gpu(gpu);
  const NcclLibrary nccl = NcclLibrary::find();
  const NcclRank::Rendezvous met = NcclRank::meet(nccl, gpu_status().gpus[static_cast<std::size_t>(gpu)].bus_id, ranks);
  if (!met.rank) return {"", met.problem, 0};
  const auto num_ranks = static_cast<std::size_t>(ranks.size());
  const cuda::Stream stream;
  cuda::GpuBuffer<std::uint32_t> blocks(num_ranks * kBlockSize);
  cuda::fill_with_zeros(blocks.view(), stream);
  const auto add_up = [&] {
    met.rank->reduce_scatter(blocks.data(), kBlockSize, stream, [&] { return stream.is_idle(); });
  };
  add_up();  // the first call sets up the connection
  ranks.gather_all({});
  const double start = seconds_now();
  for (int i = 0; i < kTimes; ++i) add_up();
  const double seconds = (seconds_now() - start) / kTimes;
  ranks.gather_all({});  // barrier before freeing memory that others read
  const std::size_t received = (num_ranks - 1) * kBlockSize * sizeof(std::uint32_t);
  return {"NCCL " + nccl.version_text(), "", static_cast<double>(received) / seconds};
}

}  // namespace fernwood
