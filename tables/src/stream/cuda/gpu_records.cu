// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Converts records to columns of values and bins. A block converts 32 records and 32 attributes: its warps read them in
// the order in which they are stored, by rows through shared memory, and write along columns.
#include "stream/cuda/gpu_records.h"

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "records/cuda/gpu_strategy.h"
#include "stream/cuda/stage_args.h"

namespace fernwood::stream {

namespace {

constexpr unsigned kTile = 32, kWarps = 8;
constexpr std::size_t kArrivingBytes = 64u << 20;  // of values in their original order, at a time

struct HoldArgs {
  records::RecordView records;
  std::size_t first, step;  // of the records in columns
  const float* edges;
  const std::uint32_t* edge_starts;  // [attribute + 1]
  float* values;
  std::uint8_t* bins;
};

__global__ void __launch_bounds__(kTile* kWarps) hold_kernel(HoldArgs a) {
  __shared__ float tile[kTile][kTile + 1];
  const std::size_t record = std::size_t{blockIdx.x} * kTile, attribute = std::size_t{blockIdx.y} * kTile;
  const std::size_t num_records = min(std::size_t{kTile}, a.records.num_records - record);
  const std::size_t num_attributes = min(std::size_t{kTile}, a.records.num_attributes - attribute);
  const unsigned lane = threadIdx.x % kTile, warp = threadIdx.x / kTile;
  const bool by_rows = a.records.attribute_step == 1;
  if (by_rows && lane < num_attributes)
    for (unsigned r = warp; r < num_records; r += kWarps) tile[r][lane] = a.records.at(record + r, attribute + lane);
  __syncthreads();
  if (lane >= num_records) return;
  for (unsigned i = warp; i < num_attributes; i += kWarps) {
    const float value = by_rows ? tile[lane][i] : a.records.at(record + lane, attribute + i);
    const std::uint32_t begin = a.edge_starts[attribute + i], num_edges = a.edge_starts[attribute + i + 1] - begin;
    const std::size_t to = (attribute + i) * a.step + a.first + record + lane;
    a.values[to] = value;
    a.bins[to] = bin_of(value, a.edges + begin, num_edges);
  }
}

}  // namespace

GpuRecords::GpuRecords(std::shared_ptr<SpareBuffers> spare) : spare_(std::move(spare)) {
  if (spare_->empty()) return;
  buffers = std::move(spare_->back());
  spare_->pop_back();
}

GpuRecords::~GpuRecords() {
  if (spare_->empty()) spare_->push_back(std::move(buffers));
}

void RecordKeeper::reserve(GpuRecords& held, std::size_t num_attributes) const {
  RecordBuffers& buffers = held.buffers;
  const std::size_t num_values = num_attributes * held.step;
  if (num_values > buffers.values.size() || held.step > buffers.slots.size()) {
    const std::size_t value_bytes = num_values * (sizeof(float) + sizeof(std::uint8_t));
    check_free_memory(gpu_, value_bytes + held.step * 10, "records",
                      "use a " + named_option("schedule") + " that keeps none of them");
  }
  buffers.values.resize(num_values);
  buffers.bins.resize(num_values);
  buffers.labels.resize(held.step);
  buffers.nodes.resize(held.step);
  buffers.slots.resize(held.step);
}

std::unique_ptr<GpuRecords> RecordKeeper::hold(std::span<const LabelledRecords> parts, const CountLayout& layout,
                                               const CountsView& counts, const cuda::Stream& stream) {
  auto held = std::make_unique<GpuRecords>(spare_);
  for (const LabelledRecords& part : parts) held->num_records += part.records.num_records;
  held->step = (held->num_records + kGroup - 1) / kGroup * kGroup;
  reserve(*held, layout.num_attributes);
  RecordBuffers& to = held->buffers;
  cuda::fill_with_zeros(to.bins.view(), stream);
  cuda::fill_with_zeros(to.labels.view(), stream);
  cuda::fill_with_zeros(to.nodes.view(), stream);
  const std::size_t most =
      std::max<std::size_t>(1, kArrivingBytes / sizeof(float) / std::max<std::size_t>(1, layout.num_attributes));
  std::vector<std::uint16_t> labels;
  for (const auto& [records, part_labels] : parts) {
    for (std::size_t begin = 0; begin < records.num_records; begin += most) {
      const records::RecordView part =
          records::bring(records.part(begin, std::min(most, records.num_records - begin)), arriving_, stream);
      const dim3 grid(cuda::blocks_for(part.num_records, kTile), cuda::blocks_for(layout.num_attributes, kTile));
      cuda::launch("holding records", hold_kernel, grid, kTile * kWarps, 0, stream,
                   HoldArgs{part, labels.size() + begin, held->step, counts.edges, counts.edge_starts, to.values.data(),
                            to.bins.data()});
    }
    labels.insert(labels.end(), part_labels.begin(), part_labels.end());
  }
  cuda::copy_to_gpu(labels.data(), labels.size(), to.labels.data(), stream);
  stream.synchronize();
  return held;
}

}  // namespace fernwood::stream
