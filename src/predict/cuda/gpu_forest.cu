// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/gpu_forest.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::predict {

void LinearTexture::show(const void* memory, std::size_t size, int words) {
  if (memory == memory_ && size == size_) return;
  reset();
  memory_ = memory;
  size_ = size;
  int gpu = 0;
  std::size_t most = 0;
  const cudaChannelFormatDesc format = words == 4   ? cudaCreateChannelDesc<uint4>()
                                       : words == 2 ? cudaCreateChannelDesc<uint2>()
                                                    : cudaCreateChannelDesc<unsigned>();
  cuda::check(cudaGetDevice(&gpu), "asking for the GPU");
  cuda::check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &format, gpu), "asking about the GPU");
  if (size == 0 || size > most) return;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = size * static_cast<std::size_t>(words) * sizeof(unsigned);
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cuda::check(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), "making a texture");
}

void LinearTexture::reset() noexcept {
  if (texture_) cudaDestroyTextureObject(texture_);
  texture_ = 0;
  memory_ = nullptr;
  size_ = 0;
}

namespace {

/// Maximum number of blocks along the third axis of a launch.
constexpr std::size_t kMaxTrees = 65535;

std::vector<TreePlace> places_of(const std::vector<forest::Tree>& trees) {
  FW_CHECK(trees.size() <= kMaxTrees, Model,
           "the forest has " << trees.size() << " trees, a GPU labels with at most " << kMaxTrees << "; use "
                             << named_option("device", "cpu"));
  std::vector<TreePlace> places;
  std::size_t node = 0, leaf = 0;
  for (const forest::Tree& tree : trees) {
    places.push_back({node, static_cast<std::uint32_t>(leaf)});
    node += tree.nodes.size();
    leaf += tree.num_leaves();
  }
  FW_CHECK(
      leaf <= std::numeric_limits<std::uint32_t>::max(), Model,
      "the forest has " << leaf << " leaves, a GPU labels with fewer than 2^32; use " << named_option("device", "cpu"));
  return places;
}

WideRegion widen(const forest::Region& r) {
  return {static_cast<float>(r.dx), static_cast<float>(r.dy), static_cast<float>(r.half_w),
          static_cast<float>(r.half_h)};
}

WideTest widen(const forest::FernTest& test) {
  const forest::RegionFeature& f = test.feature;
  const auto second = static_cast<std::uint16_t>(forest::reads_map(f) ? forest::map_of(f) : f.channel_b);
  return {widen(f.a), widen(f.b), test.threshold, f.channel_a, second};
}

bool has_room(const FernBatch& batch, const forest::Fern& fern) {
  return batch.num_ferns < FernBatch::kMaxFerns &&
         static_cast<std::size_t>(batch.num_tests) + fern.tests.size() <= FernBatch::kMaxTests;
}

void add_fern(const forest::Fern& fern, const forest::LeafWord* leaf_words, std::uint32_t first_leaf,
              FernBatch& batch) {
  const auto num_tests = static_cast<std::int32_t>(fern.tests.size());
  batch.places[batch.num_ferns++] = {leaf_words, first_leaf, batch.num_tests, num_tests};
  for (const forest::FernTest& test : fern.tests) batch.tests[batch.num_tests++] = widen(test);
}

}  // namespace

GpuForest::GpuForest(const forest::Forest& forest, std::size_t stage, bool for_textures) {
  const cuda::Stream stream;
  const std::vector<forest::Tree>& trees = forest.stage(stage);
  const std::vector<TreePlace> places = places_of(trees);
  cuda::upload(places, trees_, stream);
  view_.trees = static_cast<const cuda::GpuBuffer<TreePlace>&>(trees_).view();
  std::vector<forest::Fern> ferns;
  if (forest.kind == forest::ForestKind::kFerns)
    for (const forest::Tree& tree : trees) ferns.push_back(forest::make_fern(tree));
  if (ferns.empty())
    upload_nodes(trees, stream);
  else
    upload_ferns(ferns, places, stream);
  if (for_textures && ferns.empty()) upload_packed(trees, forest.num_channels_of(stage), stream);
  upload_leaves(forest, trees, ferns, stream);
  upload_correction(forest, stream);
}

