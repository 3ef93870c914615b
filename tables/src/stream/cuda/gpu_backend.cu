// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

#include <algorithm>
#include <optional>

#include "stream/cuda/gpu_records.h"
#include "stream/cuda/stage_args.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kSearchBytes = 64u << 20;  // limit of a search's results at a time

/// The stages on a GPU. Each waits for its completion, so that its time is measured separately.
class GpuStreamBackend : public StreamBackend {
 public:
  GpuStreamBackend(const StreamOptions& options, int gpu) : options_(options), gpu_(gpu), counts_(gpu), keeper_(gpu) {}

  void reset(const CountLayout& layout, std::size_t num_slots) override {
    cuda::use_gpu(gpu_);
    free_bytes_ = 0;
    counts_.reset(layout, num_slots, stream_);
  }
  void resize(std::size_t num_slots) override {
    cuda::use_gpu(gpu_);
    counts_.resize(num_slots, stream_);
  }
  void clear(std::span<const std::size_t> slots) override { counts_.clear(slots); }
  std::size_t slot_bytes() const override { return counts_.slot_cells() * sizeof(std::uint32_t); }
  std::size_t free_bytes() const override {
    cuda::use_gpu(gpu_);
    if (free_bytes_ == 0) free_bytes_ = counts_.free_bytes();
    return free_bytes_;
  }

  std::unique_ptr<HeldRecords> hold(const records::RecordView& records, std::span<const std::int32_t> labels,
                                    std::span<const double>) override {
    const LabelledRecords part{records, labels};
    return hold_parts({&part, 1});
  }
  std::vector<std::unique_ptr<HeldRecords>> hold_all(std::vector<records::RecordTable>&& tables) override {
    std::vector<LabelledRecords> parts;
    for (const records::RecordTable& table : tables) parts.push_back({table.view(), table.labels});
    std::vector<std::unique_ptr<HeldRecords>> held;
    held.push_back(hold_parts(parts));
    tables.clear();
    return held;
  }

