// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cmath>

#include "backbone/import/float_network.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

/// Batch normalisation's epsilon in EfficientNets.
constexpr float kEpsilon = 1e-3f;
/// Strides of the stages after the stem.
constexpr std::array kStageStrides = {1, 2, 2, 2, 1, 2, 1};
constexpr std::size_t kMaxImported = 64;

/// The networks by their size, which follows from their factors of depth and width.
struct KnownSize {
  const char* name;
  std::size_t num_blocks;
  int num_outputs;  ///< Of the last block.
};
constexpr KnownSize kKnownSizes[] = {
    {"lite0", 16, 320}, {"lite1", 21, 320}, {"lite2", 21, 352}, {"lite3", 24, 384}, {"lite4", 30, 448}};

/// Pixels before the centre of a kernel for even sizes, as in TensorFlow's padding "SAME".
int pixels_before(int kernel, int stride) { return (kernel - stride) / 2; }

struct LayerReader {
  const StateDict& state;
  const ErrorContext& place;

  const Tensor& tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
    const auto found = state.find(name);
    FW_CHECK(found != state.end(), Data,
             place.file << " has no array \"" << name << "\"; pass the state_dict() of an EfficientNet-Lite");
    FW_CHECK(found->second.shape == shape, Data,
             place.file << ": the array \"" << name << "\" has another shape than its neighbours say; pass the "
                        << "state_dict() of an EfficientNet-Lite");
    return found->second;
  }
  bool has(const std::string& name) const { return state.contains(name); }
  /// Length of a dimension of a four-dimensional array.
  int size(const std::string& name, std::size_t dimension) const {
    const auto found = state.find(name);
    FW_CHECK(found != state.end() && found->second.shape.size() == 4, Data,
             place.file << " has no array \"" << name
                        << "\" of four dimensions; pass the state_dict() of an EfficientNet-Lite");
    return static_cast<int>(found->second.shape[dimension]);
  }

  /// A convolution with the normalisation after it.
  FloatLayer layer(const std::string& convolution, const std::string& normalization, int stride) const {
    const std::string weight = convolution + ".weight";
    FloatLayer layer;
    layer.out = size(weight, 0), layer.in = size(weight, 1), layer.kernel = size(weight, 2);
    FW_CHECK(layer.out > 0 && layer.in > 0 && (layer.kernel == 1 || layer.kernel == 3 || layer.kernel == 5), Data,
             place.file << ": \"" << weight << "\" is a convolution of " << layer.in << " by " << layer.out
                        << " channels and side " << layer.kernel << "; networks have sides 1, 3 and 5");
    layer.stride = stride, layer.before = pixels_before(layer.kernel, stride);
    const Tensor& weights = tensor(weight, {layer.out, layer.in, layer.kernel, layer.kernel});
    const std::vector<std::int64_t> of_channels = {layer.out};
    const auto values = [&](const char* part) -> const std::vector<float>& {
      return tensor(normalization + part, of_channels).values;
    };
    const std::vector<float>&gamma = values(".weight"), &beta = values(".bias"), &mean = values(".running_mean"),
          &variance = values(".running_var");
    layer.weights = with_inputs_last(layer, weights.values);
    const std::size_t of_channel = layer.weights.size() / static_cast<std::size_t>(layer.out);
    for (int o = 0; o < layer.out; ++o) {
      const auto c = static_cast<std::size_t>(o);
      const float scale = gamma[c] / std::sqrt(variance[c] + kEpsilon);
      layer.bias.push_back(beta[c] - mean[c] * scale);
      layer.mean.push_back(beta[c]);
      layer.deviation.push_back(std::abs(gamma[c]));
      for (std::size_t i = 0; i < of_channel; ++i) layer.weights[c * of_channel + i] *= scale;
    }
    return layer;
  }
};

}  // namespace

FloatNetwork efficientnet_lite(const StateDict& state, const ErrorContext& place) {
  const LayerReader reader = {state, place};
  FloatNetwork network;
  std::size_t stage = 0;
  const auto prefix = [](std::size_t block) { return "_blocks." + std::to_string(block) + "."; };
  for (std::size_t b = 0; b < kMaxImported && reader.has(prefix(b) + "_depthwise_conv.weight"); ++b) {
    const std::string of_block = prefix(b);
    FW_CHECK(!reader.has(of_block + "_se_reduce.weight"), Data,
             place.file << " has squeeze-and-excitation layers, which no backbone has; pass an EfficientNet-Lite");
    FloatBlock block;
    block.expand =
        b == 0 ? reader.layer("_conv_stem", "_bn0", 2) : reader.layer(of_block + "_expand_conv", of_block + "_bn0", 1);
    block.project = reader.layer(of_block + "_project_conv", of_block + "_bn2", 1);
    const bool begins_stage = b == 0 || block.project.out != network.blocks.back().project.out;
    if (begins_stage && b > 0) ++stage;
    FW_CHECK(stage < kStageStrides.size(), Data,
             place.file << " has more than " << kStageStrides.size() << " stages; pass an EfficientNet-Lite");
    const int stride = begins_stage ? kStageStrides[stage] : 1;
    block.depthwise = reader.layer(of_block + "_depthwise_conv", of_block + "_bn1", stride);
    if (b > 0 && stride == 2 && stage == 5) network.blocks.back().is_map = true;  // the last output of stride 16
    block.residual = b > 0 && stride == 1 && block.expand.in == block.project.out;
    network.blocks.push_back(std::move(block));
  }
  FW_CHECK(stage + 1 == kStageStrides.size(), Data,
           place.file << " has " << (network.blocks.empty() ? 0 : stage + 1) << " of the " << kStageStrides.size()
                      << " stages of an EfficientNet-Lite; pass its state_dict()");
  network.blocks.back().is_map = true;
  for (const KnownSize& known : kKnownSizes)
    if (known.num_blocks == network.blocks.size() && known.num_outputs == network.blocks.back().project.out)
      network.name = known.name;
  check_layers(network, place);
  return network;
}

}  // namespace fernwood::backbone
