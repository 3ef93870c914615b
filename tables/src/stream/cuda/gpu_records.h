// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "stream/cuda/gpu_counts.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// Records with their classes.
struct LabelledRecords {
  records::RecordView records;
  std::span<const std::int32_t> labels;  ///< [records]
};

/// Memory for records. Columns are `step` records long; those after the last record are in no slot.
struct RecordBuffers {
  cuda::GpuBuffer<float> values;          ///< [attribute][step]
  cuda::GpuBuffer<std::uint8_t> bins;     ///< [attribute][step] Of the grid; unknown values follow the last bin.
  cuda::GpuBuffer<std::uint16_t> labels;  ///< [step]
  cuda::GpuBuffer<std::int32_t> nodes;    ///< [step] The node that each record has reached.
  cuda::GpuBuffer<std::int32_t> slots;    ///< [step] Slot of the open leaf that it is in, or -1.
};

/// Buffers without records, for reuse.
using SpareBuffers = std::vector<RecordBuffers>;

/// CountedRecords in the memory of a GPU.
struct GpuRecords : HeldRecords {
  explicit GpuRecords(std::shared_ptr<SpareBuffers> spare);
  ~GpuRecords() override;

  std::size_t num_records = 0, step = 0;
  RecordBuffers buffers;
  std::vector<std::uint32_t> slot_sizes;  ///< [slot] Number of its records, set by navigate().

 private:
  std::shared_ptr<SpareBuffers> spare_;
};

/// Makes GpuRecords; reuses the memory of those that were destroyed.
class RecordKeeper {
 public:
  explicit RecordKeeper(int gpu) : gpu_(gpu) {}

  /// Waits until all records are copied. @param layout  Of counts. @throws Error(kResource).
  std::unique_ptr<GpuRecords> hold(std::span<const LabelledRecords> parts, const CountLayout& layout,
                                   const CountsView& counts, const cuda::Stream& stream);

 private:
  void reserve(GpuRecords& held, std::size_t num_attributes) const;

  int gpu_;
  cuda::GpuBuffer<float> arriving_;
  std::shared_ptr<SpareBuffers> spare_ = std::make_shared<SpareBuffers>();
};

}  // namespace fernwood::stream
