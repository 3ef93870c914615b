// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Work of boosting on all samples between two trees: one thread for each sample draws its class, a prefix sum computes
// the positions of the samples that count, and after the tree is grown, blocks sum their samples' terms for the leaves.

#include "train/cuda/gpu_boosted_samples.h"

#include <thrust/gather.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/cuda/thrust.cuh"
#include "core/draw.h"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256, kSumThreads = 512;
/// Number of samples whose terms a block adds up in 32 bits: at most 2^31 / kBoostingUnit.
constexpr std::uint32_t kSummed = 3 * kSumThreads;
static_assert(kSummed < (std::uint64_t{1} << 31) / kBoostingUnit);

/// Scores of all samples, summed over the trees so far.
struct Said {
  const float* sums;  ///< [class][S]
  std::uint32_t num_samples;
  std::int32_t num_classes;

  /// Scores of one sample.
  struct OfSample {
    const float* sums;
    std::uint32_t stride;
    __device__ float operator()(std::int32_t c) const { return sums[static_cast<std::size_t>(c) * stride]; }
  };
  __device__ OfSample operator[](std::uint32_t sample) const { return {sums + sample, num_samples}; }
};

__global__ void judge_kernel(Said said, const std::uint16_t* labels, std::uint64_t seed, std::uint32_t tree,
                             const std::uint32_t* all_places, std::uint16_t* negative_class) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s > said.num_samples) return;
  if (s == said.num_samples) {
    negative_class[s] = kCorrect;
    return;
  }
  const Draw random = draw(seed, RngStream::kMisclassified, tree, 0, all_places[s]);
  negative_class[s] = judge(said[s], said.num_classes, labels[s], random.unit(0));
}

struct IsMisclassified {
  __device__ std::uint32_t operator()(std::uint16_t negative_class) const { return negative_class != kCorrect ? 1 : 0; }
};

__global__ void pick_kernel(const std::uint16_t* negative_class, const std::uint32_t* places,
                            const forest::PixelSite* sites, std::uint32_t num_samples, forest::PixelSite* picked_sites,
                            std::uint16_t* picked_labels) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= num_samples || negative_class[s] == kCorrect) return;
  picked_sites[places[s]] = sites[s];
  picked_labels[places[s]] = negative_class[s];
}

/// Index of the first sum of a class of a leaf.
__device__ std::size_t sums_at(std::uint32_t leaf, std::int32_t c, std::int32_t num_classes) {
  return (static_cast<std::size_t>(leaf) * num_classes + c) * kNumSums;
}

/// Neighbouring samples are in few leaves: each lane begins with a different class, so that lanes seldom add to the
/// same number at once.
/// @tparam kShared  The sums of all leaves fit in shared memory, and each block adds them to the global sums once.
template <bool kShared>
__global__ void __launch_bounds__(kSumThreads)
    leaf_sums_kernel(Said said, const std::uint16_t* labels, const std::uint32_t* leaves, std::uint32_t num_sums,
                     unsigned long long* leaf_sums) {
  extern __shared__ std::int32_t block_sums[];  // same layout as leaf_sums
  for (std::uint32_t i = threadIdx.x; kShared && i < num_sums; i += kSumThreads) block_sums[i] = 0;
  __syncthreads();
  const std::uint32_t begin = blockIdx.x * kSummed, end = min(begin + kSummed, said.num_samples);
  for (std::uint32_t s = begin + threadIdx.x; s < end; s += kSumThreads) {
    const Said::OfSample sums = said[s];
    const forest::SoftmaxNormalizer scale = forest::scale_of(forest::ForestKind::kBoosted, sums, said.num_classes, 1);
    std::int32_t c = static_cast<std::int32_t>(threadIdx.x % 32) % said.num_classes;
    for (std::int32_t i = 0; i < said.num_classes; ++i, c = c + 1 < said.num_classes ? c + 1 : 0) {
      const bool is = labels[s] == c;
      const LossTerm term = loss_term(scale.probability(sums(c)), is);
      const std::size_t at = sums_at(leaves[s], c, said.num_classes);
      const auto add = [&](LeafSum sum, std::int32_t value) {
        if constexpr (kShared)
          atomicAdd(&block_sums[at + sum], value);
        else
          atomicAdd(&leaf_sums[at + sum], static_cast<unsigned long long>(static_cast<long long>(value)));
      };
      add(kGradient, term.gradient);
      add(kCurvature, term.curvature);
      if (is) add(kSamples, 1);
    }
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; kShared && i < num_sums; i += kSumThreads)
    if (block_sums[i] != 0)
      atomicAdd(&leaf_sums[i], static_cast<unsigned long long>(static_cast<long long>(block_sums[i])));
}

__global__ void add_kernel(float* sums, std::uint32_t num_samples, std::int32_t num_classes,
                           const std::uint32_t* leaves, const float* leaf_scores) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= num_samples) return;
  const float* scores = leaf_scores + static_cast<std::size_t>(leaves[s]) * num_classes;
  for (std::int32_t c = 0; c < num_classes; ++c) sums[static_cast<std::size_t>(c) * num_samples + s] += scores[c];
}

}  // namespace

