// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"
#include "records/cuda/gpu_columns.h"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

RecordView bring(const RecordView& records, cuda::GpuBuffer<float>& gpu, const cuda::Stream& stream) {
  gpu.resize(records.num_records * records.num_attributes);
  const bool by_rows = records.attribute_step == 1;
  const std::size_t width = by_rows ? records.num_attributes : records.num_records;  // consecutive floats
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

/// Bytes copied at once: large enough for the full rate of the bus, small enough that copies and kernels overlap.
constexpr std::size_t kChunkBytes = 16u << 20;

/// Output for some records, on the GPU.
class GpuFound {
 public:
  /// @param size  Number of elements of the output.
  Found prepare(const EvaluationModel& model, std::size_t size) {
    const bool are_values = model.wanted == RequestedOutput::kValues;
    numbers_.resize(are_values ? 0 : size);
    values_.resize(are_values ? size : 0);
    return {are_values ? nullptr : numbers_.data(), are_values ? values_.data() : nullptr};
  }
  void fetch(const Found& found, const cuda::Stream& stream) const {
    if (numbers_.size() > 0) cuda::copy_to_host(numbers_.data(), numbers_.size(), found.numbers, stream);
    if (values_.size() > 0) cuda::copy_to_host(values_.data(), values_.size(), found.values, stream);
  }

 private:
  cuda::GpuBuffer<std::int32_t> numbers_;
  cuda::GpuBuffer<double> values_;
};

/// A part of the records, on its way through the GPU.
struct Chunk {
  cuda::GpuBuffer<float> values;
  GpuFound found;
  cuda::Event arrived, evaluated, left;
};

__global__ void count_undecided(const std::int32_t* classes, std::size_t num_records, std::uint32_t* count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < num_records && classes[i] == kUndecided) atomicAdd(count, 1u);
}

class GpuEvaluator : public RecordEvaluator {
 public:
  GpuEvaluator(const StrategyRequest& request, std::unique_ptr<GpuStrategy> strategy)
      : request_(request),
        gpu_(request.device.gpu),
        num_attributes_(request.model->num_attributes),
        strategy_(std::move(strategy)),
        columns_(*request_.model) {}

  void evaluate(const RecordView& records, const Found& found) override {
    check(records);
    cuda::use_gpu(gpu_);
    const std::size_t per_chunk = std::max<std::size_t>(1, kChunkBytes / (num_attributes_ * sizeof(float)));
    const EvaluationModel& model = *request_.model;
    const std::size_t width = found_width(model);
    std::size_t turn = 0;
    for (std::size_t begin = 0; begin < records.num_records; begin += per_chunk, ++turn) {
      const std::size_t count = std::min(per_chunk, records.num_records - begin);
      Chunk& chunk = chunks_[turn % 2];
      if (turn >= 2) chunk.left.synchronize();
      const RecordView there = bring(records.part(begin, count), chunk.values, to_gpu_);
      chunk.arrived.record(to_gpu_);
      chunk.arrived.wait_event(work_);
      evaluate_there(there, chunk.found.prepare(model, count * width), work_);
      chunk.evaluated.record(work_);
      chunk.evaluated.wait_event(to_host_);
      chunk.found.fetch(found.behind(begin * width), to_host_);
      chunk.left.record(to_host_);
    }
    to_host_.synchronize();
    decide(model, records, found);
  }

  double evaluate_kept(const KeptRecords& records) override {
    check_kept(records, request_.device);
    check(records.view);
    cuda::use_gpu(gpu_);
    const EvaluationModel& model = *request_.model;
    const Found found = kept_.prepare(model, records.view.num_records * found_width(model));
    start_.record(work_);
    evaluate_there(records.view, found, work_);
    end_.record(work_);
    end_.synchronize();
    return end_.seconds_since(start_);
  }
  void fetch_kept(const Found& found) override {
    cuda::use_gpu(gpu_);
    kept_.fetch(found, work_);
    work_.synchronize();
  }

  void evaluate_on_device(const RecordView& records, const Found& found, void* stream) override {
    check(records);
    cuda::use_gpu(gpu_);
    if (records.num_records == 0) return;
    const cuda::Stream caller = cuda::Stream::borrowed(static_cast<cudaStream_t>(stream));
    if (has_worked_) worked_.wait_event(caller);  // another stream may still use the strategy's memory
    evaluate_there(records, found, caller);
    worked_.record(caller);
    has_worked_ = true;
    if (request_.model->flat.margin > 0) decide_on_device(records, found, caller);
  }

  std::string explain() const override { return "strategy: " + describe_request(request_) + "\n"; }

 private:
  void check(const RecordView& records) const { check_attributes(records, num_attributes_); }

  void evaluate_there(const RecordView& records, const Found& found, const cuda::Stream& stream) {
    const std::size_t width = found_width(*request_.model);
    columns_.for_each_part(records, stream, [&](const RecordView& part, std::size_t begin) {
      strategy_->evaluate(part, found.behind(begin * width), stream);
    });
  }

  /// Only few classes are left undecided: if any are, all classes and records are copied to the host.
  void decide_on_device(const RecordView& records, const Found& found, const cuda::Stream& stream) {
    constexpr unsigned kThreads = 256;
    undecided_.resize(1);
    cuda::check(cudaMemsetAsync(undecided_.data(), 0, sizeof(std::uint32_t), stream), "counting");
    cuda::launch("undecided", count_undecided, cuda::blocks_for(records.num_records, kThreads), kThreads, 0, stream,
                 found.numbers, records.num_records, undecided_.data());
    std::uint32_t count = 0;
    cuda::copy_to_host(undecided_.data(), 1, &count, stream);
    stream.synchronize();
    if (count == 0) return;
    std::vector<std::int32_t> classes(records.num_records);
    cuda::copy_to_host(found.numbers, classes.size(), classes.data(), stream);
    stream.synchronize();
    const EvaluationModel& model = *request_.model;
    std::vector<float> record(records.num_attributes), columns(model.forest.attributes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != kUndecided) continue;
      cuda::check(
          cudaMemcpy2DAsync(record.data(), sizeof(float), &records.at(i, 0), records.attribute_step * sizeof(float),
                            sizeof(float), record.size(), cudaMemcpyDeviceToHost, stream),
          "copying a record");
      stream.synchronize();
      read_columns(model.columns, records_by_rows(record.data(), 1, record.size()), columns.data());
      classes[i] = classify_record(model.forest, columns.data());
      cuda::copy_to_gpu(&classes[i], 1, found.numbers + i, stream);
    }
    stream.synchronize();
  }

  StrategyRequest request_;
  int gpu_;
  std::size_t num_attributes_;
  std::unique_ptr<GpuStrategy> strategy_;
  GpuColumns columns_;
  cuda::Stream to_gpu_, work_, to_host_;
  Chunk chunks_[2];
  cuda::Event start_, end_;
  GpuFound kept_;
  cuda::GpuBuffer<std::uint32_t> undecided_;
  cuda::Event worked_;
  bool has_worked_ = false;
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
