// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

RecordView bring(const RecordView& records, cuda::GpuBuffer<float>& gpu, const cuda::Stream& stream) {
  gpu.resize(records.num_records * records.num_attributes);
  const bool by_rows = records.attribute_step == 1;
  const std::size_t width = by_rows ? records.num_attributes : records.num_records;  // floats side by side
  const std::size_t height = by_rows ? records.num_records : records.num_attributes;
  const std::size_t step = by_rows ? records.record_step : records.attribute_step;
  if (step == width)
    cuda::copy_to_gpu(records.data, width * height, gpu.data(), stream);
  else if (width * height > 0)
    cuda::check(cudaMemcpy2DAsync(gpu.data(), width * sizeof(float), records.data, step * sizeof(float),
                                  width * sizeof(float), height, cudaMemcpyHostToDevice, stream),
                "copying records to the GPU");
  return by_rows ? records_by_rows(gpu.data(), records.num_records, records.num_attributes)
                 : records_by_columns(gpu.data(), records.num_records, records.num_attributes);
}

namespace {

/// Records that travel at once: large enough that the bus runs at its rate, small enough that work overlaps.
constexpr std::size_t kChunkBytes = 16u << 20;

/// A part of the records under way.
struct Chunk {
  cuda::GpuBuffer<float> values;
  cuda::GpuBuffer<std::int32_t> classes;
  cuda::Event arrived, classified, left;
};

class GpuEvaluator : public RecordEvaluator {
 public:
  GpuEvaluator(const StrategyRequest& request, std::unique_ptr<GpuStrategy> strategy)
      : request_(request),
        gpu_(request.device.gpu),
        num_attributes_(request.model->forest.attributes.size()),
        strategy_(std::move(strategy)) {}

  void classify(const RecordView& records, std::int32_t* classes) override {
    check(records);
    cuda::use_gpu(gpu_);
    const std::size_t per_chunk = std::max<std::size_t>(1, kChunkBytes / (num_attributes_ * sizeof(float)));
    std::size_t turn = 0;
    for (std::size_t begin = 0; begin < records.num_records; begin += per_chunk, ++turn) {
      const std::size_t count = std::min(per_chunk, records.num_records - begin);
      Chunk& chunk = chunks_[turn % 2];
      if (turn >= 2) chunk.left.synchronize();
      const RecordView there = bring(records.part(begin, count), chunk.values, to_gpu_);
      chunk.arrived.record(to_gpu_);
      chunk.arrived.wait_event(work_);
      chunk.classes.resize(count);
      strategy_->classify(there, chunk.classes.data(), work_);
      chunk.classified.record(work_);
      chunk.classified.wait_event(to_host_);
      cuda::copy_to_host(chunk.classes.data(), count, classes + begin, to_host_);
      chunk.left.record(to_host_);
    }
    to_host_.synchronize();
  }

  double classify_kept(const KeptRecords& records) override {
    check_kept(records, request_.device);
    check(records.view);
    cuda::use_gpu(gpu_);
    kept_classes_.resize(records.view.num_records);
    start_.record(work_);
    strategy_->classify(records.view, kept_classes_.data(), work_);
    end_.record(work_);
    end_.synchronize();
    return end_.seconds_since(start_);
  }
  void kept_classes(std::int32_t* classes) override {
    cuda::use_gpu(gpu_);
    cuda::copy_to_host(kept_classes_.data(), kept_classes_.size(), classes, work_);
    work_.synchronize();
  }

  std::string explain() const override { return "strategy: " + describe_request(request_) + "\n"; }

 private:
  void check(const RecordView& records) const { check_attributes(records, num_attributes_); }

  StrategyRequest request_;
  int gpu_;
  std::size_t num_attributes_;
  std::unique_ptr<GpuStrategy> strategy_;
  cuda::Stream to_gpu_, work_, to_host_;
  Chunk chunks_[2];
  cuda::Event start_, end_;
  cuda::GpuBuffer<std::int32_t> kept_classes_;
};

}  // namespace

KeptRecords keep_on_gpu(Device device, const RecordView& records) {
  cuda::use_gpu(device.gpu);
  const cuda::Stream stream;
  const auto memory = std::make_shared<cuda::GpuBuffer<float>>();
  const RecordView there = bring(records, *memory, stream);
  stream.synchronize();
  return {device, there, memory};
}

std::unique_ptr<RecordEvaluator> evaluate_on_gpu(const StrategyRequest& request,
                                                 std::unique_ptr<GpuStrategy> strategy) {
  return std::make_unique<GpuEvaluator>(request, std::move(strategy));
}

}  // namespace fernwood::records