  void to_root(HeldRecords& held) override {
    cuda::use_gpu(gpu_);
    cuda::fill_with_zeros(static_cast<GpuRecords&>(held).buffers.nodes.view(), stream_);
  }
  void navigate(HeldRecords& held, const std::vector<records::RecordNode>& nodes,
                Array2<std::uint64_t>& totals) override {
    cuda::use_gpu(gpu_);
    auto& records = static_cast<GpuRecords&>(held);
    if (nodes != nodes_) {
      nodes_ = nodes;
      gpu_nodes_.upload(nodes_, stream_);
    }
    totals_.resize(totals.size());
    host_totals_.resize(totals.size());
    cuda::fill_with_zeros(totals_.view(), stream_);
    navigate_cuda({gpu_nodes_.data(), records.buffers.values.data(), records.buffers.labels.data(),
                   records.buffers.nodes.data(), records.buffers.slots.data(), totals_.data(), records.num_records,
                   records.step, totals_.size(), static_cast<std::uint32_t>(totals.cols())},
                  stream_);
    cuda::copy_to_host(totals_.data(), totals_.size(), host_totals_.data(), stream_);
    stream_.synchronize();
    records.slot_sizes.assign(totals.rows(), 0);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      totals.data()[i] += host_totals_.data()[i];
      records.slot_sizes[i / totals.cols()] += host_totals_.data()[i];
    }
  }

  void update(HeldRecords& held, AttributeRange attributes) override {
    cuda::use_gpu(gpu_);
    const auto& records = static_cast<const GpuRecords&>(held);
    if (attributes.size() == 0 || records.num_records == 0) return;
    plan_.make(records.slot_sizes, counts_.most_bins(attributes) + 1, counts_.layout().num_classes, attributes.size(),
               records.num_records, stream_);
    plan_.count({.counts = counts_.view(stream_),
                 .bins = records.buffers.bins.data(),
                 .labels = records.buffers.labels.data(),
                 .slots = records.buffers.slots.data(),
                 .num_records = records.num_records,
                 .step = records.step,
                 .first_attribute = static_cast<std::uint32_t>(attributes.begin),
                 .num_attributes = static_cast<std::uint32_t>(attributes.size())},
                stream_);
    stream_.synchronize();
  }

  void merge(std::span<const std::size_t>, AttributeRange) override {}  // all threads of a GPU share their counts
  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override {
    cuda::use_gpu(gpu_);
    counts_.take(slots, attributes, bytes, stream_);
  }
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override {
    cuda::use_gpu(gpu_);
    return counts_.add(slots, attributes, bytes, at, stream_);
  }

  std::optional<std::size_t> find_excess(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals,
                                         AttributeRange attributes) override {
    cuda::use_gpu(gpu_);
    if (slots.empty() || attributes.size() == 0) return std::nullopt;
    upload_leaves(slots, totals);
    exceeds_.resize(attributes.size());
    cuda::fill_with_zeros(exceeds_.view(), stream_);
    find_excess_cuda(
        {counts_.view(stream_), searched_.data(), searched_.data() + slots.size(), exceeds_.data(), slots.size(),
         static_cast<std::uint32_t>(attributes.begin), static_cast<std::uint32_t>(attributes.size())},
        stream_);
    std::vector<std::uint32_t> exceeds(attributes.size());
    cuda::copy_to_host(exceeds_.data(), exceeds_.size(), exceeds.data(), stream_);
    stream_.synchronize();
    const auto first = std::ranges::find(exceeds, 1u);
    if (first == exceeds.end()) return std::nullopt;
    return attributes.begin + static_cast<std::size_t>(first - exceeds.begin());
  }

  std::vector<LeafSearch> search(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals,
                                 AttributeRange attributes) override {
    cuda::use_gpu(gpu_);
    const std::size_t slot_bytes =
        attributes.size() * sizeof(records::Split) + totals.cols() * 2 * sizeof(std::uint32_t) + 64;
    const std::size_t at_once = std::max<std::size_t>(1, kSearchBytes / slot_bytes);
    std::vector<LeafSearch> found;
    for (std::size_t begin = 0; begin < slots.size(); begin += at_once)
      search_some(slots.subspan(begin, std::min(at_once, slots.size() - begin)), totals, attributes, found);
    return found;
  }

 private:
  std::unique_ptr<HeldRecords> hold_parts(std::span<const LabelledRecords> parts) {
    cuda::use_gpu(gpu_);
    free_bytes_ = 0;
    return keeper_.hold(parts, counts_.layout(), counts_.view(stream_), stream_);
  }

  /// Slots, followed by [slots][class] totals.
  void upload_leaves(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals) {
    std::vector<std::uint32_t> numbers(slots.begin(), slots.end());
    for (const std::size_t slot : slots)
      for (std::size_t c = 0; c < totals.cols(); ++c) numbers.push_back(static_cast<std::uint32_t>(totals(slot, c)));
    searched_.upload(numbers, stream_);
  }

  void search_some(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals, AttributeRange attributes,
                   std::vector<LeafSearch>& found) {
    const std::size_t num_classes = totals.cols();
    upload_leaves(slots, totals);
    splits_.resize(slots.size() * attributes.size());
    best_.resize(slots.size());
    left_.resize(slots.size() * num_classes);
    search_cuda({counts_.view(stream_), searched_.data(), searched_.data() + slots.size(), splits_.data(), best_.data(),
                 left_.data(), slots.size(), static_cast<std::uint32_t>(attributes.begin),
                 static_cast<std::uint32_t>(attributes.size()), options_.min_leaf_samples},
                options_.criterion, counts_.most_bins(attributes), stream_);
    host_best_.resize(best_.size());
    host_left_.resize(left_.size());
    cuda::copy_to_host(best_.data(), best_.size(), host_best_.data(), stream_);
    cuda::copy_to_host(left_.data(), left_.size(), host_left_.data(), stream_);
    stream_.synchronize();
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const std::uint32_t* const left = host_left_.data() + s * num_classes;
      found.push_back({host_best_.data()[s], {}});
      if (found.back().best.found()) found.back().left.assign(left, left + num_classes);
    }
  }

  const StreamOptions options_;
  const int gpu_;
  const cuda::Stream stream_ = [this] {
    cuda::use_gpu(gpu_);
    return cuda::Stream();
  }();
  GpuCounts counts_;
  RecordKeeper keeper_;
  mutable std::size_t free_bytes_ = 0;  ///< Cached, since the driver takes long to answer; 0: not queried yet.
  CountPlan plan_;
  std::vector<records::RecordNode> nodes_;  ///< Copy of those on the GPU.
  cuda::UploadedBuffer<records::RecordNode> gpu_nodes_;
  cuda::UploadedBuffer<std::uint32_t> searched_;  ///< See upload_leaves().
  cuda::GpuBuffer<std::uint32_t> totals_, exceeds_, left_;
  cuda::GpuBuffer<records::Split> splits_;
  cuda::GpuBuffer<BestTwo> best_;
  cuda::PinnedBuffer<std::uint32_t> host_totals_, host_left_;
  cuda::PinnedBuffer<BestTwo> host_best_;
};

}  // namespace

std::unique_ptr<StreamBackend> make_gpu_backend(const StreamOptions& options, Device device) {
  return std::make_unique<GpuStreamBackend>(options, device.gpu);
}

}  // namespace fernwood::stream