void GpuForest::upload_nodes(const std::vector<forest::Tree>& trees, const cuda::Stream& stream) {
  std::vector<forest::Node> nodes;
  for (const forest::Tree& tree : trees) nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
  cuda::upload(nodes, nodes_, stream);
  view_.nodes = nodes_.data();
}

void GpuForest::upload_packed(const std::vector<forest::Tree>& trees, int num_channels, const cuda::Stream& stream) {
  std::vector<PackedNode> packed;
  for (const forest::Tree& tree : trees) {
    if (!can_pack(tree, num_channels)) return;
    for (const forest::Node& node : tree.nodes) packed.push_back(pack(node));
  }
  cuda::upload(packed, packed_, stream);
  packed_texture_.show(packed_.data(), packed_.size(), 4);
  view_.packed_texture = packed_texture_.object();
}

void GpuForest::upload_ferns(const std::vector<forest::Fern>& ferns, const std::vector<TreePlace>& places,
                             const cuda::Stream& stream) {
  std::vector<forest::LeafWord> words;
  for (const forest::Fern& fern : ferns) words.insert(words.end(), fern.leaf_words.begin(), fern.leaf_words.end());
  cuda::upload(words, leaf_words_, stream);
  const forest::LeafWord* next_words = leaf_words_.data();
  for (std::size_t k = 0; k < ferns.size(); ++k) {
    const forest::Fern& fern = ferns[k];
    if (fern_batches_.empty() || !has_room(fern_batches_.back(), fern))
      fern_batches_.emplace_back().first_fern = static_cast<std::uint32_t>(k);
    add_fern(fern, next_words, places[k].first_leaf, fern_batches_.back());
    next_words += fern.leaf_words.size();
  }
  view_.ferns = {fern_batches_.data(), fern_batches_.size()};
}

void GpuForest::upload_leaves(const forest::Forest& forest, const std::vector<forest::Tree>& trees,
                              const std::vector<forest::Fern>& ferns, const cuda::Stream& stream) {
  const std::size_t num_classes = forest.classes.size(), quads = (num_classes + 3) / 4;
  std::size_t num_leaves = 0;
  for (const forest::Tree& tree : trees) num_leaves += tree.num_leaves();
  probabilities_.resize(num_leaves * quads);
  float4* out = probabilities_.data();
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const forest::Tree& tree = trees[k];
    const Array2<float> table =
        ferns.empty() ? forest::leaf_votes(forest, tree, k) : forest::fern_probabilities(forest, tree, ferns[k]);
    Array2<float> padded(table.rows(), 4 * quads);
    for (std::size_t leaf = 0; leaf < table.rows(); ++leaf) std::copy_n(table.row(leaf), num_classes, padded.row(leaf));
    cuda::copy_to_gpu(padded.data(), padded.size(), reinterpret_cast<float*>(out), stream);
    stream.synchronize();
    out += tree.num_leaves() * quads;
  }
  view_.probabilities = probabilities_.data();
  view_.kind = forest.kind;
  view_.num_classes = static_cast<std::int32_t>(num_classes);
  view_.quads = static_cast<std::int32_t>(quads);
}

void GpuForest::upload_correction(const forest::Forest& forest, const cuda::Stream& stream) {
  const std::size_t padded = 4 * static_cast<std::size_t>(view_.quads);
  std::vector<forest::ClassPriorCorrection> all;
  for (std::vector<forest::ClassPriorCorrection> correction :
       {forest::correct_sums(forest), forest::correct_probabilities(forest, false),
        forest::correct_probabilities(forest, true)}) {
    correction.resize(padded);
    all.insert(all.end(), correction.begin(), correction.end());
  }
  cuda::upload(all, correction_, stream);
  view_.correct_sums = correction_.data();
  view_.weigh_plain = correction_.data() + padded;
  view_.weigh_smoothed = correction_.data() + 2 * padded;
}

}  // namespace fernwood::predict