GpuBoostedSamples::GpuBoostedSamples(SampleSet samples, const BoostingSetting& setting, FrameCache& cache,
                                     const cuda::Stream& stream, int gpu)
    : cache_(cache),
      stream_(stream),
      gpu_(gpu),
      setting_(setting),
      size_(samples.size()),
      frames_(std::move(samples.frames)) {
  cuda::upload(frames_, gpu_frames_, stream_);
  cuda::upload(samples.frame_starts, starts_, stream_);
  cuda::upload(samples.sites, sites_, stream_);
  cuda::upload(samples.labels, labels_, stream_);
  std::vector<std::uint32_t> all_places;
  for (std::size_t f = 0; f < frames_.size(); ++f)
    for (std::uint32_t s = samples.frame_starts[f]; s < samples.frame_starts[f + 1]; ++s)
      all_places.push_back(setting_.first_places[f] + s - samples.frame_starts[f]);
  cuda::upload(all_places, all_places_, stream_);
  sums_.resize(setting_.num_classes * size_);
  cuda::fill_with_zeros(sums_.view(), stream_);
  leaves_.resize(size_);
  negative_class_.resize(size_ + 1);
  places_.resize(size_ + 1);
  picked_starts_.resize(frames_.size() + 1);
  picked_sites_.resize(size_);
  picked_labels_.resize(size_);
  host_starts_.resize(frames_.size() + 1);
}

SampleSet GpuBoostedSamples::misclassified(std::uint32_t tree) {
  cuda::use_gpu(gpu_);
  const auto num_samples = static_cast<std::uint32_t>(size_);
  const Said said{sums_.data(), num_samples, static_cast<std::int32_t>(setting_.num_classes)};
  cuda::launch("judging samples", judge_kernel, cuda::blocks_for(size_ + 1, kThreads), kThreads, 0, stream_, said,
               labels_.data(), setting_.seed, tree, all_places_.data(), negative_class_.data());
  cuda::with_thrust("placing samples", stream_, scratch_, [&](const auto& on) {
    thrust::transform_exclusive_scan(on, negative_class_.data(), negative_class_.data() + size_ + 1, places_.data(),
                                     IsMisclassified{}, 0u, thrust::plus<std::uint32_t>());
    thrust::gather(on, starts_.data(), starts_.data() + starts_.size(), places_.data(), picked_starts_.data());
  });
  cuda::launch("picking samples", pick_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream_,
               negative_class_.data(), places_.data(), sites_.data(), num_samples, picked_sites_.data(),
               picked_labels_.data());
  cuda::copy_to_host(picked_starts_.data(), picked_starts_.size(), host_starts_.data(), stream_);
  stream_.synchronize();
  const std::vector<std::uint32_t> starts(host_starts_.data(), host_starts_.data() + host_starts_.size());
  host_sites_.resize(starts.back());
  host_labels_.resize(starts.back());
  cuda::copy_to_host(picked_sites_.data(), starts.back(), host_sites_.data(), stream_);
  cuda::copy_to_host(picked_labels_.data(), starts.back(), host_labels_.data(), stream_);
  stream_.synchronize();
  SampleSet picked;
  picked.sites.assign(host_sites_.data(), host_sites_.data() + starts.back());
  picked.labels.assign(host_labels_.data(), host_labels_.data() + starts.back());
  picked.set_frames(frames_, starts);
  return picked;
}

void GpuBoostedSamples::send_down(const std::vector<forest::Node>& nodes) {
  cuda::use_gpu(gpu_);
  if (nodes.size() == 1) return cuda::fill_with_zeros(leaves_.view(), stream_);  // avoids visiting the frames
  nodes_.upload(nodes, stream_);
  cache_.visit(frames_, stream_, [&](std::uint32_t begin, std::uint32_t end) {
    find_leaves_cuda({.frames = cache_.table(),
                      .tree_frames = gpu_frames_.data(),
                      .frame_of = nullptr,
                      .starts = starts_.data(),
                      .begin = begin,
                      .end = end,
                      .sites = {sites_.data(), size_}},
                     nodes_.data(), leaves_.data(), stream_);
  });
}

Array2<std::int64_t> GpuBoostedSamples::leaf_sums(std::size_t num_leaves) {
  cuda::use_gpu(gpu_);
  Array2<std::int64_t> sums(num_leaves, setting_.num_classes * kNumSums);
  const Said said{sums_.data(), static_cast<std::uint32_t>(size_), static_cast<std::int32_t>(setting_.num_classes)};
  leaf_sums_.resize(sums.size());
  host_leaf_sums_.resize(sums.size());
  cuda::fill_with_zeros(leaf_sums_.view(), stream_);
  const std::size_t shared_bytes = sums.size() * sizeof(std::int32_t);
  const bool shared = shared_bytes <= cuda::block_shared_bytes();
  const auto kernel = shared ? leaf_sums_kernel<true> : leaf_sums_kernel<false>;
  if (shared) cuda::allow_shared_memory(kernel, shared_bytes);
  cuda::launch("adding up leaves", kernel, cuda::blocks_for(size_, kSummed), kSumThreads, shared ? shared_bytes : 0,
               stream_, said, labels_.data(), leaves_.data(), static_cast<std::uint32_t>(sums.size()),
               reinterpret_cast<unsigned long long*>(leaf_sums_.data()));
  cuda::copy_to_host(leaf_sums_.data(), sums.size(), host_leaf_sums_.data(), stream_);
  stream_.synchronize();
  std::copy_n(host_leaf_sums_.data(), sums.size(), sums.data());
  return sums;
}

void GpuBoostedSamples::add(const Array2<float>& leaf_scores) {
  cuda::use_gpu(gpu_);
  leaf_scores_.upload({leaf_scores.data(), leaf_scores.size()}, stream_);
  cuda::launch("adding scores of leaves", add_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream_,
               sums_.data(), static_cast<std::uint32_t>(size_), static_cast<std::int32_t>(setting_.num_classes),
               leaves_.data(), leaf_scores_.data());
}

}  // namespace fernwood::train
