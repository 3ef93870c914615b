// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_backend.h"

#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::stream {

void add_split(const records::Split& split, LeafSearch& found) { found.add({split}); }

void add_search(LeafSearch&& other, LeafSearch& found) {
  if (found.add(other)) found.left = std::move(other.left);
}

std::vector<std::unique_ptr<HeldRecords>> StreamBackend::hold_all(std::vector<records::RecordTable>&& tables) {
  std::vector<std::unique_ptr<HeldRecords>> held;
  for (records::RecordTable& table : tables) {
    held.push_back(hold(table.view(), table.labels));
    table = {};
  }
  return held;
}

#if !FERNWOOD_HAS_CUDA
std::unique_ptr<StreamBackend> make_gpu_backend(const StreamOptions&, Device) {
  throw Error(ErrorKind::kDevice, "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or give --device cpu");
}
#endif

std::unique_ptr<StreamBackend> make_stream_backend(const StreamOptions& options, const StreamWork& work,
                                                   ThreadPool& pool) {
  if (work.device.is_cpu()) return make_cpu_backend(options, work.parallel, pool);
  FW_CHECK(options.sketch == SketchKind::kLogLinear, Usage,
           "--sketch " << to_string(options.sketch) << " is counted by the CPU only; give --device cpu or --sketch "
                       << to_string(SketchKind::kLogLinear));
  return make_gpu_backend(options, work.device);
}

}  // namespace fernwood::stream
